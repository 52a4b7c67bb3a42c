package merge

import (
	"fmt"
)

// decision is what the merge does to rows. It follows from the request, the source's index and the
// matches alone.
type decision struct {
	touched  []matches // files that are written anew
	inserted []int32   // rows of the source
	counts   Counts
}

// Counts are rows.
type Counts struct {
	Source   int64 `json:"source"`
	Matched  int64 `json:"matched"` // of the table
	Updated  int64 `json:"updated"`
	Inserted int64 `json:"inserted"`
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
// is *Ambiguous where it is to be updated; deleted is deleted.
func decide(r Request, x *index, found []matches) (decision, error) {
	d := decision{counts: Counts{Source: int64(len(x.group))}}
	matched := make([]bool, x.groups())
	for _, f := range found {
		for _, g := range f.groups {
			matched[g] = true
			if r.Matched == Update && x.size[g] > 1 {
				return decision{}, x.ambiguous(g)
			}
		}
		d.take(r, f)
	}
	if r.NotMatched == Insert {
		for row, g := range x.group {
			if g == noGroup || !matched[g] {
				d.inserted = append(d.inserted, int32(row))
			}
		}
	}
	d.counts.Inserted = int64(len(d.inserted))
	return d, nil
}

func (x *index) ambiguous(g int32) error {
	a := &Ambiguous{First: int(x.first[g]) + 1}
	for row := int(x.first[g]) + 1; row < len(x.group); row++ {
		if x.group[row] == g {
			a.Second = row + 1
			break
		}
	}
	return a
}

// take counts a file's rows.
func (d *decision) take(r Request, f matches) {
	hits := int64(len(f.groups))
	others := f.rows - hits
	d.counts.Matched += hits
	changed := int64(0)
	switch r.Matched {
	case Update:
		d.counts.Updated += hits
		changed += hits
	case Delete:
		d.counts.Deleted += hits
		changed += hits
	}
	if r.NotMatchedBySource == Delete {
		d.counts.DeletedUnmatched += others
		changed += others
	}
	if changed > 0 {
		d.touched = append(d.touched, f)
		d.counts.Copied += f.rows - changed
	}
}

// used calls do with every row of the source whose values go into the table.
func (d decision) used(r Request, x *index, do func(row int32)) {
	if r.Matched == Update {
		for _, f := range d.touched {
			for _, g := range f.groups {
				do(x.first[g])
			}
		}
	}
	for _, row := range d.inserted {
		do(row)
	}
}

// checkNulls refuses NULL for columns that have none.
func (d decision) checkNulls(r Request, t *target, s *source) error {
	for c, f := range t.schema {
		if f.Nullable || !t.set[c] && r.NotMatched != Insert {
			continue
		}
		bad := int32(-1)
		chunks := s.column(c)
		updates := r
		if !t.set[c] {
			updates.Matched = Keep // updates leave this column as it is
		}
		d.used(updates, &s.index, func(row int32) {
			if at := s.rows[row]; bad < 0 && chunks[at.Chunk].IsNull(int(at.Row)) {
				bad = row
			}
		})
		if bad >= 0 {
			return r.refuse("row %d of the source has no value for column %s, which is NOT NULL", bad+1, f.Name)
		}
	}
	return nil
}
