package merge

import (
	"fmt"
	"slices"

	"ajlo/job/merge/condition"
	"ajlo/job/table"
)

// want is a column of the source. Its slot is where it stands in the source's rows: that of the
// table's column that it is for, in its type; columns that are for none come after those, as the
// source has them.
type want struct {
	slot int
	name string
}

// wanted are the columns that are wanted of the source.
func (t *target) wanted(r Request) (wanted []want, err error) {
	taken, err := t.taken(r)
	if err != nil {
		return nil, err
	}
	names, err := t.sourceNames(r)
	if err != nil {
		return nil, err
	}
	for column, name := range names {
		if taken[column] {
			wanted = append(wanted, want{column, name})
		}
	}
	p, err := r.parse()
	if err != nil {
		return nil, err
	}
	next := len(t.schema)
	for _, c := range p.columns {
		if c.Side == condition.Source && !slices.ContainsFunc(wanted, func(w want) bool { return w.name == c.Name }) {
			wanted, next = append(wanted, want{next, c.Name}), next+1
		}
	}
	return wanted, nil
}

// taken says of each column of the table whether rows are matched by it or a clause gives it the
// source's value.
func (t *target) taken(r Request) ([]bool, error) {
	taken := make([]bool, len(t.schema))
	for _, c := range t.on {
		taken[c] = true
	}
	for _, clause := range r.clauses() {
		for c := range taken {
			taken[c] = taken[c] || clause.Action != Delete && len(clause.Set) == 0 && t.has(c)
		}
		for _, a := range clause.Set {
			c, err := columnNamed(t.schema, string(a.Column))
			if err != nil {
				return nil, err
			}
			taken[c] = taken[c] || a.Value == ""
		}
	}
	return taken, nil
}

// has reports whether the source has a column of the table, as far as is known before it is read.
func (t *target) has(column int) bool { return t.lacking == nil || !t.lacking[column] }

// sourceNames are what the table's columns are called in the source.
func (t *target) sourceNames(r Request) ([]string, error) {
	names := make([]string, len(t.schema))
	for c, f := range t.schema {
		names[c] = f.Name
	}
	var columns []table.Column
	for _, m := range r.Map {
		columns = append(columns, m.Column)
	}
	mapped, err := t.columns(r, columns)
	for i, c := range mapped {
		names[c] = r.Map[i].Source
	}
	return names, err
}

// slots is how many there are.
func (t *target) slots() int {
	slots := len(t.schema)
	for _, w := range t.want {
		slots = max(slots, w.slot+1)
	}
	return slots
}

// slotOf is where a column of the source stands that a condition or a value names.
func (t *target) slotOf(name string) int {
	for _, w := range t.want {
		if w.name == name {
			return w.slot
		}
	}
	panic(fmt.Sprintf("merge: column %s of the source was not asked for", name))
}
