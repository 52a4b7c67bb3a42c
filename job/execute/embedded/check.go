package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
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

// spareSpace is the room a rewrite asks of the disk, in tenths of the table's bytes: rows in
// another order compress differently, and the log grows.
const spareSpace = 12

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
	return delta.Unsupported(s), nil
}

// Check refuses the step where Apply would, as far as that can be known before.
func (e *Engine) Check(ctx context.Context, step plan.Step) error {
	t, err := e.open(ctx, step)
	if err != nil {
		return err
	}
	if t.has(step.Layout) {
		return nil
	}
	return e.checkRewrite(ctx, step, t)
}

// checkRewrite looks at files and disks.
func (e *Engine) checkRewrite(ctx context.Context, step plan.Step, t opened) error {
	survey, err := rewrite.Look(ctx, t.task(step))
	if err != nil {
		return refusal(err)
	}
	if err := e.checkSpace(step, t); err != nil {
		return err
	}
	if spilled := survey.Spilled(e.o.Memory); spilled > 0 {
		return e.checkSpill(step, spilled)
	}
	return nil
}

// checkSpill refuses where rows that do not fit in memory do not fit on the disk, either.
func (e *Engine) checkSpill(step plan.Step, needed unit.Bytes) error {
	free, err := e.o.FreeSpace(e.o.Spill)
	if err != nil {
		return err
	}
	if free < needed {
		return refuse(step, "the disk of %s has %d bytes free, rows that do not fit in memory need %d: make room, raise engine.memory or name another folder as engine.spill", e.o.Spill, free, needed)
	}
	return nil
}

// open reads the newest version and refuses what follows from the log alone.
func (e *Engine) open(ctx context.Context, step plan.Step) (opened, error) {
	if reason := unmakable(step.Layout); reason != "" {
		return opened{}, refuse(step, "%s", reason)
	}
	store, err := e.o.Open(string(step.Location))
	if err == nil {
		_, err = folder(store) // rule 4: commits elsewhere are not known to be safe
	}
	if err != nil {
		return opened{}, refuse(step, "%v: the embedded engine rewrites tables on local disks", err)
	}
	t, err := read(ctx, store, step)
	if err != nil {
		return opened{}, err
	}
	if reason := obstacle(t, step); reason != "" {
		return opened{}, refuse(step, "%s", reason)
	}
	return t, nil
}

// read gives one and the same version in both forms.
func read(ctx context.Context, store object.Store, step plan.Step) (opened, error) {
	l, err := lake.Open(ctx, store, step.Table, step.Location)
	if errors.Is(err, lake.ErrUnknownFormat) {
		return opened{}, refuse(step, "%v: the table is gone or is not Delta; make a new plan", err)
	}
	if err != nil {
		return opened{}, err
	}
	d, err := delta.ReplayAt(ctx, store, l.Version)
	if err != nil {
		return opened{}, fmt.Errorf("open table %s: %w", step.Table, err)
	}
	return opened{store, d, l}, nil
}

// unmakable says why a layout cannot be made here; empty where it can.
func unmakable(l layout.Layout) string {
	switch {
	case len(l.Partition) > 0:
		return "the embedded engine does not partition tables"
	case l.Scope != layout.WholeTable:
		return fmt.Sprintf("scope %q: the embedded engine rewrites whole tables", l.Scope)
	}
	if err := layout.CheckKeys(l.Order, len(l.Clustering)); err != nil {
		return err.Error()
	}
	return ""
}

// obstacle says what about the table forbids the step; empty where nothing does.
func obstacle(t opened, step plan.Step) string {
	if unsupported := delta.Unsupported(t.delta); len(unsupported) > 0 {
		return "the embedded engine does not handle " + strings.Join(unsupported, "; ") + ""
	}
	if t.lake.SchemaHash != step.SchemaHash {
		return fmt.Sprintf("its schema changed since it was planned at version %d (%s, now %s at version %d): make a new plan",
			step.Version, step.SchemaHash, t.lake.SchemaHash, t.lake.Version)
	}
	if !sameProtocol(t.lake.Protocol, step.Protocol) {
		return fmt.Sprintf("its protocol changed since it was planned at version %d (%+v, now %+v at version %d): make a new plan",
			step.Version, step.Protocol, t.lake.Protocol, t.lake.Version)
	}
	return ""
}

func sameProtocol(a, b lake.Protocol) bool {
	return a.MinReader == b.MinReader && a.MinWriter == b.MinWriter &&
		sameSet(a.ReaderFeatures, b.ReaderFeatures) && sameSet(a.WriterFeatures, b.WriterFeatures)
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// checkSpace refuses where the disk has no room for the table a second time.
func (e *Engine) checkSpace(step plan.Step, t opened) error {
	dir, err := folder(t.store)
	if err != nil {
		return refuse(step, "%v", err)
	}
	free, err := e.o.FreeSpace(dir)
	if err != nil {
		return err
	}
	if needed := t.lake.Bytes() / 10 * spareSpace; free < needed {
		return refuse(step, "the disk of %s has %d bytes free, the rewrite needs %d: make room or lower the budget", dir, free, needed)
	}
	return nil
}

// folder is the local path of a store.
func folder(store object.Store) (string, error) {
	u, err := url.Parse(store.URL())
	if err != nil {
		return "", err
	}
	if u.Scheme != "file" {
		return "", fmt.Errorf("%s is not on a local disk", store.URL())
	}
	return filepath.FromSlash(u.Path), nil
}

// has reports whether all live files are tagged with the layout. A sort depends on the order
// of its keys, a curve does not. A table without files has every layout.
func (t opened) has(l layout.Layout) bool {
	for _, f := range t.delta.Files {
		tagged, _, ok := delta.TaggedLayout(f.Tags)
		if !ok || tagged.Order != l.Order || !layout.SameKeys(tagged, l) {
			return false
		}
		if l.Order == layout.Sort && !slices.Equal(tagged.Clustering, l.Clustering) {
			return false
		}
	}
	return true
}

// task is the rewrite of all live files.
func (t opened) task(step plan.Step) rewrite.Task {
	task := rewrite.Task{Table: step.Table, Store: t.store, Metadata: t.delta.Metadata, Layout: step.Layout, TargetFile: step.TargetFile}
	for _, f := range t.lake.Files {
		task.Files = append(task.Files, rewrite.File{Path: f.Path, Bytes: f.Bytes, Rows: f.Rows})
	}
	return task
}

func refuse(step plan.Step, format string, args ...any) *execute.Refusal {
	return &execute.Refusal{Table: step.Table, Reason: fmt.Sprintf(format, args...)}
}

// refusal turns what the rewrite refuses into the contract's error.
func refusal(err error) error {
	var r *rewrite.Refusal
	if errors.As(err, &r) {
		return &execute.Refusal{Table: r.Table, Reason: r.Reason}
	}
	return err
}
