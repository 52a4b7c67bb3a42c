package iceberg

import (
	"errors"
	"strconv"
	"time"

	"github.com/apache/iceberg-go/table"
)

// ErrExpired is wrapped when a snapshot is asked for that the metadata does not list.
var ErrExpired = errors.New("the table has no such snapshot, or it was expired")

// What rewrites of ajlo leave in a table: two entries in the summary of each snapshot, and
// LayoutKey as a property of the table besides, since snapshots expire.
const (
	StampKey  = "ajlo"        // run, step and plan (rule 12), see delta.Stamp
	LayoutKey = "ajlo.layout" // the keys and their order, see layout.Layout.Keys
	// RollbackKey is a property: the stamp of the last rollback, which makes no snapshot.
	RollbackKey = "ajlo.rollback"
)

// Replace is the operation of a snapshot that puts files in the place of others with the same
// rows.
const Replace = string(table.OpReplace)

// Commit is a snapshot as the metadata lists it.
type Commit struct {
	ID        int64
	Parent    int64 // snapshot that it followed, 0 for none
	Time      time.Time
	Operation string // as the specification spells it: append, replace, overwrite, delete
	Summary   map[string]string
}

// appKey is where Spark's writers name their application.
const appKey = "spark.app.id"

// App is the Spark application that wrote the snapshot, "" where it does not say.
func (c Commit) App() string { return c.Summary[appKey] }

// Counts are the summary's whole numbers: added-data-files, deleted-records, …. Writers leave out
// those that are zero.
func (c Commit) Counts() map[string]int64 {
	counts := map[string]int64{}
	for name, text := range c.Summary {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			counts[name] = n
		}
	}
	return counts
}

func commitsOf(meta table.Metadata) (list []Commit) {
	for _, s := range meta.Snapshots() {
		list = append(list, commitOf(s))
	}
	return list
}

func commitOf(s table.Snapshot) Commit {
	c := Commit{ID: s.SnapshotID, Time: time.UnixMilli(s.TimestampMs).UTC()}
	if s.ParentSnapshotID != nil {
		c.Parent = *s.ParentSnapshotID
	}
	if s.Summary != nil {
		c.Operation, c.Summary = string(s.Summary.Operation), s.Summary.Properties
	}
	return c
}
