package merge

import (
	"fmt"
	"slices"

	"ajlo/job/table"
)

// Request is one merge. Columns are named as the table spells them, or in other case where that
// leaves no doubt.
type Request struct {
	Table    table.Name     `json:"table"`
	Location table.Location `json:"location"`
	// Source is the path or URL of a Delta table's folder, a folder of Parquet files, a Parquet
	// file (.parquet) or a CSV file (.csv).
	Source string `json:"source"`
	// Query is what made the source's files, where a query did: then they need not be there yet.
	Query string `json:"source_sql,omitempty"`
	// Map are columns of the table that are called otherwise in the source.
	Map []Rename `json:"map,omitempty"`
	// On are the columns that are equal in rows that match.
	On []table.Column `json:"on"`
	// Condition is what rows that match have to meet, too: SQL as in Clause, or "".
	Condition string `json:"condition,omitempty"`
	// Matched is what becomes of rows of the table that match: Update or Delete. What meets no
	// clause stays as it is.
	Matched []Clause `json:"when_matched,omitempty"`
	// NotMatched is what becomes of rows of the source that match nothing: Insert. Conditions are
	// over s only.
	NotMatched []Clause `json:"when_not_matched,omitempty"`
	// NotMatchedBySource is what becomes of rows of the table that match nothing: Delete, or
	// Update by literals. Conditions are over t only.
	NotMatchedBySource []Clause `json:"when_not_matched_by_source,omitempty"`
	// Evolve gives the table the columns of the source that it lacks, in the same commit.
	Evolve bool `json:"evolve,omitempty"`
	// Write is how rows leave their files; Auto where empty.
	Write Write `json:"write"`
}

// Write is how rows leave their files.
type Write string

// The ways. Copy writes each touched file anew. Vectors marks rows in a deletion vector and writes
// updated ones apart; files of which too many rows go are written anew. Auto marks where rows of a
// file are only deleted, few of them, and the table takes vectors; updated rows keep their place.
const (
	Auto    Write = "auto"
	Copy    Write = "copy"
	Vectors Write = "dv"
)

// ParseWrite reads "auto", "copy" or "dv".
func ParseWrite(text string) (Write, error) {
	switch w := Write(text); w {
	case Auto, Copy, Vectors:
		return w, nil
	}
	return Auto, fmt.Errorf("%q: want %s, %s or %s", text, Auto, Copy, Vectors)
}

// Check says what is missing of a request before any table is looked at.
func (r Request) Check() error {
	switch {
	case r.Location == "" || r.Source == "" && r.Query == "":
		return fmt.Errorf("a merge wants a table and a source")
	case len(r.On) == 0:
		return fmt.Errorf("a merge wants columns to match by")
	case len(r.Matched)+len(r.NotMatched)+len(r.NotMatchedBySource) == 0:
		return fmt.Errorf("there is nothing to do: say what becomes of rows that match, or of those that do not")
	}
	for _, clauses := range [][]Clause{r.Matched, r.NotMatched, r.NotMatchedBySource} {
		for _, c := range clauses[:max(len(clauses)-1, 0)] {
			if c.Condition == "" {
				return fmt.Errorf("%s without a condition leaves nothing to the clauses after it: put it last", c.Action)
			}
		}
	}
	if _, err := r.parse(); err != nil {
		return err
	}
	return nil
}

// alters reports whether rows of the table may be changed or deleted.
func (r Request) alters() bool { return len(r.Matched)+len(r.NotMatchedBySource) > 0 }

// unambiguous reports whether several rows of the source may match one row of the table, as Delta
// 4.0 has it: whether that row is deleted in any case, or left alone.
func (r Request) unambiguous() bool {
	return len(r.Matched) == 0 || len(r.Matched) == 1 && r.Matched[0].Action == Delete && r.Matched[0].Condition == ""
}

// clauses are all of them, in the order in which rules are numbered.
func (r Request) clauses() []Clause {
	return slices.Concat(r.Matched, r.NotMatched, r.NotMatchedBySource)
}
