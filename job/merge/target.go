package merge

import (
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
	"ajlo/job/table"
)

// target is the newest version of the table, and what the request's columns are in it.
type target struct {
	store  object.Store
	read   delta.Snapshot // as the log has it
	delta  delta.Snapshot // with the columns that the merge adds
	lake   lake.Snapshot
	schema delta.Schema
	on     []int        // of the schema
	want   []want       // columns of the source
	added  delta.Schema // columns of the source that the table gets
	// lacking says of each column that the source lacks it, which matters where the table takes
	// the source's columns; nil elsewhere.
	lacking []bool
	parted  []int // partition columns
	keys    []int // clustering keys that are columns of the files
	// loose are columns that hold clustering keys which are no columns by themselves: rows of which
	// they change leave their place. −1 is one that was not found.
	loose []int
	// rooted is true where keys are all that place a row within its partition.
	rooted bool
	order  layout.Layout // of rows that are written apart
}

// refuse is a refusal that names the table.
func (r Request) refuse(format string, args ...any) error {
	return &execute.Refusal{Table: r.Table, Reason: fmt.Sprintf(format, args...)}
}

// unreadable is a source that gave an error, or the end of a merge that was interrupted meanwhile.
func (r Request) unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("merge into %s: reading the source: %w", r.Table, ctx.Err())
	}
	return r.refuse("the source cannot be read: %v", err)
}

// open reads the newest version and refuses what follows from the log alone.
func (m *Merger) open(ctx context.Context, r Request) (*target, error) {
	store, err := m.o.Open(string(r.Location))
	if err != nil {
		return nil, r.refuse("%v", err)
	}
	if reason := execute.StorageHazard(store, m.o.Commit); reason != "" {
		return nil, r.refuse("%s", reason)
	}
	d, err := delta.Replay(ctx, store)
	if errors.Is(err, delta.ErrNoTable) {
		return nil, r.refuse("%v: rows are merged into Delta tables only", err)
	}
	if err != nil && ctx.Err() == nil {
		return nil, r.refuse("its log cannot be read: %v", err)
	}
	if err != nil {
		return nil, fmt.Errorf("merge into %s: %w", r.Table, err)
	}
	if reason := obstacle(r, d); reason != "" {
		return nil, r.refuse("version %d: %s", d.Version, reason)
	}
	if err := delta.CheckClock(d, m.o.Now()); err != nil {
		return nil, r.refuse("%v", err)
	}
	reason, err := execute.Hazard(ctx, store, d, m.o.Commit)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		return nil, r.refuse("%s", reason)
	}
	t := &target{store: store, read: d, delta: d, schema: d.Metadata.Schema}
	if r.Evolve {
		if err := m.evolve(ctx, r, t); err != nil {
			return nil, err
		}
	}
	l, err := lake.OfDelta(t.delta, r.Table, r.Location)
	if err != nil {
		return nil, err
	}
	t.lake = l.Traced(ctx, store, d)
	return t, t.resolve(r)
}

// obstacle says what about the table forbids the merge; empty where nothing does.
func obstacle(r Request, d delta.Snapshot) string {
	if found := slices.Concat(delta.Unsupported(d), delta.Unalterable(d)); len(found) > 0 {
		return fmt.Sprintf("ajlo does not merge into tables with %s (its protocol stands in %s, its columns and properties in %s)",
			strings.Join(found, "; "), d.ProtocolIn, d.MetadataIn)
	}
	if d.Metadata.AppendOnly() && r.alters() {
		return "it is append-only (delta.appendOnly): its rows may not be changed or deleted"
	}
	for _, f := range d.Metadata.PartitionFields() {
		if !spellable(f.Type) {
			return fmt.Sprintf("ajlo does not merge into tables partitioned by a %s (column %s)", f.Type.Text, f.Name)
		}
	}
	if len(d.Metadata.PartitionColumns) == len(d.Metadata.Schema) {
		return "it has no columns but those it is partitioned by"
	}
	return ""
}

// spellable reports whether values of the type can be written into the log as a partition's: decimals,
// too, which have one spelling at the scale of their column.
func spellable(t delta.Type) bool {
	return t.Partitionable() || t.Kind == delta.Decimal && t.HasValues()
}

// resolve finds the columns that the request and the layout name.
func (t *target) resolve(r Request) error {
	var err error
	if t.on, err = t.columns(r, r.On); err != nil {
		return err
	}
	for _, c := range t.on {
		if f := t.schema[c]; !matchable(f.Type) {
			return r.refuse("rows cannot be matched by column %s of type %s", f.Name, f.Type.Text)
		}
	}
	if t.want, err = t.wanted(r); err != nil {
		return r.refuse("%v", err)
	}
	for _, name := range t.delta.Metadata.PartitionColumns {
		c, err := columnNamed(t.schema, name)
		if err != nil {
			return r.refuse("partition column: %v", err)
		}
		t.parted = append(t.parted, c)
	}
	t.clustering()
	return t.arrange(r)
}

