package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// vacuumMargin is how long before VACUUM may take files they are no longer put back: longer than
// reading them and committing takes.
const vacuumMargin = time.Hour

// wayBack is a commit that puts the files of before a step in the place of its own.
type wayBack struct {
	opened
	remove []delta.Add   // that the step put in, all live and as they were then
	add    []delta.Add   // that it took out
	keys   *delta.Domain // to be declared; nil where they are as before
	// becomes has the partition columns of before, which before is the version of; nil where they are
	// what they were.
	becomes *delta.Metadata
	before  delta.Snapshot
	found   plan.Back
}

// WayBack looks whether what a step of an earlier run did, whatever engine it was, can be taken
// back by putting the files of before in the place of its own; what it finds is the step's Back
// filled in. Where it cannot, the error is a *Refusal that says why.
func (e *Engine) WayBack(ctx context.Context, step plan.Step) (plan.Back, error) {
	store, err := e.openAny(step)
	if err != nil {
		return plan.Back{}, err
	}
	if iceberg.Holds(ctx, store) {
		w, err := e.icebergWayBack(ctx, store, step)
		return w.found, err
	}
	w, err := e.wayBack(ctx, step)
	if err == nil && !w.found.Done {
		err = w.filesThere(ctx, step)
	}
	return w.found, err
}

func (e *Engine) openAny(step plan.Step) (object.Store, error) {
	store, err := e.o.Open(string(step.Location))
	if err != nil {
		return nil, execute.Refuse(step, "%v", err)
	}
	return store, nil
}

// checkBack refuses where attemptBack would, but for the rows, which are not read.
func (e *Engine) checkBack(ctx context.Context, step plan.Step) error {
	found, err := e.WayBack(ctx, step)
	if err != nil {
		return err
	}
	if err := asPlanned(step, found); err != nil || found.Done {
		return err
	}
	store, err := e.openAny(step)
	if err != nil {
		return err
	}
	return e.checkStorage(ctx, step, store)
}

// asPlanned refuses a way back that leads elsewhere than the one that was printed.
func asPlanned(step plan.Step, found plan.Back) error {
	if b := *step.Back; !found.Done && (found.Version != b.Version || found.Files != b.Files || found.Replaced != b.Replaced) {
		return execute.Refuse(step, "its way back leads to %d files of version %d for %d, the plan has %d of version %d for %d: make a new one",
			found.Files, found.Version, found.Replaced, b.Files, b.Version, b.Replaced)
	}
	return nil
}

// wayBack finds the files from the table's history. Appends since do not stand in the way: the
// rows in question are those of the step's own files alone.
func (e *Engine) wayBack(ctx context.Context, step plan.Step) (w wayBack, err error) {
	if w.opened, err = e.reach(ctx, step); err != nil {
		return w, err
	}
	w.found = *step.Back
	own, err := execute.Stamped(ctx, w.store, w.delta.Version, step.Back.After, step.Back.Of)
	if err != nil {
		return w, err
	}
	if len(own) == 0 {
		return w, execute.Refuse(step, "its history holds no commit of step %d of run %s any more", step.Back.Of.Step+1, step.Back.Of.Run)
	}
	before, err := delta.ReplayAt(ctx, w.store, own[0].Version-1)
	if err != nil {
		return w, execute.Refuse(step, "version %d, from before the step, can no longer be read: %v", own[0].Version-1, err)
	}
	w.found.Version = before.Version
	if err := w.exchange(ctx, step, own); err != nil {
		return w, err
	}
	if w.found.Done {
		return w, nil
	}
	last := own[len(own)-1].Version
	if err := errors.Join(w.redeclare(ctx, step, before, last), w.reparted(ctx, step, before, last)); err != nil {
		return w, err
	}
	return w, w.inTime(step, own, e.o.Now())
}

// exchange works out the files of the step's commits taken together, and refuses where rows of
// them were changed since.
func (w *wayBack) exchange(ctx context.Context, step plan.Step, own []delta.Entry) error {
	put := map[string]delta.Add{}
	for _, entry := range own {
		old, err := w.takenOut(ctx, step, entry)
		if err != nil {
			return err
		}
		for _, f := range old {
			if _, ours := put[f.Path]; ours {
				delete(put, f.Path)
			} else {
				w.add = append(w.add, f)
			}
		}
		for _, f := range entry.Added {
			put[f.Path] = f
		}
	}
	live := map[string]delta.Add{}
	for _, f := range w.delta.Files {
		live[f.Path] = f
	}
	if slices.ContainsFunc(w.add, func(f delta.Add) bool { _, back := live[f.Path]; return back }) {
		w.found.Done = true
	}
	for path, f := range put {
		if now, ok := live[path]; ok && sameVector(f.DeletionVector, now.DeletionVector) {
			w.remove = append(w.remove, now)
		}
	}
	slices.SortFunc(w.remove, func(a, b delta.Add) int { return cmp.Compare(a.Path, b.Path) })
	w.found.Files, w.found.Replaced, w.found.Bytes = len(w.add), len(put), execute.SizeOf(w.add)
	if len(w.add) == 0 {
		return execute.Refuse(step, "the step put no file in the place of another")
	}
	if changed := len(put) - len(w.remove); changed > 0 && !w.found.Done {
		return execute.Refuse(step, "rows of %d of its %d files were changed or laid anew since: the files of before do not have them", changed, len(put))
	}
	return nil
}

