package lake

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"ajlo/job/delta"
	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// ChangeKind is what a change of a table's rows was asked for as.
type ChangeKind string

// The kinds. What a table's upkeep writes has none.
const (
	Appended    ChangeKind = "append"
	Overwritten ChangeKind = "overwrite"
	Merged      ChangeKind = "merge"
	Updated     ChangeKind = "update"
	Deleted     ChangeKind = "delete"
	Created     ChangeKind = "ctas"
)

// Change is one commit to a table as the table's own history has it. Counts of rows are nil
// where it does not say.
type Change struct {
	Version int64     // of a Delta table; the snapshot's id of an Iceberg table
	Time    time.Time // of the writer's clock; zero where it does not say
	App     string    // the Spark application that wrote it, where it says
	// Kinds are those that it may be: Iceberg calls UPDATE and MERGE the same.
	Kinds []ChangeKind
	// FilesAdded and FilesRemoved are data files. FilesMarked counts what hides rows of files
	// that stay: deletion vectors and delete files.
	FilesAdded, FilesRemoved, FilesMarked int64
	BytesAdded                            unit.Bytes
	BytesRemoved                          *unit.Bytes
	RowsWritten                           *int64 // into new files, copied ones among them
	RowsCopied                            *int64 // written again as they were
	RowsInserted, RowsUpdated             *int64
	RowsDeleted                           *int64
	Partitions                            *int64 // that it changed
	// CountedAdded and CountedRemoved are the files as the writer's own metrics have them,
	// which its event log repeats; of deletion vectors they know otherwise than the files.
	CountedAdded, CountedRemoved *int64
}

// Is reports whether the change may be of a kind.
func (c Change) Is(kind ChangeKind) bool { return slices.Contains(c.Kinds, kind) }

// History gives the changes of the table at the store's root, the newest first, as far back
// as its log goes.
func History(ctx context.Context, store object.Store) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		version, err := delta.Newest(ctx, store)
		switch {
		case err == nil:
			deltaHistory(ctx, store, version, yield)
		case errors.Is(err, delta.ErrNoTable):
			icebergHistory(ctx, store, yield)
		default:
			yield(Change{}, fmt.Errorf("table's history: %w", err))
		}
	}
}

func deltaHistory(ctx context.Context, store object.Store, version int64, yield func(Change, error) bool) {
	for e, err := range delta.History(ctx, store, version) {
		if err != nil {
			yield(Change{}, fmt.Errorf("table's history: %w", err))
			return
		}
		if !yield(deltaChange(e), nil) {
			return
		}
	}
}

func deltaChange(e delta.Entry) Change {
	c := Change{
		Version: e.Version, Time: e.Time, Kinds: deltaKinds(e),
		FilesAdded: e.Touched.FilesAdded, FilesRemoved: e.Touched.FilesRemoved, FilesMarked: e.Touched.FilesMarked,
		BytesAdded: unit.Bytes(e.Touched.BytesAdded),
	}
	if removed := unit.Bytes(e.Touched.BytesRemoved); removed >= 0 {
		c.BytesRemoved = &removed
	}
	c.RowsWritten = first(e.Metrics, "numOutputRows")
	c.RowsCopied = first(e.Metrics, "numTargetRowsCopied", "numCopiedRows")
	c.RowsInserted = first(e.Metrics, "numTargetRowsInserted")
	c.RowsUpdated = first(e.Metrics, "numTargetRowsUpdated", "numUpdatedRows")
	c.RowsDeleted = first(e.Metrics, "numTargetRowsDeleted", "numDeletedRows")
	if c.RowsWritten == nil && c.RowsCopied != nil { // UPDATE and DELETE write nothing else
		written := *c.RowsCopied + e.Metrics["numUpdatedRows"]
		c.RowsWritten = &written
	}
	c.CountedAdded = first(e.Metrics, "numTargetFilesAdded", "numAddedFiles", "numFiles")
	c.CountedRemoved = first(e.Metrics, "numTargetFilesRemoved", "numRemovedFiles")
	return c
}

// deltaKinds reads the names under which Spark's Delta commits.
func deltaKinds(e delta.Entry) []ChangeKind {
	switch e.Operation {
	case "MERGE":
		return []ChangeKind{Merged}
	case "UPDATE":
		return []ChangeKind{Updated}
	case "DELETE":
		return []ChangeKind{Deleted}
	case "CREATE TABLE AS SELECT", "REPLACE TABLE AS SELECT", "CREATE OR REPLACE TABLE AS SELECT":
		return []ChangeKind{Created}
	case "WRITE":
		if e.Parameters["mode"] == "Append" {
			return []ChangeKind{Appended}
		}
		return []ChangeKind{Overwritten}
	}
	return nil
}

// icebergKinds are the kinds of a snapshot by its operation: a MERGE that only inserts
// appends, one that only deletes, and an UPDATE or DELETE that writes files anew, overwrite.
var icebergKinds = map[string][]ChangeKind{
	"append":    {Appended, Overwritten, Created, Merged},
	"overwrite": {Overwritten, Created, Merged, Updated, Deleted},
	"delete":    {Deleted, Merged, Overwritten},
}

func icebergHistory(ctx context.Context, store object.Store, yield func(Change, error) bool) {
	changes, err := iceberg.History(ctx, store)
	if err != nil {
		yield(Change{}, fmt.Errorf("table's history: %w", err))
		return
	}
	for _, c := range changes {
		if !yield(icebergChange(c), nil) {
			return
		}
	}
}

// icebergChange reads a snapshot's summary, in which what is missing is zero. Sizes are of
// data and delete files together.
func icebergChange(c iceberg.Commit) Change {
	counts := c.Counts()
	removed := unit.Bytes(counts["removed-files-size"])
	written := counts["added-records"]
	return Change{
		Version: c.ID, Time: c.Time, App: c.App(), Kinds: icebergKinds[c.Operation],
		FilesAdded: counts["added-data-files"], FilesRemoved: counts["deleted-data-files"], FilesMarked: counts["added-delete-files"],
		BytesAdded: unit.Bytes(counts["added-files-size"]), BytesRemoved: &removed,
		RowsWritten: &written, Partitions: first(counts, "changed-partition-count"),
	}
}

// first is the value of the first name that is there, nil for none.
func first(counts map[string]int64, names ...string) *int64 {
	for _, name := range names {
		if n, ok := counts[name]; ok {
			return &n
		}
	}
	return nil
}