func (t *target) columns(r Request, names []table.Column) ([]int, error) {
	var found []int
	for _, name := range names {
		c, err := columnNamed(t.schema, string(name))
		if err != nil {
			return nil, r.refuse("%v", err)
		}
		if slices.Contains(found, c) {
			return nil, r.refuse("column %s is named twice", name)
		}
		found = append(found, c)
	}
	return found, nil
}

// columnNamed finds a column by its exact name, else by the only one that differs in case.
func columnNamed(schema delta.Schema, name string) (int, error) {
	exact := func(f delta.Field) bool { return f.Name == name }
	if c := slices.IndexFunc(schema, exact); c >= 0 {
		if slices.ContainsFunc(schema[c+1:], exact) {
			return 0, fmt.Errorf("column %s is there twice", name)
		}
		return c, nil
	}
	found := -1
	for c, f := range schema {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("column %s: %s and %s differ in case only", name, schema[found].Name, f.Name)
		}
		found = c
	}
	if found < 0 {
		return 0, fmt.Errorf("there is no column %s; there are %s", name, names(schema))
	}
	return found, nil
}

// mostNames are listed in an error.
const mostNames = 30

func names(schema delta.Schema) string {
	all := make([]string, 0, len(schema))
	for _, f := range schema[:min(len(schema), mostNames)] {
		all = append(all, f.Name)
	}
	if len(schema) > mostNames {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// matchable reports whether SQL's equality of two values of the type is known here.
func matchable(t delta.Type) bool {
	switch t.Kind {
	case delta.Struct, delta.Array, delta.Map, delta.Binary, delta.Other:
		return false
	}
	return true
}

// clustering finds the columns whose values a row may not change to stay in its place.
func (t *target) clustering() {
	t.rooted = true
	for _, key := range t.lake.Layout.Clustering {
		named := func(name string) int {
			return slices.IndexFunc(t.schema, func(f delta.Field) bool { return f.Name == name })
		}
		c := named(string(key))
		switch {
		case c < 0: // a field of a struct
			top, _, _ := strings.Cut(string(key), ".")
			whole := named(top)
			t.rooted, t.loose = false, append(t.loose, whole)
		case !matchable(t.schema[c].Type):
			t.rooted, t.loose = false, append(t.loose, c)
		case !slices.Contains(t.parted, c):
			t.keys = append(t.keys, c)
		}
	}
	t.rooted = t.rooted && len(t.keys) > 0
}

// arrange says in which order rows are written apart: by the clustering keys; without any by the
// columns that rows are matched by, so that the next merge finds them by bounds.
func (t *target) arrange(r Request) error {
	order, by := t.lake.Layout.Order, t.keys
	if order != layout.Sort && order != layout.ZOrder {
		order = layout.Hilbert
	}
	if len(by) == 0 {
		order = layout.Sort
		for _, c := range slices.Concat(t.on, t.all()) {
			if len(by) < len(t.on) && matchable(t.schema[c].Type) && !slices.Contains(t.parted, c) && !slices.Contains(by, c) {
				by = append(by, c)
			}
		}
	}
	if len(by) == 1 {
		order = layout.Sort
	}
	for layout.CheckKeys(order, len(by)) != nil && len(by) > 1 {
		by = by[:len(by)-1]
	}
	if len(by) == 0 {
		return r.refuse("it has no column by which rows can be put in order")
	}
	t.order = layout.ClusteredBy(order)
	for _, c := range by {
		t.order.Clustering = append(t.order.Clustering, table.Column(t.schema[c].Name))
	}
	return nil
}

func (t *target) all() []int {
	all := make([]int, len(t.schema))
	for c := range all {
		all[c] = c
	}
	return all
}

// stored are the columns of the data files, in their order.
func (t *target) stored() (stored []int) {
	for c := range t.schema {
		if !slices.Contains(t.parted, c) {
			stored = append(stored, c)
		}
	}
	return stored
}

// withFiles is a file that another version of the table adds, with its bounds.
func (t *target) withFiles(s delta.Snapshot) (lake.File, error) {
	l, err := lake.OfDelta(s, t.lake.Table, t.lake.Location)
	if err != nil || len(l.Files) != 1 {
		return lake.File{}, fmt.Errorf("bounds of a file: %w", err)
	}
	return l.Files[0], nil
}
