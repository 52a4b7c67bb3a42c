package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"ajlo/job/fact"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// Reach is what reaches scans at run time beside their own predicates: the values of a join key
// that the other side's predicates leave. The zero value is nothing.
type Reach struct {
	arrivals map[scanPlace][]arrival
}

// scanPlace is one scan of one execution.
type scanPlace struct {
	app       string
	execution int64
	scan      int // of the query's scans
}

// arrival is a filter that reaches a scan at run time.
type arrival struct {
	column table.Column // of the table that is scanned
	from   table.Ref    // where the values are found
	reader prune.Reader
	// values is what is left, as a predicate on column; nil where that is not known, and why.
	values  *predicate.Predicate
	unknown string
	// files is true where it leaves files unread whatever the column, false where only whole
	// partitions.
	files bool
}

// applies reports whether it leaves files of a table unread that is partitioned so.
func (a arrival) applies(partition []table.Column) bool {
	return a.values != nil && (a.files || slices.Contains(partition, a.column))
}

// id tells arrivals apart that would not leave the same files unread.
func (a arrival) id() (string, error) {
	text, err := json.Marshal(a.values)
	if err != nil {
		return "", fmt.Errorf("plan: values of %s: %w", a.from, err)
	}
	return fmt.Sprintf("%s %s %s %t %s", a.column, a.from, a.reader, a.files, text), nil
}

// NewReach works out what reaches the scans of succeeded queries through their joins. The
// tables must hold the samples that Columns asked for.
func NewReach(in Input) Reach {
	r := Reach{arrivals: map[scanPlace][]arrival{}}
	left := survivors{in: in, known: map[string]survival{}}
	for _, q := range in.Queries {
		if q.Status != fact.Succeeded {
			continue
		}
		for i := range q.Scans {
			if found := left.arrivals(q, i); len(found) > 0 {
				r.arrivals[scanPlace{q.App, q.Execution, i}] = found
			}
		}
	}
	return r
}

func (r Reach) of(q fact.Query, scan int) []arrival {
	return r.arrivals[scanPlace{q.App, q.Execution, scan}]
}

// reader is the engine that ran an application.
func (in Input) reader(app string) prune.Reader {
	if in.Readers == nil {
		return prune.OSSSpark
	}
	return in.Readers(app)
}

// link is a key of a join as one of its sides sees it.
type link struct {
	own, other table.Ref
	join       fact.Join
	side       fact.Side // that own is on
}

// links are the keys by which a query joins a table that it knows by the name.
func links(q fact.Query, name table.Name) (list []link) {
	for _, j := range q.Joins {
		if len(j.Expression) > 0 { // which of the keys is an expression is not said
			continue
		}
		for i := range j.Left {
			if j.Left[i].Table == name {
				list = append(list, link{j.Left[i], j.Right[i], j, fact.LeftSide})
			}
			if j.Right[i].Table == name {
				list = append(list, link{j.Right[i], j.Left[i], j, fact.RightSide})
			}
		}
	}
	return list
}

// drops reports whether the join drops rows of own's side for want of a partner, so that a
// reader may leave them unread.
func (l link) drops() bool {
	switch l.join.Type {
	case fact.Inner, fact.LeftSemi:
		return true
	case fact.LeftOuter:
		return l.side == fact.RightSide
	case fact.RightOuter:
		return l.side == fact.LeftSide
	}
	return false
}

// sends reports whether the reader works out the other side's values before it reads own: most
// need that side sent to all tasks.
func (l link) sends(by prune.Reader) bool {
	if !by.NeedsBroadcast() {
		return l.join.Strategy != fact.NoStrategy && l.join.Strategy != fact.BroadcastNestedLoopJoin
	}
	return l.join.Strategy == fact.BroadcastHashJoin && l.join.Build != l.side
}

// selective reports whether a predicate compares a column with a literal in any way: Spark
// works no values out for a side that is whole.
func selective(p *predicate.Predicate) bool {
	found := false
	p.Columns(func(_ table.Column, op predicate.Op) bool {
		found = found || op != predicate.IsNull && op != predicate.NotNull
		return !found
	})
	return found
}

// sourcePredicates are those with which a query scans a table, as alternatives; ok is false
// where one scan takes the table whole, or there is none.
func sourcePredicates(q fact.Query, name table.Name) (alternatives []*predicate.Predicate, ok bool) {
	for _, s := range q.Scans {
		if s.Table != name {
			continue
		}
		if !selective(s.Predicate) {
			return nil, false
		}
		alternatives = append(alternatives, s.Predicate)
	}
	return alternatives, len(alternatives) > 0
}

func scansOf(q fact.Query, name table.Name) (n int) {
	for _, s := range q.Scans {
		if s.Table == name {
			n++
		}
	}
	return n
}

// runTimeColumns names the columns of a table whose values a Reach needs: keys and predicates
// of the sides that filter others, and the keys by which the table itself may be filtered in
// any file.
func (in Input) runTimeColumns(t TableInput) (columns []table.Column) {
	add := func(c table.Column) {
		if !slices.Contains(columns, c) && sampleable(t.Snapshot, c) {
			columns = append(columns, c)
		}
	}
	for _, q := range in.Queries {
		if q.Status != fact.Succeeded {
			continue
		}
		by := in.reader(q.App)
		for _, name := range t.Names {
			for _, l := range links(q, name) {
				if l.drops() && l.sends(by) && by.FilesAtRunTime(int64(t.Snapshot.Bytes()), len(t.Snapshot.Files)) {
					add(l.own.Column)
				}
				back := link{own: l.other, other: l.own, join: l.join, side: opposite(l.side)}
				alternatives, ok := sourcePredicates(q, name)
				if !ok || !back.drops() {
					continue
				}
				add(l.own.Column)
				for _, p := range alternatives {
					p.Columns(func(c table.Column, _ predicate.Op) bool { add(c); return true })
				}
			}
		}
	}
	return columns
}

func opposite(s fact.Side) fact.Side {
	if s == fact.LeftSide {
		return fact.RightSide
	}
	return fact.LeftSide
}
