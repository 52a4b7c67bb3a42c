package merge_test

import (
	"path/filepath"
	"testing"

	"ajlo/job/merge"
	"ajlo/job/table"
)

// Where rows are marked, no file is written anew; updated rows, which then leave their place, are
// written apart.
func TestRowsAreMarked(t *testing.T) {
	vectors := made{keys: []string{"id"}, properties: map[string]string{"delta.enableDeletionVectors": "true"}}
	tests := []struct {
		name           string
		made           made
		write          merge.Write
		matched        merge.Action
		bySource       merge.Action
		source         []row
		marked         int
		removed, added int
		apart          int64
	}{
		{"few are deleted", vectors, merge.Auto, merge.Delete, merge.Keep, numbered(95, 10), 2, 0, 0, 0},
		{"many are deleted", vectors, merge.Auto, merge.Delete, merge.Keep, numbered(95, 20), 1, 1, 1, 0},
		{"many are deleted by vector", vectors, merge.Vectors, merge.Delete, merge.Keep, numbered(50, 100), 2, 0, 0, 0},
		{"all of a file are deleted", vectors, merge.Vectors, merge.Delete, merge.Keep, numbered(0, 101), 1, 1, 0, 0},
		{"updates stay in place", vectors, merge.Auto, merge.Update, merge.Keep, numbered(95, 10), 0, 2, 2, 0},
		{"updates by vector", vectors, merge.Vectors, merge.Update, merge.Keep, numbered(95, 10), 2, 0, 1, 10},
		{"files anew", vectors, merge.Copy, merge.Delete, merge.Keep, numbered(95, 10), 0, 2, 2, 0},
		{"the table takes none", made{keys: []string{"id"}}, merge.Auto, merge.Delete, merge.Keep, numbered(95, 10), 0, 2, 2, 0},
		{"what matches nothing", vectors, merge.Auto, merge.Keep, merge.Delete, numbered(5, 295), 1, 0, 0, 0},
		{"both", vectors, merge.Vectors, merge.Update, merge.Delete, numbered(5, 95), 0, 3, 1, 0}, // all leave
		{"one stays", vectors, merge.Vectors, merge.Keep, merge.Delete, numbered(99, 2), 2, 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			rows := numbered(0, 300)
			makeTable(t, dir, tt.made, rows[:100], rows[100:200], rows[200:])
			for i := range tt.source {
				tt.source[i].Amount = p(int64(-1))
			}
			r := merge.Request{
				Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, tt.source), On: []table.Column{"id"},
				Matched: always(tt.matched), NotMatchedBySource: always(tt.bySource), Write: tt.write,
			}
			got := apply(t, options(), r)
			if got.Plan.FilesMarked != tt.marked || got.FilesRemoved != tt.removed || got.FilesAdded != tt.added || got.Apart != tt.apart {
				t.Errorf("%d marked, %d removed, %d added, %d rows apart", got.Plan.FilesMarked, got.FilesRemoved, got.FilesAdded, got.Apart)
			}
			want, _, err := model(r, nil, rows, tt.source)
			must(t, err)
			if diff := differences(textsOf(t, made{}, want), rowsOf(t, dir)); diff != "" {
				t.Error(diff)
			}
			if again := apply(t, options(), r); tt.matched == merge.Delete && again.Changed {
				t.Error("what was deleted was found again")
			}
			noStrays(t, dir)
		})
	}
}

// Vectors grow from merge to merge until a file's rows are too few.
func TestVectorsGrow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	makeTable(t, dir, made{properties: map[string]string{"delta.enableDeletionVectors": "true"}}, numbered(0, 100))
	for i, want := range []int{1, 1, 0, 1} {
		got := apply(t, options(), merge.Request{
			Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, numbered(4*i, 4)), On: []table.Column{"id"},
			Matched: always(merge.Delete),
		})
		if got.Plan.FilesMarked != want {
			t.Errorf("merge %d marked %d files, want %d", i, got.Plan.FilesMarked, want)
		}
	}
	if diff := differences(textsOf(t, made{}, numbered(16, 84)), rowsOf(t, dir)); diff != "" {
		t.Error(diff)
	}
}
