package plan

import (
	"time"

	"ajlo/job/delta"
	"ajlo/job/unit"
)

// Back is the step of an earlier run that a rollback undoes by putting the files of before in the
// place of those that the step put in: nothing is written anew, and what came in since stays.
type Back struct {
	Of delta.Stamp `json:"of"`
	// After is the version that the step was planned at: its commits are later ones.
	After int64 `json:"after"`
	// Version is that of the table before the step; the snapshot's id of an Iceberg table.
	Version  int64      `json:"version"`
	Files    int        `json:"files"`          // that come back
	Bytes    unit.Bytes `json:"bytes"`          // of those
	Replaced int        `json:"replaced_files"` // that they take the place of
	// Until is when the table's own clean-up may take the files of before.
	Until time.Time `json:"until"`
	// Done is true where the files of before are back already.
	Done bool `json:"done,omitempty"`
}
