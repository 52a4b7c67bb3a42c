package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// maxSpans bounds the pieces that surviving values are written in: every one is held against
// every file. Values in one run, such as the days of a month, are one piece.
const maxSpans = 100

// survivors works out which values of a key the predicates on its table leave.
type survivors struct {
	in    Input
	known map[string]survival
}

// survival is what is left: pieces in rising order, or why that is not known.
type survival struct {
	spans   []span
	unknown string
}

// span is the values from the first to the last; equal for one value.
type span struct{ first, last predicate.Value }

// arrivals are those that reach one scan of a query.
func (s survivors) arrivals(q fact.Query, scan int) (list []arrival) {
	at := q.Scans[scan]
	t, ok := s.in.tableOf(at.Table)
	if !ok {
		return nil
	}
	by := s.in.reader(q.App)
	for _, l := range links(q, at.Table) {
		alternatives, filtered := sourcePredicates(q, l.other.Table)
		shown := slices.Contains(at.RunTime, l.own.Column)
		if !filtered || l.other.Table == at.Table || !l.drops() || !shown && !l.sends(by) {
			continue
		}
		a := arrival{
			column: l.own.Column, from: l.other, reader: by,
			files: by.FilesAtRunTime(int64(t.Snapshot.Bytes()), len(t.Snapshot.Files)),
		}
		a.unknown = s.doubt(q, at, t, a)
		if a.unknown == "" {
			left := s.left(l.other, alternatives)
			a.values, a.unknown = left.on(a.column), left.unknown
		}
		if !slices.ContainsFunc(list, func(o arrival) bool { return o.column == a.column && o.from == a.from }) {
			list = append(list, a)
		}
	}
	return list
}

// doubt says why a filter may not have reached this scan; empty where it did. Of a partition
// column Spark's plan shows it; else it is told from the join, where only one scan can be meant.
func (s survivors) doubt(q fact.Query, at fact.Scan, t TableInput, a arrival) string {
	shown := slices.Contains(at.RunTime, a.column)
	switch {
	case shown:
		return ""
	case slices.Contains(t.Snapshot.Layout.Partition, a.column) && a.reader.NeedsBroadcast():
		return "its plan shows no pruning of partitions by it"
	case scansOf(q, at.Table) > 1:
		return "the query scans the table more than once, and which scan the join reads is not known"
	}
	return ""
}

// tableOf finds a table by a name that facts know it by.
func (in Input) tableOf(name table.Name) (TableInput, bool) {
	for _, t := range in.Tables {
		if t.scannedAs(name) {
			return t, true
		}
	}
	return TableInput{}, false
}

// left is what the predicates leave of a key's values.
func (s survivors) left(key table.Ref, alternatives []*predicate.Predicate) survival {
	id, err := json.Marshal([]any{key, alternatives})
	if err != nil {
		return survival{unknown: err.Error()}
	}
	known, ok := s.known[string(id)]
	if !ok {
		known = s.work(key, alternatives)
		s.known[string(id)] = known
	}
	return known
}

func (s survivors) work(key table.Ref, alternatives []*predicate.Predicate) survival {
	t, ok := s.in.tableOf(key.Table)
	column := slices.Index(t.Sample.Columns, key.Column)
	switch {
	case s.in.Sketched:
		return survival{unknown: fmt.Sprintf("the values of %s may not be read", key)}
	case !ok || column < 0 || t.Sample.Len() == 0:
		return survival{unknown: fmt.Sprintf("the values of %s were not sampled", key)}
	case int64(t.Sample.Len()) < t.Sample.Population:
		return survival{unknown: fmt.Sprintf("only %d of %d rows of %s were sampled, too few to tell which values are left", t.Sample.Len(), t.Sample.Population, key.Table)}
	}
	if rows, known := t.Snapshot.Rows(); known && t.Sample.Population < rows {
		return survival{unknown: fmt.Sprintf("only closed partitions of %s were sampled", key.Table)}
	}
	values := t.Sample.Values[column]
	left := map[predicate.Value]bool{}
	for row, v := range values {
		if !v.IsNull() {
			left[v] = left[v] || passes(t.Sample, row, alternatives)
		}
	}
	spans := runsOf(left)
	if len(spans) == 0 {
		return survival{unknown: fmt.Sprintf("the predicates on %s leave none of its rows", key.Table)}
	}
	return survival{spans: spans}
}

// passes reports whether a sampled row may meet one of the predicates: a row is a file of one.
func passes(s lake.Sample, row int, alternatives []*predicate.Predicate) bool {
	bounds := func(c table.Column) (prune.Bounds, bool) {
		at := slices.Index(s.Columns, c)
		if at < 0 {
			return prune.Bounds{}, false
		}
		v := s.Values[at][row]
		b := prune.Bounds{Min: v, Max: v, Rows: 1}
		if v.IsNull() {
			b.Nulls = 1
		}
		return b, true
	}
	return slices.ContainsFunc(alternatives, func(p *predicate.Predicate) bool { return prune.MayMatch(p, bounds) })
}

// runsOf writes the values that are left as runs between those that are not, in at most
// maxSpans pieces.
func runsOf(left map[predicate.Value]bool) (spans []span) {
	sorted := make([]predicate.Value, 0, len(left))
	for v := range left {
		sorted = append(sorted, v)
	}
	slices.SortFunc(sorted, predicate.Order)
	inside := false
	for _, v := range sorted {
		switch {
		case left[v] && inside:
			spans[len(spans)-1].last = v
		case left[v]:
			spans = append(spans, span{v, v})
		}
		inside = left[v]
	}
	return coarser(spans)
}

// coarser joins neighbours until there are few enough; what is left then is a little more than
// it was.
func coarser(spans []span) []span {
	each := (len(spans) + maxSpans - 1) / maxSpans
	if each <= 1 {
		return spans
	}
	var joined []span
	for part := range slices.Chunk(spans, each) {
		joined = append(joined, span{part[0].first, part[len(part)-1].last})
	}
	return joined
}

// on is the survival as a predicate on a column; nil where it is not known.
func (s survival) on(column table.Column) *predicate.Predicate {
	var pieces []predicate.Predicate
	var single []predicate.Value
	for _, p := range s.spans {
		if order, ok := predicate.Compare(p.first, p.last); ok && order == 0 {
			single = append(single, p.first)
			continue
		}
		pieces = append(pieces, predicate.Predicate{Op: predicate.And, Args: []predicate.Predicate{
			{Op: predicate.Ge, Column: column, Values: []predicate.Value{p.first}},
			{Op: predicate.Le, Column: column, Values: []predicate.Value{p.last}},
		}})
	}
	if len(single) > 0 {
		pieces = append(pieces, predicate.Predicate{Op: predicate.In, Column: column, Values: single})
	}
	switch len(pieces) {
	case 0:
		return nil
	case 1:
		return &pieces[0]
	}
	return &predicate.Predicate{Op: predicate.Or, Args: pieces}
}
