package plan

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"ajlo/job/unit"
)

// maxNodes bounds the search so that a plan never depends on how fast the machine is
// (rule 10); two million nodes take about a second.
const maxNodes = 2_000_000

// choice is what the search settled on: for each table the index into its options, or −1
// to leave it as it is.
type choice struct {
	picks []int
	npv   unit.Bytes
	// bound is at or above the NPV of every choice within the budgets; it equals npv when
	// the search ran to its end.
	bound unit.Bytes
}

// choose picks at most one option for each table, which come best first, so that their NPV together is greatest
// while rewrites and storage stay within the budgets. It is an exact depth-first branch and
// bound; the bound relaxes the rewrite budget to fractions of the best option of each table.
func choose(tables [][]option, budget, storage unit.Bytes) choice {
	return chooseWithin(tables, budget, storage, maxNodes)
}

// chooseWithin is choose with a search of so many nodes at most.
func chooseWithin(tables [][]option, budget, storage unit.Bytes, nodes int) choice {
	s := search{options: tables, nodes: nodes, order: byDensity(tables)}
	s.addUp()
	s.picks = slices.Repeat([]int{leave}, len(tables))
	s.best = choice{picks: slices.Clone(s.picks)}
	root := s.relaxed(0, budget)
	s.descend(0, 0, budget, storage)
	s.best.bound = s.best.npv
	if s.nodes <= 0 {
		s.best.bound = max(root, s.best.npv)
	}
	return s.best
}

// leave is the pick of a table that stays as it is.
const leave = -1

type search struct {
	options [][]option
	order   []int  // tables, best NPV for their bytes first
	front   []sums // over the order
	picks   []int
	best    choice
	nodes   int
}

// descend decides the table at the given depth, having gained npv so far.
func (s *search) descend(depth int, npv, budget, storage unit.Bytes) {
	if s.nodes--; s.nodes <= 0 {
		return
	}
	if npv > s.best.npv {
		s.best.npv, s.best.picks = npv, slices.Clone(s.picks)
	}
	if depth == len(s.order) || npv+s.relaxed(depth, budget) <= s.best.npv {
		return
	}
	at := s.order[depth]
	for i, o := range s.options[at] {
		if o.rewrite > budget || o.storage > storage {
			continue
		}
		s.picks[at] = i
		s.descend(depth+1, npv+o.npv, budget-o.rewrite, storage-o.storage)
	}
	s.picks[at] = leave
	s.descend(depth+1, npv, budget, storage)
}

// relaxed bounds the NPV that the tables from depth on can still bring: each may be taken
// in part, at the NPV of its best option and the rewrite of its cheapest. Tables are in
// order of that ratio, so filling the budget from the front is the optimum of the
// relaxation; sums from the front make it a search, not a walk.
func (s *search) relaxed(depth int, budget unit.Bytes) unit.Bytes {
	start := s.front[depth]
	whole := sort.Search(len(s.order)-depth, func(i int) bool { return s.front[depth+i+1].rewrite-start.rewrite > budget })
	bound := s.front[depth+whole].npv - start.npv
	if depth+whole == len(s.order) {
		return bound
	}
	left := budget - (s.front[depth+whole].rewrite - start.rewrite)
	npv, rewrite := envelope(s.options[s.order[depth+whole]])
	// Rounded up: a bound may be too high, never too low.
	return bound + unit.Bytes(float64(npv)*float64(left)/float64(rewrite)) + 1
}

// sums are envelopes added up over the first tables of the order.
type sums struct{ npv, rewrite unit.Bytes }

func (s *search) addUp() {
	s.front = make([]sums, len(s.order)+1)
	for i, at := range s.order {
		npv, rewrite := envelope(s.options[at])
		s.front[i+1] = sums{s.front[i].npv + npv, s.front[i].rewrite + rewrite}
	}
}

// envelope is the best NPV and the least rewrite of a table's options.
func envelope(options []option) (npv, rewrite unit.Bytes) {
	for i, o := range options {
		npv = max(npv, o.npv)
		if i == 0 || o.rewrite < rewrite {
			rewrite = o.rewrite
		}
	}
	return npv, rewrite
}

// byDensity orders tables by NPV for each byte rewritten, greatest first, then by place.
func byDensity(tables [][]option) []int {
	order := make([]int, len(tables))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		npvA, rewriteA := envelope(tables[a])
		npvB, rewriteB := envelope(tables[b])
		return cmp.Compare(density(npvB, rewriteB), density(npvA, rewriteA))
	})
	return order
}

// density is +Inf for an option that costs nothing: those come before all others.
func density(npv, rewrite unit.Bytes) float64 {
	if rewrite == 0 {
		return math.Inf(1)
	}
	return float64(npv) / float64(rewrite)
}
