package merge

import (
	"fmt"
	"slices"
	"strings"

	"ajlo/job/table"
)

// Action is what becomes of a row.
type Action string

// The actions. Keep leaves a row of the table as it is, and a row of the source out.
const (
	Keep   Action = "keep"
	Update Action = "update"
	Delete Action = "delete"
	Insert Action = "insert"
)

// Request is one merge. Columns are named as the table spells them, or in other case where that
// leaves no doubt.
type Request struct {
	Table    table.Name     `json:"table"`
	Location table.Location `json:"location"`
	// Source is the path or URL of a Delta table's folder, a folder of Parquet files, a Parquet
	// file (.parquet) or a CSV file (.csv).
	Source string `json:"source"`
	// On are the columns that are equal in rows that match.
	On []table.Column `json:"on"`
	// Matched is what becomes of rows of the table that match: Keep, Update or Delete.
	Matched Action `json:"when_matched"`
	// Set are the columns that Update sets; all where empty.
	Set []table.Column `json:"set,omitempty"`
	// NotMatched is what becomes of rows of the source that match nothing: Keep or Insert.
	NotMatched Action `json:"when_not_matched"`
	// NotMatchedBySource is what becomes of rows of the table that match nothing: Keep or Delete.
	NotMatchedBySource Action `json:"when_not_matched_by_source"`
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

// ParseMatched reads "update", "update:a,b", "delete", or "" for Keep.
func ParseMatched(text string) (Action, []table.Column, error) {
	word, list, listed := strings.Cut(text, ":")
	action, err := parseAction(word, Update, Delete)
	if err != nil || !listed {
		return action, nil, err
	}
	columns := ParseColumns(list)
	if action != Update || len(columns) == 0 {
		return Keep, nil, fmt.Errorf("%q: want update:COLUMN,COLUMN", text)
	}
	return action, columns, nil
}

// ParseNotMatched reads "insert", or "" for Keep.
func ParseNotMatched(text string) (Action, error) { return parseAction(text, Insert) }

// ParseNotMatchedBySource reads "delete", or "" for Keep.
func ParseNotMatchedBySource(text string) (Action, error) { return parseAction(text, Delete) }

func parseAction(text string, known ...Action) (Action, error) {
	if text == "" {
		return Keep, nil
	}
	if slices.Contains(known, Action(text)) {
		return Action(text), nil
	}
	words := make([]string, len(known))
	for i, a := range known {
		words[i] = string(a)
	}
	return Keep, fmt.Errorf("%q: want %s", text, strings.Join(words, " or "))
}

// ParseColumns reads names with commas between them.
func ParseColumns(list string) (columns []table.Column) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			columns = append(columns, table.Column(name))
		}
	}
	return columns
}

// Check says what is missing of a request before any table is looked at.
func (r Request) Check() error {
	switch {
	case r.Location == "" || r.Source == "":
		return fmt.Errorf("a merge wants a table and a source")
	case len(r.On) == 0:
		return fmt.Errorf("a merge wants columns to match by")
	case r.Matched == Keep && r.NotMatched == Keep && r.NotMatchedBySource == Keep:
		return fmt.Errorf("there is nothing to do: say what becomes of rows that match, or of those that do not")
	}
	return nil
}

// alters reports whether rows of the table may be changed or deleted.
func (r Request) alters() bool { return r.Matched != Keep || r.NotMatchedBySource != Keep }
