package layout

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// byDateThenKey parts at a day, and the later part at a key.
func byDateThenKey() *Tree {
	return &Tree{
		Column: "day", Cut: predicate.DateValue(100),
		From: &Tree{Column: "key", Cut: predicate.IntValue(7)},
	}
}

func leafOf(t *Tree, row map[table.Column]predicate.Value) int {
	flat := t.Flat()
	return flat.Leaf(func(branch int) bool { return Below(row[flat[branch].Column], flat[branch].Cut) })
}

func TestLeaf(t *testing.T) {
	day, key := predicate.DateValue, predicate.IntValue
	tests := []struct {
		name     string
		tree     *Tree
		day, key predicate.Value
		want     int
	}{
		{"no tree is one leaf", nil, day(1), key(1), 0},
		{"below the first cut", byDateThenKey(), day(99), key(9), 0},
		{"a value at the cut is not below it", byDateThenKey(), day(100), key(6), 1},
		{"the last leaf", byDateThenKey(), day(100), key(7), 2},
		{"NULL is below everything", byDateThenKey(), predicate.Value{}, key(7), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := leafOf(tt.tree, map[table.Column]predicate.Value{"day": tt.day, "key": tt.key}); got != tt.want {
				t.Errorf("leaf %d, want %d", got, tt.want)
			}
		})
	}
	if got := byDateThenKey().Leaves(); got != 3 {
		t.Errorf("%d leaves, want 3", got)
	}
}

func TestColumnsOfCuts(t *testing.T) {
	l := CutBy(byDateThenKey(), "key", "other")
	if diff := gocmp.Diff([]table.Column{"key", "other", "day"}, l.Columns()); diff != "" {
		t.Error(diff)
	}
	if l.Cuts != byDateThenKey().Hash() || len(l.Cuts) != 16 {
		t.Errorf("cuts are called %q", l.Cuts)
	}
	if SameKeys(l, ClusteredBy(Hilbert, "key", "other")) {
		t.Error("learnt cuts are no plain clustering by the same keys")
	}
}

// drawTree draws a tree of cuts at values of every kind that can be cut.
func drawTree(t *rapid.T, depth int) *Tree {
	if depth == 0 || rapid.Bool().Draw(t, "leaf") {
		return nil
	}
	cut := rapid.OneOf(
		rapid.Map(rapid.Int64(), predicate.IntValue), rapid.Map(rapid.Int64(), predicate.DateValue),
		rapid.Map(rapid.Float64(), predicate.FloatValue), rapid.Map(rapid.String(), predicate.StringValue),
		rapid.Map(rapid.Int64(), func(i int64) predicate.Value { return predicate.DecimalValue(i, 2) }),
		rapid.Just(predicate.FloatValue(math.Inf(-1))), rapid.Just(predicate.BoolValue(true)),
	).Draw(t, "cut")
	return &Tree{
		Column: rapid.SampledFrom([]table.Column{"a", "b"}).Draw(t, "column"), Cut: cut,
		Below: drawTree(t, depth-1), From: drawTree(t, depth-1),
	}
}

func TestTreesComeBackFromJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := CutBy(drawTree(t, 4), "a")
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Layout
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestTreesThatAreNone(t *testing.T) {
	for _, text := range []string{
		`{"column":"a","kind":"null","cut":""}`, `{"column":"a","kind":"int","cut":"x"}`,
		`{"column":"a","kind":"day","cut":"1"}`, `{"column":"a","kind":"int","cut":"1","below":[]}`,
	} {
		if err := json.Unmarshal([]byte(text), &Tree{}); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

// Rows come leaf by leaf and in the order of their keys inside it; no file spans two leaves.
func TestPartedKeepsLeavesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := drawRanks(t, rapid.IntRange(1, 3).Draw(t, "keys"))
		n := len(ranks[0])
		leaf := rapid.SliceOfN(rapid.Uint32Range(0, 5), n, n).Draw(t, "leaf")
		files := rapid.IntRange(1, 12).Draw(t, "files")
		rows, cuts, err := Parted(LearntCuts, leaf, ranks, files)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Sequence(Hilbert, ranks)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(whole)
		slices.SortStableFunc(want, func(a, b int) int { return int(leaf[a]) - int(leaf[b]) })
		if diff := gocmp.Diff(want, rows); diff != "" {
			t.Fatal(diff)
		}
		if cuts[0] != 0 || cuts[len(cuts)-1] != n {
			t.Fatalf("cuts %v of %d rows", cuts, n)
		}
		for i := 1; i < len(cuts); i++ {
			if n > 0 && (cuts[i] <= cuts[i-1] || leaf[rows[cuts[i-1]]] != leaf[rows[cuts[i]-1]]) {
				t.Fatalf("file %d of %v is empty or spans two leaves of %v", i-1, cuts, leaf)
			}
		}
	})
}

func TestPartedWithoutLeavesIsCutEvenly(t *testing.T) {
	rows, cuts, err := Parted(Sort, nil, [][]uint32{{2, 1, 0}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([][]int{{2, 1, 0}, {0, 2, 3}}, [][]int{rows, cuts}); diff != "" {
		t.Error(diff)
	}
	if _, _, err := Parted(LearntCuts, []uint32{0}, [][]uint32{{0, 1}}, 1); err == nil {
		t.Error("rows without a leaf were parted")
	}
}

func TestCutLeaves(t *testing.T) {
	tests := []struct {
		name  string
		sizes []int
		files int
		want  []int
	}{
		{"no rows", nil, 3, []int{0}},
		{"one leaf is cut evenly", []int{6}, 3, []int{0, 2, 4, 6}},
		{"small leaves are files of their own", []int{1, 10, 1}, 2, []int{0, 1, 11, 12}},
		{"further files go where files are largest", []int{10, 30}, 4, []int{0, 10, 20, 30, 40}},
		{"an empty leaf is no file", []int{4, 0, 4}, 2, []int{0, 4, 8}},
		{"no more files than rows", []int{1, 2}, 9, []int{0, 1, 2, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := gocmp.Diff(tt.want, CutLeaves(tt.sizes, tt.files)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
