package joingraph

import (
	"cmp"
	"maps"
	"slices"

	"ajlo/job/fact"
	"ajlo/job/window"
)

// Build makes the join graph of the succeeded queries that start in w. rows gives row counts
// from the lake and may be nil, where there is no lake to ask. C is in milliseconds of task
// time. The result does not depend on the order of queries and shares no memory with them.
func Build(w window.Window, queries []fact.Query, rows Rows) Graph {
	queries = succeededIn(w, queries)
	g := Graph{Window: w, Edges: []Edge{}, Unscored: []Edge{}, Queries: len(queries)}
	found := map[EdgeKey]*tally{}
	for _, q := range queries {
		g.TaskMS += q.TaskMS
		g.Keyless += keylessOf(q)
		addQuery(found, q)
	}
	known := cardinalitiesOf(queries, rows)
	for _, key := range slices.Sorted(maps.Keys(found)) {
		t := found[key]
		if t.scored.executions > 0 {
			g.Edges = append(g.Edges, t.edge(key, t.scored, known, g.TaskMS))
		} else {
			g.Unscored = append(g.Unscored, t.edge(key, t.other, known, g.TaskMS))
		}
	}
	Score(g.Edges)
	slices.SortStableFunc(g.Edges, func(a, b Edge) int { return cmp.Compare(b.JIS, a.JIS) })
	return g
}

// HasEvidence reports whether the window has any edge to score. Without one nothing can be
// said about drift: the outcome is no_evidence and the reference is kept.
func (g Graph) HasEvidence() bool { return len(g.Edges) > 0 }

func succeededIn(w window.Window, queries []fact.Query) []fact.Query {
	var out []fact.Query
	for _, q := range queries {
		if q.Status == fact.Succeeded && w.Contains(q.Start) {
			out = append(out, q)
		}
	}
	return out
}

func keylessOf(q fact.Query) (n int) {
	for _, j := range q.Joins {
		if len(j.Left) == 0 {
			n++
		}
	}
	return n
}

// tally gathers what the executions of one edge add up to. Executions in which the edge ran
// in scope of the score are kept apart from those in which it was broadcast or removed.
type tally struct {
	identity
	scored, other spent
}

// spent is the work of some executions, in milliseconds of task time.
type spent struct {
	executions   int64
	taskMS       int64 // of all executions
	measured     int64 // executions whose task time was measured
	measuredMS   int64
	expression   bool
	fingerprints map[string]bool
}

// addQuery counts each edge of q once, however many of its joins it is in.
func addQuery(found map[EdgeKey]*tally, q fact.Query) {
	type seen struct{ scored, expression bool }
	edges := map[EdgeKey]seen{}
	for _, j := range q.Joins {
		for _, id := range identitiesOf(j) {
			key := id.key()
			if found[key] == nil {
				found[key] = &tally{identity: id}
			}
			s := edges[key]
			edges[key] = seen{s.scored || Scores(j.Strategy), s.expression || len(j.Expression) > 0}
		}
	}
	for key, s := range edges {
		if s.scored {
			found[key].scored.add(q, s.expression)
		} else {
			found[key].other.add(q, s.expression)
		}
	}
}

func (s *spent) add(q fact.Query, expression bool) {
	s.executions++
	s.taskMS += q.TaskMS
	if q.TasksMeasured {
		s.measured++
		s.measuredMS += q.TaskMS
	}
	s.expression = s.expression || expression
	if s.fingerprints == nil {
		s.fingerprints = map[string]bool{}
	}
	s.fingerprints[q.Fingerprint] = true
}

// cost is C: the mean task time of the executions that were measured, or of wall time ×
// cores where none was. The two are never averaged together, they differ by idle cores.
func (s spent) cost() (ms float64, source CostSource) {
	if s.measured > 0 {
		return float64(s.measuredMS) / float64(s.measured), FromTasks
	}
	return float64(s.taskMS) / float64(s.executions), FromWall
}

func (t *tally) edge(key EdgeKey, s spent, known cardinalities, windowMS int64) Edge {
	e := Edge{
		Key: key, Left: t.left, Right: t.right, Pairs: t.pairs,
		Self: t.left == t.right, Expression: s.expression, F: s.executions,
		Fingerprint: slices.Sorted(maps.Keys(s.fingerprints)),
	}
	e.D, e.DSource = known.product(t.left, t.right)
	e.C, e.CSource = s.cost()
	if windowMS > 0 {
		e.CostShare = float64(s.taskMS) / float64(windowMS)
	}
	return e
}
