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
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// isStamped reports whether a commit is one of a step of a run.
func isStamped(e delta.Entry, stamp execute.Stamp) bool {
	found, ok := delta.ParseStamp(e.UserMetadata)
	return ok && found.Run == stamp.Run && found.Step == stamp.Step
}

// rewrites are the commits after a version that a step made and that touch files, oldest first.
func rewrites(ctx context.Context, store object.Store, newest, after int64, stamp execute.Stamp) ([]delta.Entry, error) {
	var list []delta.Entry
	for e, err := range delta.History(ctx, store, newest) {
		if err != nil {
			return nil, err
		}
		if e.Version <= after {
			break
		}
		if isStamped(e, stamp) && len(e.Added)+len(e.Removed) > 0 {
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// outcome tells from the table's log what Spark did since a version, and reads the rows of
// what it took out and put in.
func (e *Engine) outcome(ctx context.Context, before opened, step plan.Step, stamp execute.Stamp) (execute.Result, error) {
	now, err := delta.Replay(ctx, before.store)
	if err != nil {
		return execute.Result{}, fmt.Errorf("look at what Spark did to %s: %w", step.Table, err)
	}
	done, err := rewrites(ctx, before.store, now.Version, before.lake.Version, stamp)
	if err != nil {
		return execute.Result{}, fmt.Errorf("look at what Spark did to %s: %w", step.Table, err)
	}
	r := execute.Result{Version: now.Version}
	for _, entry := range done {
		if err := e.add(ctx, &r, before.store, entry); err != nil {
			return execute.Result{}, fmt.Errorf("rows of %s before and after version %d, by Spark, cannot be compared: %w", step.Table, entry.Version, err)
		}
	}
	return r, nil
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
	old, err := rowsOf(ctx, store, s, removed)
	if err != nil {
		return err
	}
	added, err := rowsOf(ctx, store, s, entry.Added)
	if err != nil {
		return err
	}
	if err := samePartitions(old, added); err != nil {
		return err
	}
	r.Changed, r.Version = true, entry.Version
	r.FilesRemoved, r.FilesAdded = r.FilesRemoved+len(removed), r.FilesAdded+len(entry.Added)
	r.BytesRemoved, r.BytesAdded = r.BytesRemoved+sizeOf(removed), r.BytesAdded+sizeOf(entry.Added)
	r.Removed, r.Added = r.Removed.Plus(total(old)), r.Added.Plus(total(added))
	return nil
}

// rowsOf sums the rows of files for each partition: a row that moved to another partition is
// another row.
func rowsOf(ctx context.Context, store object.Store, s delta.Snapshot, files []delta.Add) (map[string]execute.RowSum, error) {
	tracking, err := s.RowTracking()
	if err != nil {
		return nil, err
	}
	sums := map[string]execute.RowSum{}
	for _, f := range files {
		sum, err := rewrite.Sum(ctx, rewrite.Task{
			Store: store, Metadata: s.Metadata, RowTracking: tracking,
			Files: []rewrite.File{{Path: f.Path, Bytes: unit.Bytes(f.Size), Rows: -1, Log: f}},
		})
		if err != nil {
			return nil, err
		}
		key := delta.PartitionKey(f, s.Metadata)
		sums[key] = sums[key].Plus(sum)
	}
	return sums, nil
}

// samePartitions holds that no row went from one partition to another. That rows as a whole
// are the same is verified from the result.
func samePartitions(old, added map[string]execute.RowSum) error {
	if total(old) != total(added) {
		return nil
	}
	for key, sum := range added {
		if old[key] != sum {
			return errors.New("rows went from one partition to another")
		}
	}
	return nil
}

func total(sums map[string]execute.RowSum) (all execute.RowSum) {
	for _, sum := range sums {
		all = all.Plus(sum)
	}
	return all
}

func sizeOf(files []delta.Add) (size unit.Bytes) {
	for _, f := range files {
		size += unit.Bytes(f.Size)
	}
	return size
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
