package rewrite

import (
	"context"
	"errors"
	"fmt"

	"ajlo/job/layout"
)

// Outcome is a rewritten table that is not committed yet.
type Outcome struct {
	Files   []Written
	Removed RowSum // of the rows that were read
	Added   RowSum // of the new files, read back from storage; equal to Removed
}

// Paths lists the new files.
func (o Outcome) Paths() []string {
	paths := make([]string, len(o.Files))
	for i, f := range o.Files {
		paths[i] = f.Path
	}
	return paths
}

// phases is how often a table's bytes pass by: read, write, read back.
const phases = 3

// Rewrite reads all files, orders their rows, writes them and reads them back. After an
// error none of the new files is left, unless the error says which. A table without rows
// becomes no files.
func Rewrite(ctx context.Context, t Task, o Options) (Outcome, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Outcome{}, err
	}
	survey, err := Look(ctx, t, o)
	if err != nil {
		return Outcome{}, err
	}
	done := &meter{total: phases * t.bytes(), tell: o.Progress}
	table, err := read(ctx, t, o, done)
	if err != nil {
		return Outcome{}, err
	}
	sequence, err := table.sequence(t.Layout)
	if err != nil {
		return Outcome{}, err
	}
	return writeAll(ctx, t, o, survey, table, sequence, done)
}

func writeAll(ctx context.Context, t Task, o Options, s Survey, table *held, sequence []int, done *meter) (Outcome, error) {
	files := min(layout.FileCount(t.bytes(), t.TargetFile), len(sequence))
	w, err := newWriter(t, table, s, files, done)
	if err != nil {
		return Outcome{}, err
	}
	paths := w.names(files, o.NewID)
	if err := o.Intend(ctx, paths); err != nil {
		return Outcome{}, err
	}
	written, added, err := w.write(ctx, sequence, paths, o.Parallel)
	if err == nil {
		err = sameRows(table.sum, added)
	}
	if err != nil {
		return Outcome{}, errors.Join(err, Discard(context.WithoutCancel(ctx), t.Store, paths))
	}
	return Outcome{Files: written, Removed: table.sum, Added: added}, nil
}

// sameRows is rule 1.
func sameRows(removed, added RowSum) error {
	if removed == added {
		return nil
	}
	return fmt.Errorf("rule 1: the new files hold other rows than the old ones (%d rows with sum %016x%016x, not %d with %016x%016x); nothing was committed",
		added.Rows, added.Hi, added.Lo, removed.Rows, removed.Hi, removed.Lo)
}

func checkRows(path string, got, want int64) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("read %s: %d rows, its footer says %d", path, got, want)
}
