package fact

import (
	"maps"
	"slices"
)

// settling is what is needed to make facts of the executions of a log while more of it
// comes: what is held are then the open ones and the last, and facts, whose size is that of
// the result.
type settling struct {
	after   int            // how many roots that ended are left unsettled
	ended   []int64        // they, in the order of their ends
	settled map[int64]bool // executions whose facts are made
	queries []Query
}

// settleAfter is how many roots end after a root before its facts are made. Children, stages
// and plans of a query come before its end; what the bus delays, or what stages that were
// cancelled still say, follows it closely.
const settleAfter = 64

// together is how many roots are settled at once: each time costs a look at everything that
// is held.
const together = 8

// settle takes note of a root that ended. Values that no plan has named wait for the next few
// ends, all else for those of x.after roots.
func (x *extractor) settle(root int64) {
	x.ended = append(x.ended, root)
	n := len(x.ended)
	if n%together == 0 && n >= 2*together {
		x.forgetEarly(x.ended[n-2*together : n-together])
	}
	if n < x.after+together {
		return
	}
	old := x.ended[:together]
	x.foldAll(func(e *execution) bool { return slices.Contains(old, e.root) })
	x.ended = append(x.ended[:0], x.ended[together:]...)
}

// forgetEarly drops what was measured for roots, and their children, that none of their plans
// has named. What they name may have been let go of meanwhile, by an older query that showed the
// same cached table.
func (x *extractor) forgetEarly(roots []int64) {
	for id, e := range x.executions {
		if !slices.Contains(roots, e.root) {
			continue
		}
		if e.digested != nil {
			x.meter.wantScans(e.digested.scans)
		}
		x.meter.forgetEarly(id)
	}
}

// foldAll makes the queries of the trees that are chosen, and lets go of what was held for
// them.
func (x *extractor) foldAll(chosen func(*execution) bool) {
	for _, t := range x.trees(chosen) {
		if q, ok := x.fold(t); ok && !x.settled[t.root] {
			x.queries = append(x.queries, q)
		}
		for _, e := range t.all() {
			x.settled[e.id] = true
			x.meter.unwant(e.digested.scans)
			x.meter.forget(e.id)
			delete(x.executions, e.id)
		}
		delete(x.made, t.root)
		delete(x.tops, t.root)
	}
	over := func(_, execution int64) bool { return x.settled[execution] }
	maps.DeleteFunc(x.stages, over)
	maps.DeleteFunc(x.jobs, over)
}
