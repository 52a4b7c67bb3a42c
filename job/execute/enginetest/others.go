package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ajlo/job/execute"
	"ajlo/job/unit"
)

// grownSchema is itemSchema after someone added a column.
const grownSchema = `{"type":"struct","fields":[` +
	`{"name":"id","type":"long","nullable":true,"metadata":{}},` +
	`{"name":"price","type":"double","nullable":true,"metadata":{}},` +
	`{"name":"name","type":"string","nullable":true,"metadata":{}},` +
	`{"name":"new","type":"string","nullable":true,"metadata":{}}]}`

// others holds that concurrent writers lose nothing and that nothing of theirs is undone:
// each case commits for someone else right before the engine's own commit.
func (s suite) others(t *testing.T) {
	tests := []struct {
		name string
		// commits are the others', one for each attempt of the engine that they come before.
		commits func(t *testing.T, dir string) [][]action
		rows    []item // that the table holds in the end
		// attempts is how often the table is rewritten.
		attempts int
		refusal  string // empty where the step succeeds
	}{
		{"one appends", func(t *testing.T, dir string) [][]action {
			return [][]action{{addItems(t, dir, "new.parquet", items(300, 20))}}
		}, items(0, 320), 1, ""},
		{"many append", func(t *testing.T, dir string) [][]action {
			return [][]action{
				{addItems(t, dir, "new1.parquet", items(300, 20))},
				{addItems(t, dir, "new2.parquet", items(320, 20))},
				{addItems(t, dir, "new3.parquet", items(340, 20))},
			}
		}, items(0, 360), 1, ""},
		{"one deletes a file", func(t *testing.T, dir string) [][]action {
			return [][]action{{remove("b.parquet")}}
		}, slices.Concat(items(0, 100), items(200, 100)), 2, ""},
		{"one updates rows of a file, another deletes one", func(t *testing.T, dir string) [][]action {
			return [][]action{
				{remove("a.parquet"), addItems(t, dir, "a2.parquet", items(1000, 100))},
				{addItems(t, dir, "d.parquet", items(300, 5))},
				{remove("c.parquet")},
			}
		}, slices.Concat(items(1000, 100), items(100, 100), items(300, 5)), 3, ""},
		{"one appends and goes on to delete it", func(t *testing.T, dir string) [][]action {
			return [][]action{
				{addItems(t, dir, "new.parquet", items(300, 20))},
				{remove("new.parquet")},
			}
		}, items(0, 300), 1, ""},
		{"one adds a column", func(t *testing.T, dir string) [][]action {
			return [][]action{{action{"metaData": metaData(grownSchema, nil, nil)}}}
		}, items(0, 300), 1, "schema"},
		{"one raises the protocol", func(t *testing.T, dir string) [][]action {
			return [][]action{{action{"protocol": action{"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": []string{"appendOnly"}}}}}
		}, items(0, 300), 1, "protocol"},
		{"one switches a feature on that is not handled", func(t *testing.T, dir string) [][]action {
			return [][]action{{action{"metaData": metaData(itemSchema, nil, map[string]string{"delta.enableIcebergCompatV2": "true"})}}}
		}, items(0, 300), 1, "delta.enableIcebergCompatV2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := itemTable(t)
			step, rec := stepFor(t, dir, byPrice, 2*unit.KB), &recorder{}
			commits := tt.commits(t, dir)
			before := contents(t, dir)
			e := s.behind(onCommits(func(attempt int) error {
				if attempt > len(commits) {
					return nil
				}
				return WriteCommit(dir, attempt, commits[attempt-1]...)
			}))
			r, err := e.Apply(t.Context(), step, rec)
			if tt.refusal == "" && err != nil {
				t.Fatal(err)
			}
			if tt.refusal != "" {
				wantRefusal(t, err, tt.refusal)
			}
			if rec.attempts != tt.attempts {
				t.Errorf("rewritten %d times, want %d", rec.attempts, tt.attempts)
			}
			if tt.refusal == "" && (r.Attempts < tt.attempts || r.Version != int64(len(commits)+1)) {
				t.Errorf("version %d after %d commits tried", r.Version, r.Attempts)
			}
			wantItems(t, dir, tt.rows)
			noStrays(t, dir, before)
		})
	}
	t.Run("others never stop", s.neverStop)
}

// neverStop holds that the engine gives up in the end.
func (s suite) neverStop(t *testing.T) {
	dir := itemTable(t)
	last := "a.parquet"
	step, rec := stepFor(t, dir, byPrice, 2*unit.KB), &recorder{}
	before := contents(t, dir)
	e := s.behind(onCommits(func(attempt int) error {
		next := fmt.Sprintf("update%d.parquet", attempt)
		err := WriteCommit(dir, attempt, remove(last), addItems(t, dir, next, items(0, 100)))
		last = next
		return err
	}))
	_, err := e.Apply(t.Context(), step, rec)
	if err == nil || !strings.Contains(err.Error(), "5 attempts") || rec.attempts != 5 {
		t.Errorf("%d attempts, then %v", rec.attempts, err)
	}
	wantItems(t, dir, items(0, 300))
	noStrays(t, dir, before)
}

func wantRefusal(t *testing.T, err error, names string) {
	t.Helper()
	var r *execute.Refusal
	if !errors.As(err, &r) {
		t.Errorf("got %v, want a refusal", err)
	} else if !strings.Contains(r.Error(), names) {
		t.Errorf("refused as %q, which does not name %q", r, names)
	}
}

// wantItems fails when the table does not hold exactly these rows.
func wantItems(t *testing.T, dir string, rows []item) {
	t.Helper()
	want := make([]string, len(rows))
	for i, r := range rows {
		want[i] = r.text()
	}
	slices.Sort(want)
	got := rowsOf(t, dir)
	for i, r := range got { // a column that was added since is NULL
		got[i] = strings.Replace(r, "new=NULL;", "", 1)
	}
	sameRows(t, want, got)
}

// cancel holds that a cancelled step leaves the table as it was, wherever it is.
func (s suite) cancel(t *testing.T) {
	total := s.bytesWritten(t)
	for _, at := range moments(total, 12) {
		t.Run(fmt.Sprintf("after %d of %d bytes", at, total), func(t *testing.T) {
			dir := itemTable(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := counter{at: func(operation, _ string, bytes, _ int) error {
				if operation == "write" && bytes >= at {
					cancel()
				}
				return nil
			}}
			step, before := stepFor(t, dir, byPrice, 2*unit.KB), contents(t, dir)
			_, err := s.behind(c.wrap).Apply(ctx, step, &recorder{})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want a cancelled context", err)
			}
			unchanged(t, dir, before)
		})
	}
}

// bytesWritten is what a step on the items table writes to data files.
func (s suite) bytesWritten(t *testing.T) int {
	t.Helper()
	dir := itemTable(t)
	written := 0
	c := counter{}
	c.at = func(operation, key string, bytes, _ int) error {
		if operation == "put" && inLog(key) {
			written = bytes
		}
		return nil
	}
	if _, err := s.behind(c.wrap).Apply(t.Context(), stepFor(t, dir, byPrice, 2*unit.KB), &recorder{}); err != nil {
		t.Fatal(err)
	}
	return written
}
