package rewrite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/predicate"
	"ajlo/job/rewrite"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

const (
	spark40 = "testdata/spark40/"
	tpch    = "../../testdata/spark40-delta/warehouse/tpch.db/"
)

// copied is a table in a folder of its own.
func copied(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// taskFor is the rewrite of all live files of the table in dir.
func taskFor(t *testing.T, dir string, l layout.Layout, target unit.Bytes) rewrite.Task {
	t.Helper()
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := delta.Replay(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	task := rewrite.Task{Table: table.Name(filepath.Base(dir)), Store: store, Metadata: s.Metadata, Layout: l, TargetFile: target}
	for _, f := range s.Files {
		rows, _, err := delta.ParseStats(f.Stats, s.Metadata.Schema)
		if err != nil {
			t.Fatal(err)
		}
		task.Files = append(task.Files, rewrite.File{Path: f.Path, Bytes: unit.Bytes(f.Size), Rows: rows})
	}
	return task
}

// options give files the ids 1, 2, … and keep what was intended.
func options(intended *[]string) rewrite.Options {
	n := 0
	return rewrite.Options{
		NewID: func() string { n++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) },
		Intend: func(_ context.Context, paths []string) error {
			*intended = append(*intended, paths...)
			return nil
		},
	}
}

func TestRewriteKeepsEveryRow(t *testing.T) {
	tests := []struct {
		name   string
		table  string
		layout layout.Layout
		target unit.Bytes
		files  int
	}{
		{"every type, by a curve", spark40 + "types", layout.ClusteredBy(layout.Hilbert, "id", "a_timestamp"), 10 * unit.KB, 9},
		{"every type, by a timestamp", spark40 + "types", layout.ClusteredBy(layout.Sort, "a_timestamp"), unit.GB, 1},
		{"every type, by floats", spark40 + "types", layout.ClusteredBy(layout.ZOrder, "a_float", "a_double", "a_string"), 20 * unit.KB, 5},
		{"every type, by decimals", spark40 + "types", layout.ClusteredBy(layout.Hilbert, "dec_5_2", "dec_15_2", "dec_38_10", "dec_38_0"), 40 * unit.KB, 3},
		{"every type, by small integers", spark40 + "types", layout.ClusteredBy(layout.Sort, "a_byte", "a_short", "an_int", "a_long", "a_boolean", "a_date"), 40 * unit.KB, 3},
		{"timestamps of no zone", spark40 + "ntz", layout.ClusteredBy(layout.Sort, "local"), 1 * unit.KB, 2},
		{"a schema that grew", spark40 + "evolved", layout.ClusteredBy(layout.ZOrder, "id", "price"), 3 * unit.KB, 4},
		{"a column that is not null", spark40 + "strict", layout.ClusteredBy(layout.Sort, "name"), 1 * unit.MB, 1},
		{"more files than rows", tpch + "region", layout.ClusteredBy(layout.Sort, "r_name"), 1, 5},
		{"orders by learnt cuts", tpch + "orders", layout.CutBy(ordersTree(), "o_orderkey", "o_custkey"), 256 * unit.KiB, 11},
		{"every type, by learnt cuts", spark40 + "types", layout.CutBy(typesTree(), "id"), 20 * unit.KB, 7},
		{"orders", tpch + "orders", layout.ClusteredBy(layout.Hilbert, "o_orderkey", "o_orderdate"), 256 * unit.KiB, 11},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := copied(t, tt.table)
			before, err := rowtest.Rows(dir)
			if err != nil {
				t.Fatal(err)
			}
			var intended []string
			out, err := rewrite.Rewrite(t.Context(), taskFor(t, dir, tt.layout, tt.target), options(&intended))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(intended, out.Paths()); diff != "" {
				t.Errorf("written other files than intended: %s", diff)
			}
			if len(out.Files) != tt.files {
				t.Errorf("%d files, want %d", len(out.Files), tt.files)
			}
			if out.Removed != out.Added || out.Added.Rows != int64(len(before)) {
				t.Errorf("sums %v and %v, want %d rows in both", out.Removed, out.Added, len(before))
			}
			if diff := cmp.Diff(before, writtenRows(t, dir, out)); diff != "" {
				t.Errorf("rows differ: %s", diff)
			}
		})
	}
}

func writtenRows(t *testing.T, dir string, out rewrite.Outcome) []string {
	t.Helper()
	table, err := rowtest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range out.Files {
		rows, err := rowtest.FileRows(filepath.Join(dir, f.Path), table.Fields)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(rows)) != f.Rows {
			t.Errorf("%s: %d rows, want %d", f.Path, len(rows), f.Rows)
		}
		if info, err := os.Stat(filepath.Join(dir, f.Path)); err != nil || unit.Bytes(info.Size()) != f.Bytes {
			t.Errorf("%s: %v, %v, want %d bytes", f.Path, info, err, f.Bytes)
		}
		all = append(all, rows...)
	}
	slices.Sort(all)
	return all
}

