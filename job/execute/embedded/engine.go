package embedded

import (
	"context"
	"math/rand/v2"
	"os"
	"time"

	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/pause"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// firstPause is about the wait before the second attempt; it doubles each time. A writer that
// deletes or updates takes seconds.
const firstPause = time.Second

// Options are what the engine needs from outside. They are read only.
type Options struct {
	// Memory is about the most that the process may hold, rewrite.DefaultMemory where 0.
	Memory unit.Bytes
	// Spill is the folder for rows that do not fit in it; the system's for temporary files
	// where "".
	Spill string
	// Parallel is how many files are read or written at once, the number of processors where 0.
	Parallel int
	// Repartition is the owner's leave to change tables' partition columns, a one-way door (rule 5).
	Repartition bool
	// Commit is how commits to tables on S3 are made safe; without it none are made there.
	Commit config.Commit
	// Catalogs are those that may know tables of Iceberg; only they commit to the tables that they know.
	Catalogs []Catalog
	// Version of ajlo, for the table's history.
	Version string
	// NewID gives UUIDs. Required.
	NewID func() string
	// Now is the clock. Required.
	Now func() time.Time
	// Random gives numbers from 0 to below 1 that spread out pauses; math/rand where nil.
	Random func() float64
	// Wait pauses until the context ends; a timer where nil.
	Wait func(ctx context.Context, d time.Duration) error
	// Open is how a table's folder is opened; object.Open where nil.
	Open func(location string) (object.Store, error)
	// FreeSpace is the bytes left on the disk of a folder; the system's answer where nil.
	FreeSpace func(dir string) (unit.Bytes, error)
	// Disk names the disk that a folder is on; the system's answer where nil.
	Disk func(dir string) (string, error)
}

// Engine is the embedded engine.
type Engine struct {
	o        Options
	probe    *execute.Probe
	promises promises
}

// New is an engine with the given options.
func New(o Options) *Engine {
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Wait == nil {
		o.Wait = pause.For
	}
	if o.Spill == "" {
		o.Spill = os.TempDir()
	}
	if o.Open == nil {
		o.Open = object.Open
	}
	if o.FreeSpace == nil {
		o.FreeSpace = execute.FreeSpace
	}
	if o.Disk == nil {
		o.Disk = execute.Disk
	}
	return &Engine{o: o, probe: &execute.Probe{NewID: o.NewID, Now: o.Now}}
}

// Name is plan.EmbeddedEngine.
func (e *Engine) Name() string { return plan.EmbeddedEngine }

var _ execute.Engine = (*Engine)(nil)
