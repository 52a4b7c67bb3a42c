package sparksql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/plan"
)

// rewrites are the commits after a version that a step made and that touch files, oldest first.
func rewrites(ctx context.Context, store object.Store, newest, after int64, stamp execute.Stamp) ([]delta.Entry, error) {
	list, err := execute.Stamped(ctx, store, newest, after, stamp)
	return slices.DeleteFunc(list, func(e delta.Entry) bool { return len(e.Added)+len(e.Removed) == 0 }), err
}

// outcome tells from the table's log what Spark did since a version, and reads the rows of
// what it took out and put in.
func (e *Engine) outcome(ctx context.Context, before opened, step plan.Step, stamp execute.Stamp) (execute.Result, error) {
	now, err := delta.Replay(ctx, before.store)
	if err != nil {
		return execute.Result{}, fmt.Errorf("look at what Spark did to %s: %w", step.Table, err)
	}
	done, err := execute.Stamped(ctx, before.store, now.Version, step.Version, stamp)
	if err != nil {
		return execute.Result{}, fmt.Errorf("look at what Spark did to %s: %w", step.Table, err)
	}
	r := execute.Result{Version: now.Version}
	r.Previous = previous(done)
	for _, entry := range done {
		if entry.Version <= before.lake.Version || len(entry.Added)+len(entry.Removed) == 0 {
			continue
		}
		if err := e.add(ctx, &r, before.store, entry); err != nil {
			return execute.Result{}, fmt.Errorf("rows of %s before and after version %d, by Spark, cannot be compared: %w", step.Table, entry.Version, err)
		}
	}
	return r, nil
}

// previous is the version before a step's first rewrite and those of its commits that come right
// before it: going back further would lose what others wrote between its attempts.
func previous(own []delta.Entry) (version int64) {
	first := slices.IndexFunc(own, func(e delta.Entry) bool { return len(e.Added)+len(e.Removed) > 0 })
	if first < 0 {
		return 0
	}
	version = own[first].Version - 1
	for i := first - 1; i >= 0 && own[i].Version == version; i-- {
		version--
	}
	return version
}

// add counts one commit: rows are read from the files themselves, those it removed with what
// was deleted of them in the version before.
func (e *Engine) add(ctx context.Context, r *execute.Result, store object.Store, entry delta.Entry) error {
	s, err := delta.ReplayAt(ctx, store, entry.Version-1)
	if err != nil {
		return err
	}
	var removed []delta.Add
	for _, f := range s.Files {
		if slices.Contains(entry.Removed, f.Path) {
			removed = append(removed, f)
		}
	}
	old, err := execute.RowsOf(ctx, store, s, removed)
	if err != nil {
		return err
	}
	added, err := execute.RowsOf(ctx, store, s, entry.Added)
	if err != nil {
		return err
	}
	if err := old.SamePartitions(added); err != nil {
		return err
	}
	r.Changed, r.Version = true, entry.Version
	r.FilesRemoved, r.FilesAdded = r.FilesRemoved+len(removed), r.FilesAdded+len(entry.Added)
	r.BytesRemoved, r.BytesAdded = r.BytesRemoved+execute.SizeOf(removed), r.BytesAdded+execute.SizeOf(entry.Added)
	r.Removed, r.Added = r.Removed.Plus(old.Total()), r.Added.Plus(added.Total())
	return nil
}

// commitEntry begins what the write-ahead list holds for a step of Spark's, which names its
// files itself: the stamp of its commits, by run and step.
const commitEntry = "commit:"

func entryOf(s execute.Stamp) string { return commitEntry + s.Run + "/" + strconv.Itoa(s.Step) }

func stampOf(entry string) (execute.Stamp, error) {
	text, ok := strings.CutPrefix(entry, commitEntry)
	run, number, found := strings.Cut(text, "/")
	step, err := strconv.Atoi(number)
	if !ok || !found || run == "" || err != nil {
		return execute.Stamp{}, fmt.Errorf("%q names no commit of a step", entry)
	}
	return execute.Stamp{Run: run, Step: step}, nil
}

// Sweep looks for the commits of a dead step in the table's history. Files of one that never
// committed are left to the table's own VACUUM: Spark names them, and no list of ours does.
func (e *Engine) Sweep(ctx context.Context, left execute.Leftover) (execute.Swept, error) {
	location, paths := left.Location, left.Paths
	stamps := make([]execute.Stamp, len(paths))
	for i, p := range paths {
		var err error
		if stamps[i], err = stampOf(p); err != nil {
			return execute.Swept{}, fmt.Errorf("sweep %s: %w", location, err)
		}
	}
	store, err := e.o.Open(string(location))
	var now delta.Snapshot
	if err == nil {
		now, err = delta.Replay(ctx, store)
	}
	if errors.Is(err, delta.ErrNoTable) && iceberg.Holds(ctx, store) {
		return sweepIceberg(ctx, store, stamps, paths)
	}
	if errors.Is(err, object.ErrNotFound) || errors.Is(err, delta.ErrNoTable) {
		return execute.Swept{Gone: paths}, nil
	}
	if err != nil {
		return execute.Swept{}, fmt.Errorf("sweep %s: %w", location, err)
	}
	swept := execute.Swept{Version: -1}
	for i, stamp := range stamps {
		done, err := rewrites(ctx, store, now.Version, -1, stamp)
		if err != nil {
			return execute.Swept{}, fmt.Errorf("sweep %s: %w", location, err)
		}
		if len(done) == 0 {
			swept.Gone = append(swept.Gone, paths[i])
			continue
		}
		newest := slices.MaxFunc(done, func(a, b delta.Entry) int { return cmp.Compare(a.Version, b.Version) })
		swept.Committed, swept.Version = true, max(swept.Version, newest.Version)
	}
	if !swept.Committed {
		swept.Version = 0
	}
	return swept, nil
}
