package lake

import (
	"slices"
	"time"

	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Format is a table format.
type Format string

// The formats.
const (
	Delta   Format = "delta"
	Iceberg Format = "iceberg"
)

// Column is one top-level column of a table.
type Column struct {
	Name table.Column `json:"name"`
	// Type is the format's own spelling of a primitive type ("long", "decimal(15,2)",
	// "timestamp_ntz"), or "struct", "array", "map".
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
	// Physical is the column's name inside data files, empty where it is Name.
	Physical string `json:"physical,omitempty"`
	// ID is the number by which data files of an Iceberg table tell the column from others,
	// whatever it is called by now; 0 elsewhere.
	ID int32 `json:"-"`
}

// Protocol is what a reader or writer has to know of a Delta table.
type Protocol struct {
	MinReader      int      `json:"min_reader"`
	MinWriter      int      `json:"min_writer"`
	ReaderFeatures []string `json:"reader_features,omitempty"`
	WriterFeatures []string `json:"writer_features,omitempty"`
}

// Part is one field of an Iceberg table's partitioning. The bounds of a file hold its value
// under Name: days and dates as dates, months, years and hours as whole numbers since 1970.
type Part struct {
	Name      table.Column // as SQL writes it: kind, or day(started)
	Source    table.Column
	Transform string // as the specification spells it: identity, day, bucket[16]
}

// File is one live data file. Path is relative to the table's location, decoded.
type File struct {
	Path   string                        `json:"path"`
	Bytes  unit.Bytes                    `json:"bytes"`
	Rows   int64                         `json:"rows"` // −1 where the format does not say
	Bounds map[table.Column]prune.Bounds `json:"-"`
	// Cube is the clustering unit that a Delta file belongs to: OPTIMIZE leaves files of full
	// cubes alone. Empty for a file that no engine has clustered.
	Cube string `json:"-"`
	// Laid is true for a file that was written in the table's layout; files that came in since
	// are not.
	Laid bool `json:"-"`
}

// Snapshot is one version of one table.
type Snapshot struct {
	Table      table.Name     `json:"table"`
	Location   table.Location `json:"location"`
	Format     Format         `json:"format"`
	Version    int64          `json:"version"`
	Columns    []Column       `json:"columns"`
	SchemaHash string         `json:"schema_hash"`
	Protocol   Protocol       `json:"protocol"`
	Owner      string         `json:"owner"` // who set the keys: "none", "us", "user", "platform"
	Layout     layout.Layout  `json:"layout"`
	// Parts are the partition columns of an Iceberg table as Layout.Partition has them, with what
	// they are made of.
	Parts      []Part            `json:"-"`
	Properties map[string]string `json:"properties,omitempty"`
	Files      []File            `json:"-"`
	// Declared is true where the keys stand in the table itself, so that every OPTIMIZE of
	// Spark's goes by them.
	Declared bool `json:"declared,omitempty"`
	// Streamed is when a streaming writer last committed, zero where none is known.
	Streamed time.Time `json:"streamed,omitzero"`
}

// Bytes is the size of all live files.
func (s Snapshot) Bytes() (total unit.Bytes) {
	for _, f := range s.Files {
		total += f.Bytes
	}
	return total
}

// Rows is the number of live rows; ok is false where a file does not say.
func (s Snapshot) Rows() (total int64, ok bool) {
	for _, f := range s.Files {
		if f.Rows < 0 {
			return 0, false
		}
		total += f.Rows
	}
	return total, true
}

// Sample is some rows of a table, column by column, drawn evenly over its files. The same
// table version gives the same sample.
type Sample struct {
	Columns []table.Column
	// Values[i] holds column i of every sampled row; all have the same length.
	Values [][]predicate.Value
	// Population is the number of rows the sample stands for.
	Population int64
}

// Column finds a column by its name.
func (s Snapshot) Column(name table.Column) (c Column, ok bool) {
	at := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		return Column{}, false
	}
	return s.Columns[at], true
}

// Distinct is how many values a column has in the sample; ok is false where they are more than
// most, or the column was not sampled.
func (s Sample) Distinct(c table.Column, most int) (n int, ok bool) {
	at := slices.Index(s.Columns, c)
	if at < 0 {
		return 0, false
	}
	seen := map[predicate.Value]bool{}
	for _, v := range s.Values[at] {
		seen[v] = true
		if len(seen) > most {
			return 0, false
		}
	}
	return len(seen), true
}

// Len is the number of sampled rows.
func (s Sample) Len() int {
	if len(s.Values) == 0 {
		return 0
	}
	return len(s.Values[0])
}
