package plan

import (
	"cmp"
	"math"
	"slices"
)

// branch is an exact depth-first search over the tables. Each node is bounded by the dual at
// a few prices: what is decided counts in full, what is open by the dual's shares, the budgets
// left at the price. Bounds are kept up to date along the path, so that a node costs as much
// as its table has choices and neighbours.
type branch struct {
	m      *matrices
	d      *dual
	order  []int        // tables, those that sway the bound most first
	prices [][2]float64 // of a byte of either budget
	// value[i][c] is what choice c of an open table is worth with the shares of its open
	// neighbours and the true worth beside its decided ones, before prices.
	value  [][]float64
	best   [][]float64 // by price and open table: its best choice at that price
	open   []float64   // by price: the open tables' best and the open joins' rest together
	rests  []float64   // by join
	chosen []int
	opened []bool
	nodes  int
	found  []int
	npv    float64
	slack  float64
}

// priceSteps are the multiples of the dual's prices at which nodes are bounded: deep in the
// search budgets are tighter or wider than at its root.
var priceSteps = [...]float64{1, 0, 0.5, 2, 4}

// roundingShare is the part of the greatest worth that sums of floats may be off by.
const roundingShare = 1e-12

// search improves the choice found so far until it is proved best or so many nodes are spent;
// proved reports which.
func (d *dual) search(found []int, npv float64, nodes int) (best []int, proved bool) {
	s := newBranch(d, found, npv, nodes)
	s.descend(0, 0, d.m.budget, d.m.storage)
	return s.found, s.nodes > 0
}

func newBranch(d *dual, found []int, npv float64, nodes int) *branch {
	s := &branch{m: d.m, d: d, nodes: nodes, found: slices.Clone(found), npv: npv, rests: make([]float64, len(d.m.joins)),
		value: make([][]float64, len(d.m.tables)), chosen: make([]int, len(d.m.tables)), opened: make([]bool, len(d.m.tables))}
	for _, step := range priceSteps {
		s.prices = append(s.prices, [2]float64{d.perByte * step, d.perStored * step})
	}
	greatest := 1.0
	for i, choices := range d.m.tables {
		s.opened[i] = true
		s.value[i] = make([]float64, len(choices))
		for c := range choices {
			s.value[i][c] = d.given(i, c)
			greatest = max(greatest, math.Abs(s.value[i][c]))
		}
	}
	s.slack = greatest * roundingShare * float64(len(d.m.tables)+len(d.m.joins))
	s.boundAll()
	s.order = s.swaying()
	return s
}

// boundAll fills in the bounds at the root.
func (s *branch) boundAll() {
	for i := range s.rests {
		s.rests[i] = s.d.rest(i)
	}
	for k := range s.prices {
		row := make([]float64, len(s.m.tables))
		total := 0.0
		for i := range row {
			row[i] = s.bestAt(k, i)
			total += row[i]
		}
		for _, r := range s.rests {
			total += r
		}
		s.best, s.open = append(s.best, row), append(s.open, total)
	}
}

func (s *branch) bestAt(price, at int) float64 {
	best, p := math.Inf(-1), s.prices[price]
	for c, choice := range s.m.tables[at] {
		best = max(best, s.value[at][c]-p[0]*choice.rewrite-p[1]*choice.storage)
	}
	return best
}

// swaying orders tables by how much their best choice is worth beyond leaving them, greatest
// first.
func (s *branch) swaying() []int {
	order := make([]int, len(s.m.tables))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(s.best[0][b]-s.value[b][0], s.best[0][a]-s.value[a][0])
	})
	return order
}

// bound is at or above what the open tables can still bring within what is left.
func (s *branch) bound(budget, storage float64) float64 {
	least := math.Inf(1)
	for k, p := range s.prices {
		least = min(least, s.open[k]+p[0]*budget+p[1]*storage)
	}
	return least
}

// descend decides the table at the given depth, npv being decided so far. NPVs are whole
// bytes: what cannot bring one more is not looked into.
func (s *branch) descend(depth int, npv, budget, storage float64) {
	if s.nodes--; s.nodes <= 0 {
		return
	}
	if depth == len(s.order) {
		if npv > s.npv {
			s.npv = npv
			copy(s.found, s.chosen)
		}
		return
	}
	if npv+s.bound(budget, storage)+s.slack < s.npv+1 {
		return
	}
	at := s.order[depth]
	for _, c := range s.ranked(at) {
		o := s.m.tables[at][c]
		if o.rewrite > budget || o.storage > storage {
			continue
		}
		undo := s.decide(at, c)
		s.descend(depth+1, npv+s.truly(at, c), budget-o.rewrite, storage-o.storage)
		s.reopen(undo)
	}
}

// ranked lists a table's choices, the most promising first.
func (s *branch) ranked(at int) []int {
	p := s.prices[0]
	worth := func(c int) float64 {
		o := s.m.tables[at][c]
		return s.value[at][c] - p[0]*o.rewrite - p[1]*o.storage
	}
	list := make([]int, len(s.m.tables[at]))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(worth(b), worth(a)) })
	return list
}

// truly is what a choice adds to what is decided: by itself and beside decided neighbours.
func (s *branch) truly(at, c int) float64 {
	total := s.m.tables[at][c].npv
	for _, n := range s.m.at[at] {
		if !s.opened[n.other] {
			total += s.m.with(n, c, s.chosen[n.other])
		}
	}
	return total
}

// undo is what deciding a table changed.
type undo struct {
	at     int
	open   []float64
	values [][]float64 // of the neighbours that are open
	bests  []float64   // of them at each price, one after the other
}

// decide closes a table: its open neighbours see its true worth instead of their share.
func (s *branch) decide(at, c int) undo {
	u := undo{at: at, open: slices.Clone(s.open)}
	s.opened[at], s.chosen[at] = false, c
	for k := range s.prices {
		s.open[k] -= s.best[k][at]
	}
	for _, n := range s.m.at[at] {
		if !s.opened[n.other] {
			continue
		}
		u.values = append(u.values, slices.Clone(s.value[n.other]))
		theirs := s.d.shareOf(side{n.join, at, !n.first})
		for other := range s.value[n.other] {
			s.value[n.other][other] += s.m.with(n, c, other) - theirs[other]
		}
		for k := range s.prices {
			u.bests = append(u.bests, s.best[k][n.other])
			was := s.best[k][n.other]
			s.best[k][n.other] = s.bestAt(k, n.other)
			s.open[k] += s.best[k][n.other] - was - s.rests[n.join]
		}
	}
	return u
}

func (s *branch) reopen(u undo) {
	at := 0
	neighbours := s.m.at[u.at]
	// Backwards, since two joins may lead to one neighbour: its first value is the oldest.
	open := make([]side, 0, len(u.values))
	for _, n := range neighbours {
		if s.opened[n.other] {
			open = append(open, n)
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		copy(s.value[open[i].other], u.values[i])
		for k := range s.prices {
			at = i*len(s.prices) + k
			s.best[k][open[i].other] = u.bests[at]
		}
	}
	copy(s.open, u.open)
	s.opened[u.at] = true
}
