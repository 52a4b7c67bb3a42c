package iceberg

import (
	"errors"
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