func TestRewriteOrdersRows(t *testing.T) {
	dir := copied(t, spark40+"types")
	var intended []string
	out, err := rewrite.Rewrite(t.Context(), taskFor(t, dir, layout.ClusteredBy(layout.Sort, "a_double", "id"), unit.GB), options(&intended))
	if err != nil {
		t.Fatal(err)
	}
	key := []rowtest.Field{{Name: "a_double", Type: rowtest.Type{Name: "double"}}}
	rows, err := rowtest.FileRows(filepath.Join(dir, out.Files[0].Path), key)
	if err != nil {
		t.Fatal(err)
	}
	// NULLs, the zeros and a few numbers between, infinity, NaN.
	got := slices.Compact(slices.Clone(rows))
	if first, last := got[0], got[len(got)-1]; first != "{a_double=NULL;}" || last != "{a_double=7ff8000000000000;}" {
		t.Errorf("from %s to %s, want NULLs first and NaN last", first, last)
	}
	if before := got[len(got)-2]; before != "{a_double=7ff0000000000000;}" {
		t.Errorf("before NaN comes %s, want infinity", before)
	}
	zero, minus := slices.Index(rows, "{a_double=0000000000000000;}"), slices.Index(rows, "{a_double=8000000000000000;}")
	if between := rows[min(zero, minus):max(zero, minus)]; len(slices.Compact(slices.Clone(between))) > 2 {
		t.Errorf("other values lie between the zeros: %v", between)
	}
}

func TestRewriteWritesStatistics(t *testing.T) {
	dir := copied(t, spark40+"strict")
	var intended []string
	out, err := rewrite.Rewrite(t.Context(), taskFor(t, dir, layout.ClusteredBy(layout.Sort, "id"), unit.GB), options(&intended))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"numRecords":20,"minValues":{"id":0},"maxValues":{"id":19},"nullCount":{"id":0}}`
	if diff := cmp.Diff(want, out.Files[0].Stats); diff != "" {
		t.Error(diff)
	}
}

func TestRewriteReportsProgressToTheEnd(t *testing.T) {
	dir := copied(t, tpch+"customer")
	var intended []string
	o := options(&intended)
	var last, total unit.Bytes
	o.Progress = func(done, of unit.Bytes) {
		if done < last || done > of {
			t.Errorf("%d of %d after %d", done, of, last)
		}
		last, total = done, of
	}
	if _, err := rewrite.Rewrite(t.Context(), taskFor(t, dir, layout.ClusteredBy(layout.Sort, "c_custkey"), 100*unit.KB), o); err != nil {
		t.Fatal(err)
	}
	if total == 0 || float64(last) < 0.99*float64(total) {
		t.Errorf("ended at %d of %d", last, total)
	}
}

func TestRewriteRefuses(t *testing.T) {
	byID := layout.ClusteredBy(layout.Sort, "id")
	tests := []struct {
		name  string
		table string
		edit  func(*rewrite.Task, *rewrite.Options)
		want  string
	}{
		{"a key that is not there", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Layout = layout.ClusteredBy(layout.Sort, "nobody")
		}, `types: key column "nobody": the table has no such column`},
		{"a key without an order", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Layout = layout.ClusteredBy(layout.Sort, "a_map")
		}, `types: key column "a_map": rows cannot be ordered by map`},
		{"a cut of another type than its column", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Layout = layout.ClusteredBy(layout.LearntCuts, "id")
			task.Layout.Tree = &layout.Tree{Column: "id", Cut: predicate.StringValue("x")}
		}, `types: column "id": values of int64 cannot be cut at a string`},
		{"a file that is gone", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Files[0].Path = "gone.parquet"
		}, "gone.parquet"},
		{"a file of another size", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Files[0].Bytes++
		}, "bytes, it should have"},
		{"a file with other rows", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Files[0].Rows++
		}, "rows, it should have"},
		{"a column stored as another type", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Metadata.Schema[0].Type = delta.Type{Kind: delta.Date, Text: "date"}
		}, `column "id": stored as int64, which is not read as date`},
		{"a type nobody knows", spark40 + "types", func(task *rewrite.Task, _ *rewrite.Options) {
			task.Metadata.Schema[0].Type = delta.Type{Kind: delta.Other, Text: "variant"}
		}, `column "id": type "variant" is not supported`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := copied(t, tt.table)
			before, err := rowtest.DataFiles(dir)
			if err != nil {
				t.Fatal(err)
			}
			var intended []string
			task, o := taskFor(t, dir, byID, unit.GB), options(&intended)
			tt.edit(&task, &o)
			_, err = rewrite.Rewrite(t.Context(), task, o)
			if _, ok := err.(*rewrite.Refusal); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a refusal with %q", err, tt.want)
			}
			after, err := rowtest.DataFiles(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, after); diff != "" || intended != nil {
				t.Errorf("files changed or intended (%v): %s", intended, diff)
			}
		})
	}
}
