package merge_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/execute/enginetest"
	"ajlo/job/merge"
	"ajlo/job/table"
)

// withBounds gives the action that adds a file bounds of its ids.
func withBounds(add action, from, to, rows int) action {
	add["add"].(action)["stats"] = fmt.Sprintf(`{"numRecords":%d,"minValues":{"id":%d},"maxValues":{"id":%d},"nullCount":{"id":0}}`, rows, from, to)
	return add
}

// still says that an action changes no data.
func still(a action) action {
	for _, body := range a {
		body.(action)["dataChange"] = false
	}
	return a
}

func gone(name string) action {
	return action{"remove": action{"path": name, "deletionTimestamp": 1, "dataChange": true, "partitionValues": action{}}}
}

// boundedTable has files with ids from 0, 100 and 200 on, whose bounds say so.
func boundedTable(t *testing.T, dir string) {
	t.Helper()
	m := made{}
	makeTable(t, dir, m)
	commit(t, dir, 1,
		withBounds(m.addFile(t, dir, "a.parquet", numbered(0, 100), nil), 0, 99, 100),
		withBounds(m.addFile(t, dir, "b.parquet", numbered(100, 100), nil), 100, 199, 100),
		withBounds(m.addFile(t, dir, "c.parquet", numbered(200, 100), nil), 200, 299, 100),
	)
}

// commitTo writes a version through the table's own storage: a server of S3 holds conditions against what
// it was given itself.
func commitTo(t *testing.T, at table.Location, version int, actions ...action) error {
	dir := t.TempDir()
	commit(t, dir, version, actions...)
	key := fmt.Sprintf("_delta_log/%020d.json", version)
	text, err := os.ReadFile(filepath.Join(dir, key))
	if err != nil {
		return err
	}
	store, err := openFolder(string(at))
	if err != nil {
		return err
	}
	return store.PutIfAbsent(t.Context(), key, text)
}

func TestOthersWriteMeanwhile(t *testing.T) { othersWriteMeanwhile(t, onDisk) }

