package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// opened is the newest version of a step's table.
type opened struct {
	store object.Store
	delta delta.Snapshot
	lake  lake.Snapshot
}

// Unsupported names what delta.Unsupported lists for the newest version of the table.
func (e *Engine) Unsupported(ctx context.Context, location table.Location) ([]string, error) {
	store, err := e.o.Open(string(location))
	if err != nil {
		return nil, fmt.Errorf("look at table %s: %w", location, err)
	}
	s, err := delta.Replay(ctx, store)
	if err != nil {
		return nil, fmt.Errorf("look at table %s: %w", location, err)
	}
	reasons := delta.Unsupported(s)
	hazard, err := execute.Hazard(ctx, store, s, e.o.Commit)
	if hazard != "" {
		reasons = append(reasons, hazard)
	}
	return reasons, err
}

// Check refuses the step where Apply would, as far as that can be known before.
func (e *Engine) Check(ctx context.Context, step plan.Step) error {
	if step.Back != nil {
		return e.checkBack(ctx, step)
	}
	t, err := e.open(ctx, step)
	if err != nil {
		return err
	}
	if t.done(step) {
		return nil
	}
	if err := e.checkStorage(ctx, step, t.store); err != nil {
		return err
	}
	s, err := t.scope(step)
	if err != nil {
		return err
	}
	return e.checkRewrite(ctx, step, t, s)
}

// done reports whether there is nothing to do. A step with a list of files is never done
// before: its files are of the layout and overlap.
func (t opened) done(step plan.Step) bool {
	return len(step.Files) == 0 && t.has(step.Layout) && !t.changesPartitions(step)
}

// checkStorage refuses where the storage does not keep what the config says of commits. It writes
// an object of its own beside the table, so that it is not asked by those who only look.
func (e *Engine) checkStorage(ctx context.Context, step plan.Step, store object.Store) error {
	reason, err := e.probe.Hazard(ctx, store, e.o.Commit)
	if reason != "" {
		return execute.Refuse(step, "%s", reason)
	}
	return err
}

// checkRewrite looks at files and disks. Partitions are rewritten one after the other: the rows of one
// at a time wait on the disk, beside the new files of those before it.
func (e *Engine) checkRewrite(ctx context.Context, step plan.Step, t opened, s scope) error {
	spilled := unit.Bytes(0)
	for _, p := range s.parts {
		survey, err := rewrite.Look(ctx, p.task, e.o.Memory)
		if err != nil {
			return t.refusal(err)
		}
		spilled = max(spilled, survey.Spilled(e.o.Memory))
	}
	files := execute.RoomFor(execute.SizeOf(s.files))
	if err := e.checkRoom(step, t.store, wanted{files: files, spilled: spilled, others: true}); err != nil {
		return err
	}
	return e.promise(step, t.store, files)
}

// open reads the newest version and refuses what follows from the log alone.
func (e *Engine) open(ctx context.Context, step plan.Step) (opened, error) {
	if reason := unmakable(step.Layout); reason != "" {
		return opened{}, execute.Refuse(step, "%s", reason)
	}
	t, err := e.reach(ctx, step)
	if err != nil {
		return opened{}, err
	}
	if step.Repartition && t.done(step) { // its schema is no more what was planned for
		return t, nil
	}
	if reason := cmp.Or(obstacle(t, step), execute.ChangedTable(ctx, t.store, t.delta, step, t.lake)); reason != "" {
		return opened{}, execute.Refuse(step, "%s", reason)
	}
	if t.changesPartitions(step) {
		reason, err := e.partitionsStay(ctx, t, step)
		if err != nil {
			return opened{}, err
		}
		if reason != "" {
			return opened{}, execute.Refuse(step, "%s", reason)
		}
	}
	return t, nil
}

// reach reads the newest version of a table that this engine may commit to, whatever the step.
func (e *Engine) reach(ctx context.Context, step plan.Step) (opened, error) {
	store, err := e.o.Open(string(step.Location))
	if err != nil {
		return opened{}, execute.Refuse(step, "%v", err)
	}
	if reason := execute.StorageHazard(store, e.o.Commit); reason != "" {
		return opened{}, execute.Refuse(step, "%s", reason)
	}
	d, l, err := execute.Open(ctx, store, step)
	if err != nil {
		return opened{}, err
	}
	t := opened{store, d, l}
	if unsupported := delta.Unsupported(d); len(unsupported) > 0 {
		return opened{}, execute.Refuse(step, "version %d: the embedded engine does not handle %s (its protocol stands in %s, its columns and properties in %s)",
			d.Version, strings.Join(unsupported, "; "), d.ProtocolIn, d.MetadataIn)
	}
	if err := delta.CheckClock(d, e.o.Now()); err != nil {
		return opened{}, execute.Refuse(step, "%v", err)
	}
	reason, err := execute.Hazard(ctx, store, t.delta, e.o.Commit)
	if err != nil {
		return opened{}, err
	}
	if reason != "" {
		return opened{}, execute.Refuse(step, "%s", reason)
	}
	return t, nil
}

// unmakable says why a layout cannot be made here; empty where it can.
func unmakable(l layout.Layout) string {
	if l.Scope != layout.WholeTable {
		return fmt.Sprintf("scope %q: the embedded engine rewrites whole tables", l.Scope)
	}
	if err := layout.CheckKeys(l.Order, len(l.Clustering)); err != nil {
		return err.Error()
	}
	if keys := table.Texts(l.Clustering); len(slices.Compact(slices.Sorted(slices.Values(keys)))) < len(keys) {
		return fmt.Sprintf("keys %q: one column is a key twice", keys)
	}
	if l.Tree != nil && l.Order != layout.LearntCuts {
		return fmt.Sprintf("order %q with learnt cuts: it takes the order %q", l.Order, layout.LearntCuts)
	}
	return ""
}

// obstacle says what about the table forbids the step; empty where nothing does.
func obstacle(t opened, step plan.Step) string {
	if by := table.Texts(step.Layout.Partition); len(by) > 0 && !step.Repartition && !sameSet(t.delta.Metadata.PartitionColumns, by) {
		return fmt.Sprintf("the step does not change how the table is partitioned: it is by %v", t.delta.Metadata.PartitionColumns)
	}
	return ""
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// refusal turns what the rewrite refuses into the contract's error, and names the version that
// was read.
func (t opened) refusal(err error) error {
	var r *rewrite.Refusal
	if errors.As(err, &r) {
		return &execute.Refusal{Table: r.Table, Reason: fmt.Sprintf("version %d: %s", t.delta.Version, r.Reason)}
	}
	return fmt.Errorf("rewrite %s at version %d: %w", t.lake.Table, t.delta.Version, err)
}