// takenOut are the files that a commit took out, as the version before it had them. The table's
// columns, partitions and row tracking have to be what they were: files of before say nothing of
// later ones.
func (w *wayBack) takenOut(ctx context.Context, step plan.Step, entry delta.Entry) (old []delta.Add, err error) {
	if len(entry.Removed) == 0 {
		return nil, nil
	}
	then, err := delta.ReplayAt(ctx, w.store, entry.Version-1)
	if err != nil {
		return nil, execute.Refuse(step, "version %d, from before the step, can no longer be read: %v", entry.Version-1, err)
	}
	was, err := then.RowTracking()
	if err != nil {
		return nil, err
	}
	is, err := w.delta.RowTracking()
	if err != nil {
		return nil, err
	}
	if then.Metadata.SchemaString != w.delta.Metadata.SchemaString || was != is ||
		!step.Repartition && !slices.Equal(then.Metadata.PartitionColumns, w.delta.Metadata.PartitionColumns) {
		return nil, execute.Refuse(step, "its columns, partitions or row tracking were changed since version %d", then.Version)
	}
	for _, f := range then.Files {
		if slices.Contains(entry.Removed, f.Path) {
			old = append(old, f)
		}
	}
	return old, nil
}

// sameVector reports whether no row was deleted from a file since.
func sameVector(a, b *delta.DeletionVector) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.StorageType == b.StorageType && a.PathOrInlineDv == b.PathOrInlineDv && a.Cardinality == b.Cardinality
}

// redeclare has the table declare its keys of before, where the step declared others and nobody
// has since.
func (w *wayBack) redeclare(ctx context.Context, step plan.Step, before delta.Snapshot, after int64) error {
	was, is := before.DeclaredKeys(), w.delta.DeclaredKeys()
	if was.Configuration == is.Configuration {
		return nil
	}
	made, err := delta.ReplayAt(ctx, w.store, after)
	if err != nil {
		return execute.Refuse(step, "version %d, which the step made, can no longer be read: %v", after, err)
	}
	if made.DeclaredKeys().Configuration != is.Configuration {
		return execute.Refuse(step, "others have declared its keys since version %d", after)
	}
	w.keys = &was
	return nil
}

// inTime refuses once VACUUM may take the files of before: the commit would name files that are
// being deleted.
func (w *wayBack) inTime(step plan.Step, own []delta.Entry, now time.Time) error {
	kept, ok := w.delta.Metadata.KeptFor()
	if !ok {
		return execute.Refuse(step, "how long VACUUM keeps the files of before cannot be read from delta.deletedFileRetentionDuration")
	}
	for _, entry := range own {
		if len(entry.Removed) == 0 {
			continue
		}
		if until := entry.Time.Add(kept); w.found.Until.IsZero() || until.Before(w.found.Until) {
			w.found.Until = until
		}
	}
	if now.Add(vacuumMargin).After(w.found.Until) {
		return execute.Refuse(step, "VACUUM may take the files of before from %s on", w.found.Until.UTC().Format(time.RFC3339))
	}
	return nil
}

// filesThere refuses where a file of before is gone or is another one.
func (w *wayBack) filesThere(ctx context.Context, step plan.Step) error {
	for _, f := range w.add {
		if err := isThere(ctx, w.store, f.Path, f.Size); err != nil {
			return execute.Refuse(step, "a file of before is gone: %v", err)
		}
	}
	return nil
}

func isThere(ctx context.Context, store object.Store, key string, size int64) error {
	r, err := store.Open(ctx, key)
	if err != nil {
		return err
	}
	if have := r.Size(); have != size {
		err = fmt.Errorf("%s has %d bytes, not %d", key, have, size)
	}
	return errors.Join(err, r.Close())
}

