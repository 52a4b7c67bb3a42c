package plan

import (
	"fmt"
	"slices"

	"ajlo/job/fact"
	"ajlo/job/lake"
)

// missing says what a table's decision was made without.
func (in Input) missing(w weighed) []string {
	list := []string{}
	add := func(n int, format string, args ...any) {
		if n > 0 {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	lost, cut, unmeasured := in.lostOf(w.input)
	add(lost, "%d predicates of %d queries that read it were cut off in the logs: what they would leave unread is not counted", lost, cut)
	add(unmeasured, "%d scans of it have no metrics in the logs", unmeasured)
	bare := len(places(w.input.Snapshot, func(f lake.File) bool { return len(f.Bounds) == 0 }))
	add(bare, "%d of %d files have no statistics: every query reads them", bare, len(w.input.Snapshot.Files))
	s := w.input.Sample
	if n := int64(s.Len()); n > 0 && n < s.Population {
		add(1, "layouts were simulated on %d of %d rows", n, s.Population)
	}
	for _, c := range w.table.Candidates {
		if c.Refused {
			add(1, "%s was not weighed: %s", c.Layout, c.Reason)
		}
	}
	return list
}

// lostOf counts the predicates lost in queries that read the table, those queries, and the
// table's scans without metrics.
func (in Input) lostOf(t TableInput) (lost, queries, unmeasured int) {
	for _, q := range in.Queries {
		reads := slices.ContainsFunc(q.Scans, func(s fact.Scan) bool { return t.scannedAs(s.Table) })
		if reads && q.Lost.Predicates > 0 {
			lost, queries = lost+q.Lost.Predicates, queries+1
		}
		for _, s := range q.Scans {
			if t.scannedAs(s.Table) && !s.Measured {
				unmeasured++
			}
		}
	}
	return lost, queries, unmeasured
}

// tellBest writes into every class what it would read under the layout that is best for it
// alone, and which that is.
func (w *weighed) tellBest() {
	for i := range w.table.Queries {
		w.table.Queries[i].Best, w.table.Queries[i].BestCandidate = w.table.Queries[i].Now, 0
	}
	for candidate := range w.table.Candidates {
		then, ok := w.then[candidate]
		if !ok {
			continue
		}
		for i, c := range w.what.classes(then) {
			if q := &w.table.Queries[i]; c.Then < q.Best {
				q.Best, q.BestCandidate = c.Then, candidate
			}
		}
	}
}
