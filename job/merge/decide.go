package merge

import (
	"fmt"

	"ajlo/job/merge/condition"
)

// decision is what the merge does to rows. It follows from the rules, the source's index and the
// matches alone.
type decision struct {
	touched  []matches   // files with rows that change
	inserted []insertion // rows of the source
	counts   Counts
}

// insertion is a row of the source that goes into the table by a rule.
type insertion struct {
	row  int32
	rule int32
}

// Counts are rows.
type Counts struct {
	Source  int64 `json:"source"`
	Matched int64 `json:"matched"` // of the table
	// Updated counts those that matched, UpdatedUnmatched those that matched nothing.
	Updated          int64 `json:"updated"`
	UpdatedUnmatched int64 `json:"updated_unmatched"`
	Inserted         int64 `json:"inserted"`
	// Deleted counts those that matched, DeletedUnmatched those that matched nothing.
	Deleted          int64 `json:"deleted"`
	DeletedUnmatched int64 `json:"deleted_unmatched"`
	// Placed are those of the inserted rows that touched files take in.
	Placed int64 `json:"placed"`
	// Copied are rows of the touched files that stay as they are, Joined those of small files of
	// earlier merges that are written anew with the inserted ones.
	Copied int64 `json:"copied"`
	Joined int64 `json:"joined"`
}

// grows is by how many rows the table grows.
func (c Counts) grows() int64 { return c.Inserted - c.Deleted - c.DeletedUnmatched }

// Ambiguous is an update of one row of the table by several rows of the source.
type Ambiguous struct{ First, Second int } // rows of the source, counted from 1

func (a *Ambiguous) Error() string {
	return fmt.Sprintf("rows %d and %d of the source match one row of the table, which only one of them may update: leave one row for each key in the source", a.First, a.Second)
}

// decide says what becomes of every row. A row of the table that several rows of the source match
// is *Ambiguous where it may be updated; deleted is deleted.
func (d *decided) decide(found []matches, hit []uint32) error {
	d.decision = decision{counts: Counts{Source: int64(d.source.count())}}
	for _, f := range found {
		if f.ambiguous != nil {
			return f.ambiguous
		}
		d.take(f)
	}
	return d.insert(hit)
}

// insert finds the rows of the source that go into the table.
func (d *decided) insert(hit []uint32) error {
	if hit == nil {
		return nil
	}
	for row := range int32(d.source.count()) {
		if hit[row/32]&(1<<(row%32)) != 0 {
			continue
		}
		rule, err := d.rules.first(d.rules.matched, d.rules.inserts, condition.Row{}, d.source.row(row))
		if err != nil {
			return err
		}
		if rule != none {
			d.decision.inserted = append(d.decision.inserted, insertion{row, int32(rule)})
		}
	}
	d.decision.counts.Inserted = int64(len(d.decision.inserted))
	return nil
}

// take counts a file's rows.
func (d *decided) take(f matches) {
	n := &d.decision.counts
	n.Matched += f.hits
	f.count(d.rules, func(rule int, rows int64) {
		switch matched := rule < d.rules.matched; {
		case d.rules.all[rule].Action == Update && matched:
			n.Updated += rows
		case d.rules.all[rule].Action == Update:
			n.UpdatedUnmatched += rows
		case matched:
			n.Deleted += rows
		default:
			n.DeletedUnmatched += rows
		}
	})
	if changed := f.changed(); changed > 0 {
		d.decision.touched = append(d.decision.touched, f)
		n.Copied += f.rows - changed
	}
}

// checkNulls refuses NULL for columns that have none.
func (d *decided) checkNulls(r Request) error {
	for column, f := range d.target.schema {
		if f.Nullable {
			continue
		}
		for _, made := range d.decision.inserted {
			if err := d.checkNull(r, int(made.rule), column, made.row, false); err != nil {
				return err
			}
		}
		for _, file := range d.decision.touched {
			for i, rule := range file.rule {
				if err := d.checkNull(r, int(rule), column, file.by[i], true); err != nil {
					return err
				}
			}
			for i, places := range file.others {
				if places.IsEmpty() {
					continue
				}
				if err := d.checkNull(r, d.rules.inserts+i, column, noRow, true); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkNull looks at one value that a rule gives. A row that is there keeps what it is not given.
func (d *decided) checkNull(r Request, rule, column int, row int32, there bool) error {
	if d.rules.all[rule].Action == Delete {
		return nil
	}
	values, at := d.rules.of(d.source, rule, column, row)
	name := d.target.schema[column].Name
	switch {
	case values == nil && there || values != nil && !values.IsNull(at):
		return nil
	case row == noRow:
		return r.refuse("%s sets column %s, which is NOT NULL, to NULL", d.rules.all[rule].Action, name)
	}
	return r.refuse("row %d of the source has no value for column %s, which is NOT NULL", row+1, name)
}