// Concurrent writers lose nothing, nothing of theirs is undone, and what they add is merged into
// where it matches: each case commits for someone else right before the merge does.
func othersWriteMeanwhile(t *testing.T, place place) {
	m := made{}
	tests := []struct {
		name    string
		request func(r *merge.Request)
		// commits are the others', one for each attempt of the merge that they come before.
		commits  func(t *testing.T, dir string) [][]action
		rows     []row // of the table before the merge, as a serial order has them
		attempts int
		refusal  string
	}{
		{"one appends what cannot match", nil, func(t *testing.T, dir string) [][]action {
			return [][]action{{withBounds(m.addFile(t, dir, "d.parquet", numbered(500, 20), nil), 500, 519, 20)}}
		}, slices.Concat(numbered(0, 300), numbered(500, 20)), 1, ""},
		{"one appends what matches", nil, func(t *testing.T, dir string) [][]action {
			return [][]action{{withBounds(m.addFile(t, dir, "d.parquet", numbered(300, 20), nil), 300, 319, 20)}}
		}, numbered(0, 320), 2, ""},
		{"one appends without bounds", nil, func(t *testing.T, dir string) [][]action {
			add := m.addFile(t, dir, "d.parquet", numbered(500, 20), nil)
			add["add"].(action)["stats"] = `{"numRecords":20}`
			return [][]action{{add}}
		}, slices.Concat(numbered(0, 300), numbered(500, 20)), 2, ""},
		{"one appends where rows that match nothing go", func(r *merge.Request) { r.NotMatchedBySource = always(merge.Delete) }, func(t *testing.T, dir string) [][]action {
			return [][]action{{withBounds(m.addFile(t, dir, "d.parquet", numbered(500, 20), nil), 500, 519, 20)}}
		}, slices.Concat(numbered(0, 300), numbered(500, 20)), 2, ""},
		{"one appends what the condition excludes", func(r *merge.Request) { r.Condition = "t.id < 300" }, func(t *testing.T, dir string) [][]action {
			return [][]action{{withBounds(m.addFile(t, dir, "d.parquet", numbered(300, 20), nil), 300, 319, 20)}}
		}, numbered(0, 320), 1, ""},
		{"one appends what is not asked of what matches nothing", func(r *merge.Request) {
			r.NotMatchedBySource = []merge.Clause{{Action: merge.Delete, Condition: "t.id < 300"}}
		}, func(t *testing.T, dir string) [][]action {
			return [][]action{{withBounds(m.addFile(t, dir, "d.parquet", numbered(500, 20), nil), 500, 519, 20)}}
		}, slices.Concat(numbered(0, 300), numbered(500, 20)), 1, ""},
		{"one deletes a touched file", nil, func(t *testing.T, dir string) [][]action {
			return [][]action{{gone("c.parquet")}}
		}, numbered(0, 200), 2, ""},
		{"one deletes a file that was not read", nil, func(t *testing.T, dir string) [][]action {
			return [][]action{{gone("a.parquet")}}
		}, numbered(100, 200), 1, ""},
		{"one deletes rows of a touched file", nil, func(t *testing.T, dir string) [][]action {
			add := withBounds(m.addFile(t, dir, "c.parquet", numbered(200, 100), nil), 200, 299, 100)
			return [][]action{deleteRows(t, dir, add, 99, 0)}
		}, slices.Concat(numbered(0, 200), numbered(201, 98)), 2, ""},
		{"one puts a touched file in another order", nil, func(t *testing.T, dir string) [][]action {
			rows := numbered(200, 100)
			slices.Reverse(rows)
			return [][]action{{still(gone("c.parquet")), still(m.addFile(t, dir, "c2.parquet", rows, nil))}}
		}, numbered(0, 300), 2, ""},
		{"one updates, another appends", nil, func(t *testing.T, dir string) [][]action {
			changed := numbered(200, 100)
			changed[99].ID = p(int64(1000))
			return [][]action{
				{gone("c.parquet"), m.addFile(t, dir, "c2.parquet", changed, nil)},
				{withBounds(m.addFile(t, dir, "d.parquet", numbered(301, 1), nil), 301, 301, 1)},
			}
		}, func() []row {
			rows := slices.Concat(numbered(0, 300), numbered(301, 1))
			rows[299].ID = p(int64(1000))
			return rows
		}(), 3, ""},
		{"one adds a column", nil, func(t *testing.T, dir string) [][]action {
			grown := made{schema: strings.Replace(schemaOfRows, `{"name":"id"`, `{"name":"new","type":"long","nullable":true,"metadata":{}},{"name":"id"`, 1)}
			return [][]action{{grown.metaData()}}
		}, nil, 0, "the source: there is no column new"},
		{"one switches on a change data feed", nil, func(t *testing.T, dir string) [][]action {
			return [][]action{{made{properties: map[string]string{"delta.enableChangeDataFeed": "true"}}.metaData()}}
		}, nil, 0, "change data feed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, at := place(t)
			boundedTable(t, dir)
			source := numbered(295, 10)
			for i := range source {
				source[i].Amount = p(int64(-1))
			}
			r := merge.Request{
				Table: "t", Location: at, Source: writeSource(t, t.TempDir(), asParquet, source), On: []table.Column{"id"},
				Matched: always(merge.Update), NotMatched: always(merge.Insert),
			}
			if tt.request != nil {
				tt.request(&r)
			}
			commits := tt.commits(t, dir)
			o, version := options(), 1
			o.Commit = config.Conditional // for tables on S3
			o.Open = onCommits(func(attempt int) error {
				if attempt > len(commits) {
					return nil
				}
				version++
				return commitTo(t, at, version, commits[attempt-1]...)
			})
			got, err := merge.New(o).Apply(t.Context(), r)
			var refused *execute.Refusal
			if tt.refusal != "" {
				if !errors.As(err, &refused) || !strings.Contains(refused.Error(), tt.refusal) {
					t.Errorf("got %v, want a refusal with %q", err, tt.refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			below := meanings{"t.id < 300": func(t, _ *row) *bool { return compared("<", t.ID, p(int64(300))) }}
			want, _, err := model(r, below, tt.rows, source)
			must(t, err)
			if diff := differences(textsOf(t, m, want), rowsOf(t, dir)); diff != "" {
				t.Error(diff)
			}
			if again := got.Plan.Version > 1; again != (tt.attempts > 1) || got.Attempts < tt.attempts {
				t.Errorf("planned for version %d, %d commits were tried, want %d", got.Plan.Version, got.Attempts, tt.attempts)
			}
		})
	}
}

// Others that never stop are too fast for a merge, which gives up and leaves nothing.
func TestOthersNeverStop(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	boundedTable(t, dir)
	o, version, last := options(), 1, "c.parquet"
	o.Open = onCommits(func(attempt int) error {
		version++
		next := fmt.Sprintf("c%d.parquet", attempt)
		err := enginetest.WriteCommit(dir, version, gone(last), made{}.addFile(t, dir, next, numbered(200, 100), nil))
		last = next
		return err
	})
	r := merge.Request{
		Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, numbered(295, 10)), On: []table.Column{"id"},
		Matched: always(merge.Update),
	}
	_, err := merge.New(o).Apply(t.Context(), r)
	if err == nil || !strings.Contains(err.Error(), "5 attempts") {
		t.Errorf("got %v", err)
	}
	if diff := differences(textsOf(t, made{}, numbered(0, 300)), rowsOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	noStrays(t, dir)
}
