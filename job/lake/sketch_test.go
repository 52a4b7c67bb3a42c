package lake

import (
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// Sketched values stay inside their file's bounds, and there are as many NULLs as the bounds
// say.
func TestSketchStaysInsideBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Snapshot
		for range rapid.IntRange(1, 5).Draw(t, "files") {
			rows := rapid.Int64Range(1, 50).Draw(t, "rows")
			low := rapid.Int64().Draw(t, "low")
			high := rapid.Int64Range(low, 1<<63-1).Draw(t, "high")
			nulls := rapid.Int64Range(0, rows).Draw(t, "nulls")
			s.Files = append(s.Files, File{Rows: rows, Bounds: map[table.Column]prune.Bounds{
				"a": {Min: predicate.IntValue(low), Max: predicate.IntValue(high), Rows: rows, Nulls: nulls},
				"s": {Min: predicate.StringValue("a"), Max: predicate.StringValue("b"), Rows: rows},
			}})
		}
		all, _ := s.Rows()
		got := Sketch(s, []table.Column{"a", "s", "unbounded"}, int(all))
		if got.Len() != int(all) || got.Population != all {
			t.Fatalf("%d rows of %d, population %d", got.Len(), all, got.Population)
		}
		at := 0
		for _, f := range s.Files {
			nulls := int64(0)
			for range f.Rows {
				v, text := got.Values[0][at], got.Values[1][at].S
				if v.IsNull() {
					nulls++
				} else if v.I < f.Bounds["a"].Min.I || v.I > f.Bounds["a"].Max.I {
					t.Fatalf("%d is not from %v to %v", v.I, f.Bounds["a"].Min, f.Bounds["a"].Max)
				}
				if text != "a" && text != "b" || !got.Values[2][at].IsNull() {
					t.Fatalf("row %d holds %q and %v", at, text, got.Values[2][at])
				}
				at++
			}
			if nulls != f.Bounds["a"].Nulls {
				t.Fatalf("%d NULLs, want %d", nulls, f.Bounds["a"].Nulls)
			}
		}
	})
}

// Two columns of one file do not rise together.
func TestSketchKeepsColumnsApart(t *testing.T) {
	const rows = 1_000
	whole := prune.Bounds{Min: predicate.IntValue(0), Max: predicate.IntValue(rows - 1), Rows: rows}
	s := Snapshot{Files: []File{{Rows: rows, Bounds: map[table.Column]prune.Bounds{"a": whole, "b": whole}}}}
	got := Sketch(s, []table.Column{"a", "b"}, rows)
	quarter := 0
	for i := range rows {
		if got.Values[0][i].I < rows/2 && got.Values[1][i].I < rows/2 {
			quarter++
		}
	}
	if quarter < 200 || quarter > 300 {
		t.Errorf("%d of 1000 rows are in the lower half of both columns, want about 250", quarter)
	}
}
