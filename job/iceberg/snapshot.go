package iceberg

import (
	"time"

	"github.com/apache/iceberg-go"

	"ajlo/job/predicate"
)

// Snapshot is the current state of one table.
type Snapshot struct {
	UUID     string
	Location string // as the metadata has it, without a trailing slash
	Metadata string // key of the metadata file that was read
	Format   int    // version of the format, 1 to 3
	// ID is the snapshot's id, 0 for a table that was never written.
	ID         int64
	Time       time.Time // of the snapshot, else of the metadata
	Fields     []Field
	Partition  []Part // of the current partition spec
	Order      []Key  // of the current sort order: what later writes are sorted by
	Properties map[string]string
	Summary    map[string]string // of the snapshot
	Commits    []Commit          // snapshots that were not expired, as the metadata lists them
	Files      []File            // live data files, in the order of the manifests
	Deletes    int               // delete files and vectors that are live

	schema *iceberg.Schema // nil where the snapshot was not read
}

// Field is one top-level column.
type Field struct {
	ID       int
	Name     string
	Type     string // in Delta's spelling where both formats have the type
	Required bool
}

// Part is one field of a partition spec, such as days(started).
type Part struct {
	Field     string // of the schema
	Transform string // as the specification spells it: identity, bucket[16], day
}

// Key is one field of a sort order.
type Key struct {
	Field      string
	Transform  string
	Descending bool
}

// File is one live data file.
type File struct {
	Path  string // below the table's folder where it lies there, else the whole address
	Bytes int64
	// Rows is the number of live rows, −1 where deletes may hide some that are not counted.
	Rows  int64
	Order []Key // it was sorted by; none where it says nothing
	// Deleted says that delete files or vectors may hide rows of it.
	Deleted bool
	// Snapshot is the id of the snapshot that added it; that may be expired by now.
	Snapshot int64
	// Partition holds the values of Snapshot.Partition, NULL where a value is not known; empty
	// for a file of an earlier spec.
	Partition []predicate.Value
	Bounds    map[int]Bounds // by field id; a missing one is not known
}

// Bounds is what a manifest keeps of one column in one file. A Min or Max of kind Null is
// not known. Strings may be cut (16 characters by default): both still enclose the column.
type Bounds struct {
	Min, Max predicate.Value
	Nulls    int64 // −1 where not known
}

// Without are the files of a list that another does not hold.
func Without(files, others []File) (left []File) {
	held := map[string]bool{}
	for _, f := range others {
		held[f.Path] = true
	}
	for _, f := range files {
		if !held[f.Path] {
			left = append(left, f)
		}
	}
	return left
}
