package rewrite_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/rewrite"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// ordersTree cuts orders at the end of 1993, the earlier part at a key and the later one at a
// status.
func ordersTree() *layout.Tree {
	return &layout.Tree{
		Column: "o_orderdate", Cut: predicate.DateValue(8_766), // 1994-01-01
		Below: &layout.Tree{Column: "o_orderkey", Cut: predicate.IntValue(100_000)},
		From:  &layout.Tree{Column: "o_orderstatus", Cut: predicate.StringValue("O")},
	}
}

// typesTree cuts at a value of every kind there is.
func typesTree() *layout.Tree {
	tree := &layout.Tree{Column: "id", Cut: predicate.IntValue(20)}
	for _, at := range []layout.Tree{
		{Column: "a_double", Cut: predicate.FloatValue(1)}, {Column: "a_float", Cut: predicate.FloatValue(0)},
		{Column: "a_string", Cut: predicate.StringValue("b")}, {Column: "a_date", Cut: predicate.DateValue(0)},
		{Column: "a_timestamp", Cut: predicate.TimestampValue(0)}, {Column: "a_boolean", Cut: predicate.BoolValue(true)},
		{Column: "dec_15_2", Cut: predicate.DecimalValue(100, 2)}, {Column: "a_byte", Cut: predicate.IntValue(0)},
	} {
		at.From = tree
		tree = &at
	}
	return tree
}

// Every file lies on one side of every cut that leads to it.
func TestFilesFollowCuts(t *testing.T) {
	dir := copied(t, tpch+"orders")
	task := taskFor(t, dir, layout.CutBy(ordersTree(), "o_orderkey", "o_custkey"), 64*unit.KiB)
	var intended []string
	out, err := rewrite.Rewrite(t.Context(), task, options(&intended))
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[int]bool{}
	for _, f := range out.Files {
		_, bounds, err := delta.ParseStats(f.Stats, task.Metadata.Schema)
		if err != nil {
			t.Fatal(err)
		}
		low, high := leafOf(bounds, func(b prune.Bounds) predicate.Value { return b.Min }), leafOf(bounds, func(b prune.Bounds) predicate.Value { return b.Max })
		if low != high {
			t.Errorf("%s spans the leaves %d to %d", f.Path, low, high)
		}
		leaves[low] = true
	}
	if len(leaves) != 4 || len(out.Files) < 40 {
		t.Errorf("%d files in %d leaves, want all 4", len(out.Files), len(leaves))
	}
}

func leafOf(bounds map[table.Column]prune.Bounds, end func(prune.Bounds) predicate.Value) int {
	flat := ordersTree().Flat()
	return flat.Leaf(func(branch int) bool { return layout.Below(end(bounds[flat[branch].Column]), flat[branch].Cut) })
}

// A tree that was learnt before a column changed its type is refused, not misread.
func TestCutsOfAnotherTypeAreRefused(t *testing.T) {
	dir := copied(t, tpch+"orders")
	for _, tree := range []*layout.Tree{
		{Column: "o_orderkey", Cut: predicate.StringValue("7")}, {Column: "o_orderdate", Cut: predicate.IntValue(7)},
		{Column: "o_totalprice", Cut: predicate.DecimalValue(7, 3)}, {Column: "o_comment", Cut: predicate.IntValue(7)},
		{Column: "no_such_column", Cut: predicate.IntValue(7)},
	} {
		var intended []string
		_, err := rewrite.Rewrite(t.Context(), taskFor(t, dir, layout.CutBy(tree, "o_orderkey"), unit.MB), options(&intended))
		if err == nil || cmp.Diff([]string(nil), intended) != "" {
			t.Errorf("cut of %s at a %s: %v, files %v", tree.Column, tree.Cut.Kind, err, intended)
		}
	}
}
