package plan

import (
	"math"
	"slices"
)

// improvePasses bounds how often all tables are looked at again; a handful settles it.
const improvePasses = 20

// priceTrials are the multiples of the dual's prices that choices are decoded at: at the
// prices themselves many tables stand between two choices, and all would move at once.
var priceTrials = [...]float64{0.97, 1, 1.01, 1.03, 1.06}

// decoded is a choice within the budgets from the dual: each table takes its best at the
// dual's prices beside what the others took, what is too much is given back where it costs
// least, and what is left is spent where it brings most.
func (d *dual) decoded() []int {
	best := make([]int, len(d.m.tables))
	for _, times := range priceTrials {
		l := lender{d.m, d.perByte * times, d.perStored * times}
		chosen := l.settle(d)
		l.repair(chosen)
		l.fill(chosen)
		if d.m.npv(chosen) > d.m.npv(best) {
			best = chosen
		}
	}
	return best
}

// lender moves choices about at fixed prices of a byte of either budget.
type lender struct {
	m                  *matrices
	perByte, perStored float64
}

// settle lets every table take its best beside the others until none moves.
func (l lender) settle(d *dual) []int {
	chosen := make([]int, len(l.m.tables))
	for at := range chosen {
		chosen[at] = l.bestBeside(chosen, at, d.given)
	}
	for range improvePasses {
		before := slices.Clone(chosen)
		for at := range chosen {
			chosen[at] = l.bestBeside(chosen, at, func(at, c int) float64 { return l.m.gain(chosen, at, c) })
		}
		if slices.Equal(before, chosen) {
			break
		}
	}
	return chosen
}

func (l lender) bestBeside(chosen []int, at int, worth func(at, c int) float64) int {
	best, most := chosen[at], math.Inf(-1)
	for c, o := range l.m.tables[at] {
		if w := worth(at, c) - l.perByte*o.rewrite - l.perStored*o.storage; w > most {
			best, most = c, w
		}
	}
	return best
}

// left is what choices leave of the budgets; negative where they overspend.
func (m *matrices) left(chosen []int) purse {
	p := purse{m.budget, m.storage}
	for at, c := range chosen {
		p.rewrite -= m.tables[at][c].rewrite
		p.storage -= m.tables[at][c].storage
	}
	return p
}

// repair gives back what is over the budgets, each time where the least is lost for what is
// given back.
func (l lender) repair(chosen []int) {
	for {
		left := l.m.left(chosen)
		if left.rewrite >= 0 && left.storage >= 0 {
			return
		}
		at, c := l.cheapestReturn(chosen, left)
		chosen[at] = c
	}
}

func (l lender) cheapestReturn(chosen []int, left purse) (table, choice int) {
	least := math.Inf(1)
	for at, now := range chosen {
		was, base := l.m.tables[at][now], l.m.gain(chosen, at, now)
		for c, o := range l.m.tables[at] {
			back := l.returned(was, o, left)
			if o.rewrite > was.rewrite || o.storage > was.storage || back <= 0 {
				continue
			}
			if cost := (base - l.m.gain(chosen, at, c)) / back; cost < least {
				least, table, choice = cost, at, c
			}
		}
	}
	return table, choice
}

// returned is the price of what a change gives back of what is overspent; a budget without a
// price counts by the part of it.
func (l lender) returned(was, o choiceOf, left purse) (back float64) {
	if left.rewrite < 0 {
		back += min(was.rewrite-o.rewrite, -left.rewrite) * orElse(l.perByte, 1/max(l.m.budget, 1))
	}
	if left.storage < 0 {
		back += min(was.storage-o.storage, -left.storage) * orElse(l.perStored, 1/max(l.m.storage, 1))
	}
	return back
}

func orElse(price, otherwise float64) float64 {
	if price > 0 {
		return price
	}
	return otherwise
}

// fill takes the best change of a single table, by its gain for the price of what it takes,
// while one gains and fits.
func (l lender) fill(chosen []int) {
	left := l.m.left(chosen)
	for {
		at, c := l.bestChange(chosen, left)
		if c < 0 {
			return
		}
		was, o := l.m.tables[at][chosen[at]], l.m.tables[at][c]
		left.rewrite += was.rewrite - o.rewrite
		left.storage += was.storage - o.storage
		chosen[at] = c
	}
}

func (l lender) bestChange(chosen []int, left purse) (table, choice int) {
	most := 0.0
	table, choice = 0, -1
	for at, now := range chosen {
		was, base := l.m.tables[at][now], l.m.gain(chosen, at, now)
		for c, o := range l.m.tables[at] {
			gain := l.m.gain(chosen, at, c) - base
			if gain < 1 || !left.holds(o.rewrite-was.rewrite, o.storage-was.storage) {
				continue
			}
			taken := l.perByte*(o.rewrite-was.rewrite) + l.perStored*(o.storage-was.storage)
			if r := ratio(gain, taken); r > most || choice < 0 {
				most, table, choice = r, at, c
			}
		}
	}
	return table, choice
}
