package fact

import "maps"

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

// settle takes note of a root that ended. The oldest are settled together: each time costs a
// look at everything that is held.
func (x *extractor) settle(root int64) {
	x.ended = append(x.ended, root)
	if len(x.ended) < 2*x.after {
		return
	}
	old := map[int64]bool{}
	for _, id := range x.ended[:x.after] {
		old[id] = true
	}
	x.ended = append(x.ended[:0], x.ended[x.after:]...)
	x.foldAll(func(e *execution) bool { return old[e.root] })
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
			delete(x.executions, e.id)
		}
		delete(x.made, t.root)
		delete(x.tops, t.root)
	}
	x.meter.forget(x.settled)
	over := func(_, execution int64) bool { return x.settled[execution] }
	maps.DeleteFunc(x.stages, over)
	maps.DeleteFunc(x.jobs, over)
}

// forget drops what was measured for executions that are settled.
func (m *meter) forget(settled map[int64]bool) {
	for _, values := range []map[reading]int64{m.values, m.early} {
		maps.DeleteFunc(values, func(r reading, _ int64) bool { return settled[r.execution] })
	}
}

// unwant drops the metrics of scans. A later plan that shows them again asks for them again.
func (m *meter) unwant(scans []foundScan) {
	for _, s := range scans {
		for _, id := range []int64{s.metrics.files, s.metrics.bytes, s.metrics.rows} {
			delete(m.wanted, id)
		}
	}
}
