package rewrite

import (
	"context"
	"errors"
	"fmt"

	"ajlo/job/layout"
	"ajlo/job/unit"
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

// phases is how often a table's bytes pass by: read, write, read back. Reading the keys
// beforehand takes a small part of their time and is not counted.
const phases = 3

// Rewrite reads all files, orders their rows, writes them and reads them back. After an
// error none of the new files is left, unless the error says which. A table without rows
// becomes no files. The new files depend on the files, the task and Options.Memory only.
func Rewrite(ctx context.Context, t Task, o Options) (out Outcome, err error) {
	if o, err = o.withDefaults(); err != nil {
		return Outcome{}, err
	}
	survey, err := Look(ctx, t, o.Memory)
	if err != nil {
		return Outcome{}, err
	}
	t, o = t.surveyed(survey, o), o.forWidth(survey.wide)
	if spilled := survey.Spilled(o.Memory); spilled > 0 {
		if err := o.Room(spilled); err != nil {
			return Outcome{}, err
		}
	}
	if t, err = intoParts(ctx, t); err != nil {
		return Outcome{}, err
	}
	a, err := learn(ctx, t, o, survey)
	if err != nil {
		return Outcome{}, err
	}
	done := &meter{total: phases * t.bytes(), tell: o.Progress}
	table, err := distribute(ctx, t, o, survey, a, done)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	if out, err = writeAll(ctx, t, o, survey, table, done); err == nil {
		done.finish()
	}
	return out, err
}

// learn finds out where the table's new files and their buckets begin.
func learn(ctx context.Context, t Task, o Options, s Survey) (*arrangement, error) {
	some, err := takeSample(ctx, t, o, s)
	if err != nil {
		return nil, err
	}
	files := int(min(int64(layout.FileCount(t.bytes(), t.TargetFile)), int64(len(some.ordinals))))
	buckets := layout.FileCount(s.Arrow/unit.Bytes(max(1, files)), unit.Bytes(o.bucket()))
	return arrange(t.Layout, some, cutting{files: files, buckets: buckets, everyLeaf: t.parting != nil})
}

func writeAll(ctx context.Context, t Task, o Options, s Survey, table *distributed, done *meter) (Outcome, error) {
	w, err := newWriter(t, o, s, table, done)
	if err != nil {
		return Outcome{}, err
	}
	paths := w.names(table.arrangement.fileCount(), o.NewID)
	if err := o.Intend(ctx, paths); err != nil {
		return Outcome{}, err
	}
	written, added, err := w.write(ctx, paths)
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
