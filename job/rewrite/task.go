package rewrite

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// DefaultMemory is the limit where the config sets none: what a small pod can spare, and a quarter of
// the 1,547 to 1,618 MB that delta-rs takes for the same rewrite (scripts/bench-rewrite); 512 MB would
// be a third.
const DefaultMemory = 384 * unit.MB

// Task is one table to be rewritten.
type Task struct {
	Table      table.Name
	Store      object.Store // rooted at the table's folder
	Metadata   delta.Metadata
	Files      []File // those to be rewritten, of one partition
	Layout     layout.Layout
	TargetFile unit.Bytes
	// RowTracking, where it is enabled, makes rows keep their ids and commit versions.
	RowTracking delta.RowTracking
	// Folder is where the new files go, "" for the table's own.
	Folder string
	// From is where Files are; Store where nil.
	From Opener
	// Whole has rows read with their partition columns, by what the log says of each file, so that files
	// of several partitions, or tables, can be one task. New files then need Becomes.
	Whole bool
	// Becomes is the metadata of the new files where their partition columns are others than those of
	// Files, at most one; nil where they are the same.
	Becomes *delta.Metadata

	parting *parting   // of the new files, nil where they are of the partition that Files are of
	width   int64      // mean bytes of a row in memory, 0 where not known yet
	memory  unit.Bytes // limit, DefaultMemory where 0
	wide    int64      // bytes of the widest page, 0 where none is wide
}

// Opener is the part of a store that files are read by.
type Opener interface {
	Open(ctx context.Context, key string) (object.Reader, error)
}

// from is where the task's files are.
func (t Task) from() Opener {
	if t.From != nil {
		return t.From
	}
	return t.Store
}

// File is one live file of the table as its log describes it.
type File struct {
	Path  string
	Bytes unit.Bytes
	Rows  int64 // deleted ones included; −1 where the log does not say
	// Log is what the log says of the file's deletion vector and of its rows' ids.
	Log delta.Add

	first uint64 // place of the file's first row among the rows of all files
}

// Listed is a live file as its table's log describes it.
func Listed(f delta.Add) File {
	rows, _, err := delta.ParseStats(f.Stats, nil)
	if err != nil {
		rows = -1
	}
	return File{Path: f.Path, Bytes: unit.Bytes(f.Size), Rows: rows, Log: f}
}

// surveyed is the task with what a survey found.
func (t Task) surveyed(s Survey, o Options) Task {
	t.width, t.memory, t.wide = int64(s.Arrow)/max(1, s.Rows), o.Memory, s.wide.bytes
	return t
}

func (t Task) bytes() (total unit.Bytes) {
	for _, f := range t.Files {
		total += f.Bytes
	}
	return total
}

// Options say how a table is rewritten. They are read only.
type Options struct {
	// Memory is about the most that the process may hold, DefaultMemory where 0. It is kept
	// where the program's soft memory limit (runtime/debug) is set to it.
	Memory   unit.Bytes
	Parallel int // files read or written at once; the number of processors where 0
	// Spill is the folder for rows that do not fit; the system's for temporary files where "".
	Spill string
	// Room, where set, is asked before rows are spilled whether the folder has room for about so
	// many bytes; its error stops the rewrite.
	Room func(bytes unit.Bytes) error
	// NewID gives a UUID for each new file. Required.
	NewID func() string
	// Run is who makes the files; each says so in its footer, see WrittenBy. None does where "".
	Run string
	// Intend is told the paths of all new files before the first of them is created; an
	// error stops the rewrite. Required.
	Intend func(ctx context.Context, paths []string) error
	// Progress, where set, is told bytes done of the total; never by two goroutines at once.
	Progress func(done, total unit.Bytes)

	wide int64 // bytes of the table's largest page, 0 where no page is wide
}

func (o Options) withDefaults() (Options, error) {
	if o.NewID == nil || o.Intend == nil {
		return o, fmt.Errorf("rewrite options: NewID and Intend are required")
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	o.Spill = cmp.Or(o.Spill, os.TempDir())
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	if o.Room == nil {
		o.Room = func(unit.Bytes) error { return nil }
	}
	if o.Progress == nil {
		o.Progress = func(_, _ unit.Bytes) {}
	}
	return o, nil
}

// What the memory limit is spent on, each shared out among the workers: rows that wait to be
// spilled, rows that are being sorted and written. The rest is for what is decoded, encoded
// and compressed meanwhile, and for garbage that is not collected yet.
const (
	waitingShare = 3 // a third
	bucketShare  = 8 // an eighth, since a bucket is there as read and once more as copied
)

// programBytes is what the program takes without any row; of small limits a fourth counts.
const programBytes = 40 * unit.MB

// heap is the part of a limit that is for rows.
func heap(limit unit.Bytes) unit.Bytes { return limit - min(programBytes, limit/4) }

// A row group is encoded in memory before it is written: a sixteenth of the limit, at most
// Spark's parquet.block.size.
const (
	groupShare = 16
	largeGroup = 128 * unit.MiB
)

func (o Options) rowGroup() unit.Bytes { return min(o.Memory/groupShare, largeGroup) }

// groupRows is how many rows of so many stored bytes make a row group.
func (o Options) groupRows(width float64) int {
	return max(1, int(float64(o.rowGroup())/max(width, 1)))
}

// Rows are decoded, and copied into their new order, in batches: a sixty-fourth of the limit,
// at most so many bytes as columns take to be worked through at speed.
const (
	batchShare = 64
	largeBatch = 8 * unit.MiB
)

// batch is the bytes of rows that one worker decodes or copies at a time.
func (o Options) batch() int64 { return int64(min(o.Memory/batchShare, largeBatch)) }

// perWorker is the least memory with which another worker is worth its while.
const perWorker = 128 * unit.MB

func (o Options) workers() int { return max(1, min(o.Parallel, int(o.Memory/perWorker))) }

// waiting is the bytes of rows that one worker holds before it spills them.
func (o Options) waiting() int64 {
	return max(int64(heap(o.Memory))/waitingShare/int64(o.workers())-wideCopies*o.wide, 0)
}

// bucket is the bytes of rows that one worker sorts at a time.
func (o Options) bucket() int64 { return int64(heap(o.Memory)) / bucketShare / int64(o.workers()) }

// Refusal is a table that must not or cannot be rewritten; nothing was written.
type Refusal struct {
	Table  table.Name
	Reason string
}

func (r *Refusal) Error() string { return string(r.Table) + ": " + r.Reason }
