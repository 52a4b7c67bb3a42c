package rewrite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

// PartitionColumn is the value that the log has for all rows of a file, so many times.
func PartitionColumn(f delta.Add, column delta.Field, rows int) (arrow.Array, error) {
	v, err := delta.PartitionValue(f, column)
	if err != nil {
		return nil, err
	}
	dt, err := arrowType(column.Type)
	if err != nil {
		return nil, err
	}
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	for range rows {
		if err := delta.AppendValue(b, v); err != nil {
			return nil, fmt.Errorf("partition column %q of %s: %w", column.Name, f.Path, err)
		}
	}
	return b.NewArray(), nil
}

// checkPartition refuses a partition column whose values two files may spell in two ways.
func checkPartition(column delta.Field) error {
	if !column.Type.Partitionable() {
		return fmt.Errorf("partition column %q: values of type %s are not spelled in one way", column.Name, column.Type.Text)
	}
	return nil
}

// parting is how rows go into the partitions of a column: partition i holds the rows of leaf i.
type parting struct {
	field  delta.Field
	values []*string // as the log spells them, in the order of the leaves
}

// of are the partition values of a leaf's files, and where those go.
func (p *parting) of(leaf int) (values map[string]*string, folder string) {
	values = map[string]*string{p.field.Physical(): p.values[leaf]}
	return values, delta.HiveFolder([]delta.Field{p.field}, values)
}

// intoParts reads all values of the column that the table is to be partitioned by, and has the layout
// keep each apart from the others. A task of other kinds stays as it is.
func intoParts(ctx context.Context, t Task) (Task, error) {
	if t.Becomes == nil || len(t.Becomes.PartitionColumns) == 0 {
		return t, nil
	}
	fields := t.Becomes.PartitionFields()
	if len(fields) != 1 || t.Layout.Order == layout.Sort && len(t.Layout.Clustering) > 1 || t.Layout.Tree != nil {
		return t, &Refusal{t.Table, fmt.Sprintf("files are made for partitions by one column, along a curve: not %s", t.Layout)}
	}
	p := &parting{field: fields[0]}
	if err := checkPartition(p.field); err != nil {
		return t, &Refusal{t.Table, err.Error()}
	}
	values, err := distinct(ctx, t, p.field)
	if err != nil {
		return t, refused(ctx, t, err)
	}
	for _, v := range values {
		text, err := delta.SpellPartition(v, p.field)
		if err != nil {
			return t, &Refusal{t.Table, err.Error()}
		}
		p.values = append(p.values, text)
	}
	if len(t.Layout.Clustering) == 1 {
		t.Layout.Order = layout.LearntCuts // along the curve of one key: in its order, leaf by leaf
	}
	t.Layout.Tree = apart(table.Column(p.field.Name), values)
	t.parting = p
	return t, nil
}

// apart is the tree whose leaves hold one of the values each; they are in order.
func apart(c table.Column, values []predicate.Value) *layout.Tree {
	if len(values) < 2 {
		return nil
	}
	middle := len(values) / 2
	return &layout.Tree{Column: c, Cut: values[middle], Below: apart(c, values[:middle]), From: apart(c, values[middle:])}
}

// distinct are all values of a column, in order, NULL before all others.
func distinct(ctx context.Context, t Task, field delta.Field) ([]predicate.Value, error) {
	seen := map[predicate.Value]bool{}
	for _, f := range t.Files {
		if err := distinctOf(ctx, t, f, field, seen); err != nil {
			return nil, err
		}
	}
	values := make([]predicate.Value, 0, len(seen))
	for v := range seen {
		values = append(values, v)
	}
	sort.Slice(values, func(i, j int) bool { return layout.Below(values[i], values[j]) })
	return values, nil
}

func distinctOf(ctx context.Context, t Task, f File, field delta.Field, seen map[predicate.Value]bool) (err error) {
	open, err := openDataFile(ctx, t, f, delta.Schema{field})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	for b, err := range open.Batches(ctx, 0, open.Groups()) {
		if err != nil {
			return err
		}
		if err := takeDistinct(b.columns[0], field, seen); err != nil {
			return fmt.Errorf("read %s: %w", f.Path, err)
		}
	}
	return nil
}

func takeDistinct(column arrow.Array, field delta.Field, seen map[predicate.Value]bool) error {
	for i := range column.Len() {
		v, _, err := delta.ValueOf(column, i, field.Type)
		if err != nil {
			return err
		}
		if seen[v] {
			continue
		}
		v.S = string([]byte(v.S)) // not a part of the batch
		if seen[v] = true; len(seen) > layout.MaxPartitions {
			return fmt.Errorf("column %q has over %d values: too many to partition a table by", field.Name, layout.MaxPartitions)
		}
	}
	return nil
}

// dropping leaves out of rows in the task's columns those that new files do not hold.
func (t Task) dropping(columns []arrow.Array) []arrow.Array {
	if t.Becomes == nil {
		return columns
	}
	stored := t.stored()
	left := make([]arrow.Array, 0, len(stored))
	for c, f := range t.columns() {
		if slices.ContainsFunc(stored, func(s delta.Field) bool { return s.Name == f.Name }) {
			left = append(left, columns[c])
		}
	}
	return left
}
