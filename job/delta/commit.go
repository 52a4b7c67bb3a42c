package delta

import (
	"context"

	"ajlo/job/object"
)

// Change is a rearrangement of rows: some files out, some in, the same rows in both.
type Change struct {
	// Remove are live files of the snapshot that was read.
	Remove []Add
	// Add needs Path, Size and Stats, and ModificationTime in ms; Tags where the layout is
	// to be found again. RawPath and DataChange are filled in by Commit.
	Add          []Add
	Operation    string            // "OPTIMIZE"
	Parameters   map[string]any    // each becomes JSON inside a string, as Spark writes them
	Metrics      map[string]string // operationMetrics
	UserMetadata string
	EngineInfo   string
	TxnID        string // a UUID that no other commit has
	Time         int64  // of the commit, ms since the epoch
}

// Committed is a commit that is in the table.
type Committed struct {
	Version  int64
	Attempts int // versions tried
}

// Commit writes the change as the next free version after read, if no commit in between
// touches what it touches; otherwise the error is a *Conflict and nothing was changed.
func Commit(ctx context.Context, store object.Store, read Snapshot, c Change) (Committed, error) {
	panic("not there yet")
}
