package embedded

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/plan"
)

// Snapshots are kept by expire_snapshots for so long where the table does not say.
const (
	snapshotAgeKey     = "history.expire.max-snapshot-age-ms"
	defaultSnapshotAge = 5 * 24 * time.Hour // as in Iceberg
)

// icebergBack is the way of an Iceberg table back to an earlier snapshot.
type icebergBack struct {
	store       object.Store
	now, before iceberg.Snapshot
	remove, add []iceberg.File
	found       plan.Back
	catalog     committer // nil where the folder is the catalog
}

// icebergWayBack finds the snapshot of before from those that the table lists. Going back to it
// drops what came in since, so that only snapshots with the same rows may lie between.
func (e *Engine) icebergWayBack(ctx context.Context, store object.Store, step plan.Step) (b icebergBack, err error) {
	b.store = store
	if b.catalog, err = e.catalogOf(ctx, step); err != nil {
		return b, err
	}
	if b.catalog == nil && object.Scheme(b.store.URL()) == "s3" && e.o.Commit != config.Exclusive {
		return b, execute.Refuse(step, "it is on S3, where Iceberg's writers can lose each other's commits: say commit: exclusive if ajlo writes alone")
	}
	if b.now, err = iceberg.Read(ctx, b.store); err != nil {
		return b, execute.Refuse(step, "%v", err)
	}
	b.found = *step.Back
	base, err := beforeStep(step, b.now)
	if err != nil {
		return b, err
	}
	if base == nil {
		b.found.Done = true
		return b, nil
	}
	if err := b.now.MayRollBack(); err != nil && b.catalog == nil {
		return b, execute.Refuse(step, "%v: while nothing else is written, rollback_to_snapshot takes it to snapshot %d", err, base.ID)
	}
	b.found.Version, b.found.Until = base.ID, base.Time.Add(snapshotAge(b.now))
	if b.before, err = iceberg.ReadAt(ctx, b.store, base.ID); err != nil {
		return b, execute.Refuse(step, "%v", err)
	}
	b.remove, b.add = iceberg.Without(b.now.Files, b.before.Files), iceberg.Without(b.before.Files, b.now.Files)
	if slices.ContainsFunc(slices.Concat(b.remove, b.add), func(f iceberg.File) bool { return f.Deleted }) {
		return b, execute.Refuse(step, "delete files hide rows of it, so that they cannot be compared")
	}
	b.found.Files, b.found.Replaced, b.found.Bytes = len(b.add), len(b.remove), execute.SizeOfIceberg(b.add)
	return b, nil
}

// beforeStep is the snapshot that a step's followed; nil where the step's is no part of the
// table's present any more.
func beforeStep(step plan.Step, now iceberg.Snapshot) (*iceberg.Commit, error) {
	known := byID(now.Commits)
	ours := func(c iceberg.Commit) bool { return execute.IsStamped(c.Summary[iceberg.StampKey], step.Back.Of) }
	if !slices.ContainsFunc(now.Commits, ours) {
		return nil, execute.Refuse(step, "it lists no snapshot of step %d of run %s any more", step.Back.Of.Step+1, step.Back.Of.Run)
	}
	reached, since := false, ""
	for c, ok := known[now.ID]; ok; c, ok = known[c.Parent] {
		mine := ours(c)
		_, stamped := delta.ParseStamp(c.Summary[iceberg.StampKey])
		switch {
		case mine && since != "":
			return nil, execute.Refuse(step, "%s: rollback_to_snapshot would lose it", since)
		case reached && !mine:
			return &c, nil
		case !mine && since == "" && (stamped || c.Operation != iceberg.Replace):
			since = fmt.Sprintf("snapshot %d (%s) was made since", c.ID, c.Operation)
		}
		reached = reached || mine
	}
	if reached {
		return nil, execute.Refuse(step, "the snapshot from before the step was expired")
	}
	return nil, nil
}

func snapshotAge(s iceberg.Snapshot) time.Duration {
	if ms, err := strconv.ParseInt(s.Properties[snapshotAgeKey], 10, 64); err == nil {
		return time.Duration(ms) * time.Millisecond
	}
	return defaultSnapshotAge
}

// attemptIcebergBack makes the snapshot of before the current one, on the metadata that was read.
// Spark's rollback_to_snapshot looks at the table anew and drops what others commit meanwhile.
func (e *Engine) attemptIcebergBack(ctx context.Context, store object.Store, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	b, err := e.icebergWayBack(ctx, store, step)
	if err == nil {
		err = asPlanned(step, b.found)
	}
	if err != nil || b.found.Done {
		return execute.Result{Version: b.now.ID}, err
	}
	rows := execute.NewIcebergRows(b.store, b.now)
	r := execute.Result{
		Changed: true, Version: b.before.ID, Previous: b.now.ID, FilesRemoved: len(b.remove), FilesAdded: len(b.add),
		BytesRemoved: execute.SizeOfIceberg(b.remove), BytesAdded: execute.SizeOfIceberg(b.add), Attempts: 1,
	}
	r.Removed, err = rows.Of(ctx, b.remove)
	if err == nil {
		r.Added, err = rows.Of(ctx, b.add)
	}
	switch {
	case err != nil:
		return execute.Result{}, execute.Refuse(step, "its rows cannot be compared: %v", err)
	case r.Removed != r.Added:
		return execute.Result{}, execute.Refuse(step, "snapshot %d has %d rows that are not the %d of now", b.before.ID, r.Added.Rows, r.Removed.Rows)
	}
	rec.Progress(r.BytesAdded, r.BytesAdded)
	if err := rec.Intend(ctx, step.Location, nil); err != nil { // does the run still hold its lease?
		return execute.Result{}, err
	}
	properties := map[string]string{iceberg.RollbackKey: rec.Stamp().Text(), iceberg.LayoutKey: keysPutBefore(b.now, b.before.ID)}
	if b.catalog != nil {
		return r, b.catalog.RollBack(ctx, step.Table, b.now, b.before.ID, properties)
	}
	return r, iceberg.Rollback(ctx, b.store, b.now, b.before.ID, properties, e.o.Now())
}

// keysPutBefore are the keys that the latest step of ajlo up to a snapshot had put down, ""
// where none is listed.
func keysPutBefore(now iceberg.Snapshot, snapshot int64) string {
	known := byID(now.Commits)
	for c, ok := known[snapshot]; ok; c, ok = known[c.Parent] {
		if _, ours := delta.ParseStamp(c.Summary[iceberg.StampKey]); ours && c.Summary[iceberg.LayoutKey] != "" {
			return c.Summary[iceberg.LayoutKey]
		}
	}
	return ""
}

func byID(commits []iceberg.Commit) map[int64]iceberg.Commit {
	known := make(map[int64]iceberg.Commit, len(commits))
	for _, c := range commits {
		known[c.ID] = c
	}
	return known
}
