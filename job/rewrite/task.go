package rewrite

import (
	"context"
	"fmt"
	"runtime"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// DefaultMemory is the limit where the config sets none: a table of about half a gibibyte
// of Arrow, on machines that every team has.
const DefaultMemory = 2 * unit.GiB

// memoryFactor is the memory in use per byte of Arrow held, at its peak: the table, the rows
// being copied and encoded, and as much again that the garbage collector has not freed yet.
const memoryFactor = 4

// Task is one table to be rewritten.
type Task struct {
	Table      table.Name
	Store      object.Store // rooted at the table's folder
	Metadata   delta.Metadata
	Files      []File // all live files
	Layout     layout.Layout
	TargetFile unit.Bytes
}

// File is one live file of the table as its log describes it.
type File struct {
	Path  string
	Bytes unit.Bytes
	Rows  int64 // −1 where the log does not say
}

func (t Task) bytes() (total unit.Bytes) {
	for _, f := range t.Files {
		total += f.Bytes
	}
	return total
}

// Options say how a table is rewritten. They are read only.
type Options struct {
	Memory   unit.Bytes // DefaultMemory where 0
	Parallel int        // files read or written at once; the number of processors where 0
	// NewID gives a UUID for each new file. Required.
	NewID func() string
	// Intend is told the paths of all new files before the first of them is created; an
	// error stops the rewrite. Required.
	Intend func(ctx context.Context, paths []string) error
	// Progress, where set, is told bytes done of the total; never by two goroutines at once.
	Progress func(done, total unit.Bytes)
}

func (o Options) withDefaults() (Options, error) {
	if o.NewID == nil || o.Intend == nil {
		return o, fmt.Errorf("rewrite options: NewID and Intend are required")
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(_, _ unit.Bytes) {}
	}
	return o, nil
}

// Refusal is a table that must not or cannot be rewritten; nothing was written.
type Refusal struct {
	Table  table.Name
	Reason string
}

func (r *Refusal) Error() string { return string(r.Table) + ": " + r.Reason }

func tooLarge(name table.Name, arrow, limit unit.Bytes) *Refusal {
	return &Refusal{Table: name, Reason: fmt.Sprintf(
		"a rewrite needs about %d bytes of memory (%d × %d bytes of rows), allowed are %d; raise engine.memory",
		memoryFactor*arrow, memoryFactor, arrow, limit)}
}