// attemptBack puts the files of before back by one commit on the version that was read. Rows of
// both sides are read first (rule 1). Its error is a *delta.Conflict, or of iceberg.ErrMoved,
// where others were faster.
func (e *Engine) attemptBack(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	store, err := e.openAny(step)
	if err != nil {
		return execute.Result{}, err
	}
	if iceberg.Holds(ctx, store) {
		return e.attemptIcebergBack(ctx, store, step, rec)
	}
	w, err := e.wayBack(ctx, step)
	if err == nil {
		err = asPlanned(step, w.found)
	}
	if err != nil || w.found.Done {
		return execute.Result{Version: w.delta.Version}, err
	}
	if err := e.checkStorage(ctx, step, w.store); err != nil {
		return execute.Result{}, err
	}
	r := execute.Result{
		Changed: true, FilesRemoved: len(w.remove), FilesAdded: len(w.add),
		BytesRemoved: execute.SizeOf(w.remove), BytesAdded: execute.SizeOf(w.add), Attempts: 1,
	}
	if r.Removed, r.Added, err = w.rows(ctx, step); err != nil {
		return execute.Result{}, err
	}
	rec.Progress(r.BytesAdded, r.BytesAdded)
	if err := rec.Intend(ctx, step.Location, nil); err != nil { // does the run still hold its lease?
		return execute.Result{}, err
	}
	if r.Version, err = e.commitBack(ctx, w, rec.Stamp()); err != nil {
		return execute.Result{Attempts: 1}, err
	}
	r.Previous = r.Version - 1
	if err := w.filesThere(context.WithoutCancel(ctx), step); err != nil {
		return execute.Result{}, fmt.Errorf("files of %s were deleted while they were put back: RESTORE it to version %d: %w", step.Table, r.Previous, err)
	}
	return r, nil
}

// rows reads both sides and refuses where they differ.
func (w wayBack) rows(ctx context.Context, step plan.Step) (removed, added execute.RowSum, err error) {
	sums, before := execute.RowsOf, w.delta
	if w.becomes != nil {
		sums, before = execute.WholeRows, w.before
	}
	now, err := sums(ctx, w.store, w.delta, w.remove)
	if err != nil {
		return removed, added, execute.Refuse(step, "its rows cannot be read: %v", err)
	}
	then, err := sums(ctx, w.store, before, w.add)
	if err != nil {
		return removed, added, execute.Refuse(step, "rows of the files of before cannot be read: %v", err)
	}
	if now.Total() != then.Total() || now.SamePartitions(then) != nil {
		return removed, added, execute.Refuse(step, "the files of before have %d rows that are not the %d of its files now", then.Total().Rows, now.Total().Rows)
	}
	return now.Total(), then.Total(), nil
}

// commitBack commits on the version that was read; what others commit meanwhile is held against
// it. Parameters and metrics have the names that Delta's RESTORE writes, whose commits change
// data: this one does not.
func (e *Engine) commitBack(ctx context.Context, w wayBack, stamp execute.Stamp) (version int64, err error) {
	size := func(b unit.Bytes) string { return strconv.FormatInt(int64(b), 10) }
	done, err := delta.Commit(ctx, w.store, w.delta, delta.Change{
		Remove: w.remove, Add: w.add, Keys: w.keys, Metadata: w.becomes,
		Operation: "RESTORE", Parameters: map[string]any{"version": w.found.Version, "timestamp": nil},
		Metrics: map[string]string{
			"numRemovedFiles": strconv.Itoa(len(w.remove)), "removedFilesSize": size(execute.SizeOf(w.remove)),
			"numRestoredFiles": strconv.Itoa(len(w.add)), "restoredFilesSize": size(execute.SizeOf(w.add)),
			"numOfFilesAfterRestore": strconv.Itoa(len(w.delta.Files) - len(w.remove) + len(w.add)),
			"tableSizeAfterRestore":  size(execute.SizeOf(w.delta.Files) - execute.SizeOf(w.remove) + execute.SizeOf(w.add)),
		},
		UserMetadata: stamp.Text(), EngineInfo: "ajlo/" + e.o.Version, TxnID: e.o.NewID(), Time: e.o.Now().UnixMilli(),
	})
	if err == nil || !errors.Is(err, delta.ErrOutcomeUnknown) {
		return done.Version, err
	}
	return e.settled(context.WithoutCancel(ctx), w, stamp, err)
}

// settled looks in the history for a commit of which storage did not say whether it was written.
func (e *Engine) settled(ctx context.Context, w wayBack, stamp execute.Stamp, unknown error) (int64, error) {
	newest, err := delta.Newest(ctx, w.store)
	if err != nil {
		return 0, errors.Join(unknown, err)
	}
	found, err := execute.Stamped(ctx, w.store, newest, w.delta.Version, stamp)
	if err != nil || len(found) == 0 {
		return 0, errors.Join(unknown, err)
	}
	return found[len(found)-1].Version, nil
}
