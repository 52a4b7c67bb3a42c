package execute

import (
	"context"
	"time"

	"ajlo/job/delta"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Engine carries out the typed steps of a plan.
type Engine interface {
	// Name is the engine's name in config, plan and state.
	Name() string
	// Unsupported names, in words for people, everything about a table that keeps this engine
	// from rewriting it; empty where nothing does. The error is of a table that cannot be read.
	Unsupported(ctx context.Context, location table.Location) ([]string, error)
	// Check refuses a step that the engine must not or cannot do, before a byte is written.
	// A refusal is a *Refusal.
	Check(ctx context.Context, step plan.Step) error
	// Apply does the step or leaves the table as it was.
	Apply(ctx context.Context, step plan.Step, rec Recorder) (Result, error)
	// Sweep looks at what a dead step left behind, which may be files of several attempts:
	// those that some version of the table names stay, and so do those that the step's run did
	// not write, whatever the list says; the others are deleted. It never touches a file that
	// is not on the list. A table that is gone has nothing left behind.
	Sweep(ctx context.Context, left Leftover) (Swept, error)
}

// Leftover is the write-ahead list of a dead step.
type Leftover struct {
	Run      string
	Location table.Location
	Paths    []string // relative to Location
}

// Swept is what became of a dead step.
type Swept struct {
	// Committed is true where a commit that adds files of the list is in the table's log; those
	// files stay. Version is that commit's, −1 where the log no longer holds it by itself.
	Committed bool
	Version   int64
	Gone      []string // files of the list that no version names: deleted now, or never made
	// Foreign are files of the list that no version names and that do not say they were written
	// by the run. They are left alone.
	Foreign []string
}

// Recorder is told what an engine is about to do and how far it is.
type Recorder interface {
	// Intend keeps the names of files before any of them is created (the write-ahead list).
	// Paths are relative to the table's location; an engine that does not name files itself
	// keeps an entry for its commit, which only its own Sweep reads. An error stops the step. Right before it
	// commits, an engine intends no path at all: that asks whether the run still holds its
	// lease, and fails where it does not.
	Intend(ctx context.Context, location table.Location, paths []string) error
	// Spend asks for leave to rewrite so many bytes, those of the files that the commit will
	// remove, at each attempt and before any file is named. A refusal means that what is left
	// of the run's budgets does not hold them (rule 2).
	Spend(bytes unit.Bytes) error
	// Progress reports bytes done of the total.
	Progress(done, total unit.Bytes)
	// Stamp is put into the table's own history with the commit (rule 12).
	Stamp() Stamp
}

// Stamp names the run, step and plan that a commit belongs to, see delta.Stamp.
type Stamp = delta.Stamp

// Result is what a step did to its table.
type Result struct {
	// Changed is false where the table already was as the step wants it.
	Changed bool  `json:"changed"`
	Version int64 `json:"version"` // committed
	// Previous is the version before the step's first commit, where it changed the table: keys may
	// have been declared by a commit of their own, and ids of snapshots do not count up.
	Previous     int64         `json:"previous"`
	FilesRemoved int           `json:"files_removed"`
	FilesAdded   int           `json:"files_added"`
	BytesRemoved unit.Bytes    `json:"bytes_removed"`
	BytesAdded   unit.Bytes    `json:"bytes_added"`
	Removed      RowSum        `json:"rows_removed"` // of the files the commit removes
	Added        RowSum        `json:"rows_added"`   // of the files it adds, read back from storage
	Paths        []string      `json:"-"`            // files added, relative to the table's location
	Attempts     int           `json:"attempts"`     // commits tried
	Took         time.Duration `json:"took_ns"`
	// Warnings say what went wrong beside the commit, which stands.
	Warnings []string `json:"warnings,omitempty"`
}

// RowSum is a multiset of rows, see rewrite.RowSum.
type RowSum = rewrite.RowSum

// Refusal is a step that must not run, with the reason in words.
type Refusal struct {
	Table  table.Name
	Reason string
}

func (r *Refusal) Error() string { return string(r.Table) + ": " + r.Reason }
