package plan

import "math"

// dual bounds the NPV of every choice within the budgets from above. It prices a byte of
// either budget, and hands the worth of each pair to its two tables in shares; every table
// then takes its best choice by itself (Lagrangian relaxation: any prices and any shares give
// a bound that holds, good ones a close bound). Shares move as in max-product linear
// programming (Globerson and Jaakkola, 2007), prices by bisection.
type dual struct {
	m                  *matrices
	perByte, perStored float64
	// share[j] is what the choices of join j's a and b are given of it.
	share [][2][]float64
}

// Rounds of the dual's ascent: the bound hardly moves after a few dozen. Prices move less than
// shares and cost more to find, so they are set anew every few rounds. Halvings: a price is
// then known to 2^−40 of the dearest one; golden sections, to 10^−6.
const (
	dualRounds     = 40
	roundsAPrice   = 8
	priceHalvings  = 40
	goldenSections = 30
)

// enoughGain is the part of a bound below which a round's improvement ends the ascent.
const enoughGain = 1e-7

func newDual(m *matrices) *dual {
	d := &dual{m: m, share: make([][2][]float64, len(m.joins))}
	for i, j := range m.joins {
		d.share[i] = [2][]float64{make([]float64, len(m.tables[j.a])), make([]float64, len(m.tables[j.b]))}
	}
	last := math.Inf(1)
	for round := range dualRounds {
		if round%roundsAPrice == 0 {
			d.price()
		}
		bound := d.bound()
		if last-bound <= enoughGain*math.Abs(bound) && !math.IsInf(last, 1) {
			break
		}
		last = bound
		for i := range m.joins {
			d.split(i)
		}
	}
	d.price()
	return d
}

// bound is at or above the NPV of every choice within the budgets.
func (d *dual) bound() float64 {
	total := d.perByte*d.m.budget + d.perStored*d.m.storage
	for i := range d.m.tables {
		best := math.Inf(-1)
		for c := range d.m.tables[i] {
			best = max(best, d.reduced(i, c))
		}
		total += best
	}
	for i := range d.m.joins {
		total += d.rest(i)
	}
	return total
}

// reduced is what a choice is worth to its table at the present prices and shares.
func (d *dual) reduced(at, choice int) float64 {
	c := d.m.tables[at][choice]
	return d.given(at, choice) - d.perByte*c.rewrite - d.perStored*c.storage
}

// given is the worth of a choice with its shares, before prices.
func (d *dual) given(at, choice int) float64 {
	total := d.m.tables[at][choice].npv
	for _, s := range d.m.at[at] {
		total += d.shareOf(s)[choice]
	}
	return total
}

func (d *dual) shareOf(s side) []float64 {
	if s.first {
		return d.share[s.join][0]
	}
	return d.share[s.join][1]
}

// rest is the most that a join is worth beyond the shares it gave away.
func (d *dual) rest(i int) float64 {
	j, best := &d.m.joins[i], math.Inf(-1)
	for a, given := range d.share[i][0] {
		row := j.worth[a*j.width : (a+1)*j.width]
		for b, w := range row {
			best = max(best, w-given-d.share[i][1][b])
		}
	}
	return best
}

// split gives a join's worth to its tables so that, all else as it is, the bound is least:
// each side gets half of the best that both could have together.
func (d *dual) split(i int) {
	j := &d.m.joins[i]
	without := func(at int, share []float64) []float64 {
		values := make([]float64, len(share))
		for c := range values {
			values[c] = d.reduced(at, c) - share[c]
		}
		return values
	}
	a, b := without(j.a, d.share[i][0]), without(j.b, d.share[i][1])
	for x := range a {
		best := math.Inf(-1)
		for y := range b {
			best = max(best, j.worth[x*j.width+y]+b[y])
		}
		d.share[i][0][x] = (best - a[x]) / 2
	}
	for y := range b {
		best := math.Inf(-1)
		for x := range a {
			best = max(best, j.worth[x*j.width+y]+a[x])
		}
		d.share[i][1][y] = (best - b[y]) / 2
	}
}

// price sets both prices so that the bound is least for the present shares: the price of
// storage by golden section, since the bound is convex in it, and for each the price of a
// rewrite by bisection.
func (d *dual) price() {
	worth := make([][]float64, len(d.m.tables))
	for i, choices := range d.m.tables {
		worth[i] = make([]float64, len(choices))
		for c := range choices {
			worth[i][c] = d.given(i, c)
		}
	}
	dearest := d.priced(worth, rewriteOf)
	at := func(stored float64) float64 {
		d.perStored = stored
		d.halve(worth, dearest)
		return d.priceBound(worth)
	}
	free := at(0)
	if d.spends(worth, storageOf) <= d.m.storage {
		return
	}
	if best := goldenSection(at, d.priced(worth, storageOf)); at(best) > free {
		at(0)
	}
}

// goldenSection gives the place between 0 and high where a convex function is least.
func goldenSection(f func(float64) float64, high float64) float64 {
	low, part := 0.0, (math.Sqrt(5)-1)/2
	a, b := high-part*(high-low), low+part*(high-low)
	atA, atB := f(a), f(b)
	for range goldenSections {
		if atA <= atB {
			high, b, atB = b, a, atA
			a = high - part*(high-low)
			atA = f(a)
		} else {
			low, a, atA = a, b, atB
			b = low + part*(high-low)
			atB = f(b)
		}
	}
	return (low + high) / 2
}

// priceBound is the part of the bound that prices change.
func (d *dual) priceBound(worth [][]float64) float64 {
	total := d.perByte*d.m.budget + d.perStored*d.m.storage
	for i, choices := range d.m.tables {
		best := math.Inf(-1)
		for c, o := range choices {
			best = max(best, worth[i][c]-d.perByte*o.rewrite-d.perStored*o.storage)
		}
		total += best
	}
	return total
}

func rewriteOf(c choiceOf) float64 { return c.rewrite }
func storageOf(c choiceOf) float64 { return c.storage }

// priced is a price that no table would pay.
func (d *dual) priced(worth [][]float64, cost func(choiceOf) float64) (most float64) {
	for i, choices := range d.m.tables {
		for c, choice := range choices {
			if cost(choice) > 0 {
				most = max(most, (worth[i][c]-worth[i][0])/cost(choice))
			}
		}
	}
	return most
}

// halve looks for the least price of a rewrite, up to high, at which the tables keep to the
// budget.
func (d *dual) halve(worth [][]float64, high float64) {
	d.perByte = 0
	if d.spends(worth, rewriteOf) <= d.m.budget {
		return
	}
	low := 0.0
	for range priceHalvings {
		middle := (low + high) / 2
		d.perByte = middle
		if d.spends(worth, rewriteOf) > d.m.budget {
			low = middle
		} else {
			high = middle
		}
	}
	d.perByte = high
}

// spends is what the tables' best choices cost at the present prices; of equal ones the
// cheapest counts.
func (d *dual) spends(worth [][]float64, cost func(choiceOf) float64) (total float64) {
	for i, choices := range d.m.tables {
		best, spent := math.Inf(-1), 0.0
		for c, choice := range choices {
			value := worth[i][c] - d.perByte*choice.rewrite - d.perStored*choice.storage
			if value > best || value == best && cost(choice) < spent {
				best, spent = value, cost(choice)
			}
		}
		total += spent
	}
	return total
}
