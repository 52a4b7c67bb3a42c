package delta

import (
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Rows that are marked are those that are deleted afterwards, with those of before.
func TestMarkedRowsAreDeleted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rows = 70_000 // more than one container of a bitmap
		place := rapid.OneOf(rapid.Uint64Range(0, 40), rapid.Uint64Range(0, rows-1))
		before := rapid.SliceOfDistinct(place, rapid.ID).Draw(t, "before")
		gone := rapid.SliceOfNDistinct(place, 1, 60, rapid.ID).Draw(t, "gone")
		f := Add{Path: "x", Stats: `{"numRecords":70000,"maxValues":{"a":"<b>","n":12345678901234567890}}`}
		var deleted *roaring64.Bitmap
		if len(before) > 0 {
			deleted = roaring64.BitmapOf(before...)
		}
		clash := slices.ContainsFunc(gone, func(p uint64) bool { return slices.Contains(before, p) })
		got, err := Mark(f, deleted, roaring64.BitmapOf(gone...))
		if clash {
			if err == nil || !strings.Contains(err.Error(), "deleted already") {
				t.Fatalf("got %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		all, err := Deleted(t.Context(), nil, got)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(before, gone)
		slices.Sort(want)
		if diff := cmp.Diff(want, all.ToArray()); diff != "" {
			t.Fatal(diff)
		}
		if live := got.Live(); live != rows-int64(len(want)) {
			t.Fatalf("%d rows are live", live)
		}
		if want := `{"maxValues":{"a":"\u003cb\u003e","n":12345678901234567890},"numRecords":70000,"tightBounds":false}`; got.Stats != want {
			t.Fatalf("statistics %s", got.Stats)
		}
	})
}

func TestMarkRefuses(t *testing.T) {
	var many []uint64 // too far apart for runs
	for p := uint64(0); p < 600_000; p += 17 {
		many = append(many, p)
	}
	tests := []struct {
		name, stats, want string
		gone              []uint64
	}{
		{"too many rows", `{"numRecords":600000}`, "more than the 65535 that Spark reads", many},
		{"a row beyond the file", `{"numRecords":3}`, "row 3 of 3", []uint64{1, 3}},
		{"no row", `{"numRecords":3}`, "none is to be deleted", nil},
		{"no statistics", "", "not known", []uint64{1}},
		{"broken statistics", "{", "parse file statistics", []uint64{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Mark(Add{Path: "x", Stats: tt.stats}, nil, roaring64.BitmapOf(tt.gone...)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
