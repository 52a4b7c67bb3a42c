package prune_test

import (
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

func TestOverlapOf(t *testing.T) {
	for _, tc := range []struct {
		name         string
		files        []prune.Bounds
		depth, share float64
	}{
		{"perfect order", []prune.Bounds{intBounds(1, 2, 0, 5), intBounds(3, 4, 0, 5), intBounds(5, 6, 0, 5), intBounds(7, 8, 0, 5)}, 1, 0.25},
		{"no order", []prune.Bounds{intBounds(1, 9, 0, 5), intBounds(1, 9, 0, 5)}, 2, 1},
		{"a file without bounds is always read", []prune.Bounds{intBounds(1, 2, 0, 5), {Nulls: -1, Rows: 5}}, 2, 1},
		{"a file of NULLs never is", []prune.Bounds{intBounds(1, 2, 0, 5), {Nulls: 5, Rows: 5}}, 1, 0.5},
		// The big file's ends lie in itself alone, the small one's in both: (9·1·2 + 1·2·2)/20.
		{"weighted by rows", []prune.Bounds{intBounds(0, 9, 0, 9), intBounds(4, 5, 0, 1)}, 1.1, 0.55},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := prune.OverlapOf(tc.files)
			if !ok || !near(got.Depth, tc.depth) || !near(got.LookupShare, tc.share) {
				t.Errorf("OverlapOf = %+v, %v; want depth %v, share %v", got, ok, tc.depth, tc.share)
			}
		})
	}
	if _, ok := prune.OverlapOf([]prune.Bounds{{Nulls: -1, Rows: -1}}); ok {
		t.Error("an overlap was measured of files without bounds")
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// The sorted count equals opening every file with the look-up's own predicate.
func TestOverlapEqualsPruning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := make([]prune.Bounds, rapid.IntRange(1, 12).Draw(t, "files"))
		for i := range files {
			low := rapid.Int64Range(0, 20).Draw(t, "low")
			files[i] = intBounds(low, low+rapid.Int64Range(0, 10).Draw(t, "width"), 0, 1)
		}
		touched := 0.0
		for _, f := range files {
			for _, probe := range []predicate.Value{f.Min, f.Max} {
				p := compare(predicate.Eq, probe)
				for _, other := range files {
					if prune.MayMatch(&p, func(table.Column) (prune.Bounds, bool) { return other, true }) {
						touched++
					}
				}
			}
		}
		got, _ := prune.OverlapOf(files)
		if want := touched / float64(2*len(files)); !near(got.Depth, want) {
			t.Fatalf("depth %v, pruning file by file gives %v", got.Depth, want)
		}
	})
}
