package delta

import (
	"encoding/json"
	"fmt"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// statistics is the JSON inside an add action. Struct columns nest; ajlo reads the bounds of
// top-level columns only.
type statistics struct {
	NumRecords  *int64                     `json:"numRecords"`
	MinValues   map[string]json.RawMessage `json:"minValues"`
	MaxValues   map[string]json.RawMessage `json:"maxValues"`
	NullCount   map[string]json.RawMessage `json:"nullCount"`
	TightBounds *bool                      `json:"tightBounds"`
}

// ParseStats reads an add action's statistics: the number of rows in the file (deleted ones
// included), −1 where not given, and the bounds of each top-level column that has some.
// Empty text is no statistics. Values that do not fit the column's type, and decimals of
// more than 18 digits, are unknown bounds; text that is no JSON object is an error.
//
// Timestamps are logged cut to milliseconds, so the greatest value may lie up to 999 µs above
// the logged one: Max is one millisecond more, which is also how Spark reads it. Strings are
// logged cut to 32 characters: a cut minimum is a prefix, a cut maximum ends in U+007F or
// U+10FFFF, greater than what was cut off.
func ParseStats(text string, schema Schema) (rows int64, bounds map[table.Column]prune.Bounds, err error) {
	if text == "" {
		return -1, nil, nil
	}
	var s statistics
	if err := decodeWhole([]byte(text), &s); err != nil {
		return -1, nil, fmt.Errorf("parse file statistics: %w", err)
	}
	rows = -1
	if s.NumRecords != nil && *s.NumRecords >= 0 {
		rows = *s.NumRecords
	}
	bounds = make(map[table.Column]prune.Bounds, len(schema))
	for _, f := range schema {
		if b, ok := s.column(f, rows); ok {
			bounds[table.Column(f.Name)] = b
		}
	}
	return rows, bounds, nil
}

// column gives the bounds of one column; ok is false where nothing is known of it.
func (s statistics) column(f Field, rows int64) (b prune.Bounds, ok bool) {
	name := f.Physical()
	b = prune.Bounds{
		Min:   bound(s.MinValues[name], f.Type),
		Max:   bound(s.MaxValues[name], f.Type),
		Nulls: s.nulls(name, rows),
		Rows:  rows,
	}
	if b.Max.Kind == predicate.Timestamp || b.Max.Kind == predicate.LocalTime {
		b.Max.I += microsPerMilli
	}
	return b, !b.Min.IsNull() || !b.Max.IsNull() || b.Nulls >= 0
}

// nulls is a column's number of NULLs, −1 where not known. With wide bounds (after deletes
// by vector) only "none" and "all" still hold.
func (s statistics) nulls(name string, rows int64) int64 {
	var n int64
	if err := json.Unmarshal(s.NullCount[name], &n); err != nil || n < 0 {
		return -1
	}
	if s.TightBounds != nil && !*s.TightBounds && n != 0 && n != rows {
		return -1
	}
	return n
}

// bound reads one value; the zero Value where it is missing or not of the column's type.
func bound(raw json.RawMessage, t Type) predicate.Value {
	if len(raw) == 0 {
		return predicate.Value{}
	}
	text := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return predicate.Value{}
		}
	}
	v, err := ParseValue(text, t)
	if err != nil {
		return predicate.Value{}
	}
	return v
}

const microsPerMilli = 1_000
