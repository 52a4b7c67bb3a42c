package merge_test

import (
	"path/filepath"
	"testing"

	"ajlo/job/merge"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// upsert merges rows by id and code.
func upsert(t *testing.T, dir string, o merge.Options, source []row) merge.Result {
	t.Helper()
	return apply(t, o, merge.Request{
		Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, source), On: []table.Column{"id", "code"},
		Matched: always(merge.Update), NotMatched: always(merge.Insert),
	})
}

// between are new rows whose keys lie between those of rows that are there.
func between(ids ...int) (rows []row) {
	for _, id := range ids {
		r := numbered(id, 1)[0]
		r.Code = p("new")
		rows = append(rows, r)
	}
	return rows
}

func TestInsertedRowsFindAHome(t *testing.T) {
	nameless := between(150, 150)
	nameless[0].Code, nameless[1].ID = p("more"), nil
	tests := []struct {
		name    string
		made    made
		most    unit.Bytes
		touched []row // that are there
		new     []row
		placed  int64
		added   int // files
	}{
		{"a touched file holds the keys", made{keys: []string{"id"}}, unit.MiB, numbered(110, 1), between(100, 150, 199), 3, 1},
		{"keys beyond its bounds", made{keys: []string{"id"}}, unit.MiB, numbered(110, 1), between(99, 150, 200), 1, 2},
		{"one of two keys beyond", made{keys: []string{"id", "day"}}, unit.MiB, numbered(110, 1), func() []row {
			rows := between(120, 150)
			rows[0].Day = p(int32(100))
			return rows
		}(), 1, 2},
		{"NULL", made{keys: []string{"id"}}, unit.MiB, numbered(110, 1), nameless, 1, 2},
		{"a file that is not touched", made{keys: []string{"id"}}, unit.MiB, numbered(10, 1), between(150), 0, 2},
		{"nothing is touched", made{keys: []string{"id"}}, unit.MiB, nil, between(150), 0, 1},
		{"no room", made{keys: []string{"id"}}, unit.KB, numbered(110, 1), between(150), 0, 2},
		{"no keys", made{}, unit.MiB, numbered(110, 1), between(150), 0, 2},
		{"a key without bounds", made{keys: []string{"small"}}, unit.MiB, numbered(110, 1), between(150), 0, 2},
		{"the partition's own file", made{parted: true, keys: []string{"id"}}, unit.MiB, numbered(110, 1), between(150, 152), 1, 2}, // p2; p0, p2
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			rows := numbered(0, 300)
			makeTable(t, dir, tt.made, rows[:100], rows[100:200], rows[200:])
			o := options()
			o.TargetFile = tt.most
			got := upsert(t, dir, o, append(tt.touched, tt.new...))
			if got.Plan.Rows.Placed != tt.placed || got.FilesAdded != tt.added || got.Apart != int64(len(tt.new))-tt.placed {
				t.Errorf("%d rows were placed, %d written apart, in %d files", got.Plan.Rows.Placed, got.Apart, got.FilesAdded)
			}
			if diff := differences(textsOf(t, tt.made, append(rows, tt.new...)), rowsOf(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Merge after merge of new keys leaves few files, and writes rows anew a few times only; a merge
// that only adds takes no file away.
func TestSmallFilesAreJoined(t *testing.T) {
	const merges = 16
	dir := filepath.Join(t.TempDir(), "t")
	rows := numbered(0, 2000)
	makeTable(t, dir, made{keys: []string{"id"}}, rows)
	most := 0
	joined := int64(0)
	for i := range merges {
		new := numbered(2000+i*100, 100)
		got := upsert(t, dir, options(), append([]row{rows[i]}, new...))
		rows = append(rows, new...)
		joined += got.Plan.Rows.Joined
		most = max(most, got.Plan.Files-got.FilesRemoved+got.FilesAdded)
	}
	if joined == 0 || joined > merges*100*4 || most > 1+4 { // each file doubles at most four times
		t.Errorf("%d rows were joined for %d inserted, and there were up to %d files", joined, merges*100, most)
	}
	if got := upsert(t, dir, options(), numbered(9000, 100)); got.FilesRemoved != 0 || got.FilesAdded != 1 {
		t.Errorf("a merge that only adds took %d files away", got.FilesRemoved)
	}
	if diff := differences(textsOf(t, made{}, append(rows, numbered(9000, 100)...)), rowsOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	noStrays(t, dir)
}
