//go:build s3

package embedded_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// onS3 is a table on a real S3 server that delta-rs made.
func onS3(t *testing.T) (url string, store object.Store) {
	t.Helper()
	return madeByDeltaRS(t, buckettest.Start(t).Bucket+"/items")
}

func madeByDeltaRS(t *testing.T, at string) (url string, store object.Store) {
	t.Helper()
	deltaRS(t, "make", at)
	store, err := bucket.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	return at, store
}

func deltaRS(t *testing.T, arguments ...string) []byte {
	t.Helper()
	program, err := filepath.Abs("testdata/deltars.py")
	if err != nil {
		t.Fatal(err)
	}
	out, err := sparktest.DeltaRS(t.Context(), t, program, arguments...)
	if err != nil {
		t.Error(err)
	}
	return out
}

func engineWith(c config.Commit) *embedded.Engine {
	return embedded.New(embedded.Options{
		Open: bucket.Open, Commit: c, Version: "test", NewID: uuid.NewString, Now: time.Now,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
}

// stepOn plans a layout for the table as it is now.
func stepOn(ctx context.Context, url string, store object.Store, l layout.Layout) (plan.Step, error) {
	s, err := lake.Open(ctx, store, "items", table.Location(url))
	return plan.Step{
		Table: "items", Kind: plan.Rekey, Location: s.Location, Layout: l, Version: s.Version,
		SchemaHash: s.SchemaHash, Protocol: s.Protocol, TargetFile: 4 * unit.KB,
	}, err
}

type allowing struct{}

func (allowing) Intend(context.Context, table.Location, []string) error { return nil }
func (allowing) Spend(unit.Bytes) error                                 { return nil }
func (allowing) Progress(_, _ unit.Bytes)                               {}
func (allowing) Stamp() execute.Stamp                                   { return execute.Stamp{Run: "s3"} }

// objects lists what lies below the table's folder.
func objects(t *testing.T, store object.Store, prefix string) (keys []string) {
	t.Helper()
	for info, err := range store.List(t.Context(), prefix, "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, info.Key)
	}
	return keys
}

// What delta-rs does to a table while two engines put it in order.
const appends, merges = 25, 8

func TestManyWritersOnS3(t *testing.T) {
	url, store := onS3(t)
	manyWriters(t, url, store)
}

func TestManyWritersOnDisk(t *testing.T) {
	url, store := madeByDeltaRS(t, filepath.Join(t.TempDir(), "items"))
	manyWriters(t, url, store)
}

// manyWriters has two engines put the table in order again and again while delta-rs appends
// to it and merges into it: every row of every append is there once, every merge counted
// once, and no version is missing.
func manyWriters(t *testing.T, url string, store object.Store) {
	var others, wait sync.WaitGroup
	var done atomic.Bool
	var rewrites atomic.Int64
	others.Go(func() { deltaRS(t, "append", url, fmt.Sprint(appends)) })
	others.Go(func() { deltaRS(t, "merge", url, fmt.Sprint(merges)) })
	wait.Go(func() { others.Wait(); done.Store(true) })
	for i := range 2 {
		wait.Go(func() {
			for round := 0; !done.Load(); round++ {
				changed, err := reorder(t.Context(), url, store, i+round)
				if err != nil {
					t.Error(err)
					return
				}
				if changed {
					rewrites.Add(1)
				}
			}
		})
	}
	wait.Wait()
	checkRows(t, url, 200+20*appends, merges)
	commits := 0
	for _, key := range objects(t, store, "_delta_log/0") {
		if strings.HasSuffix(key, ".json") {
			if want := fmt.Sprintf("_delta_log/%020d.json", commits); key != want {
				t.Fatalf("version %s, want %s", key, want)
			}
			commits++
		}
	}
	if rewrites.Load() == 0 || commits < int(rewrites.Load())+appends+merges+1 {
		t.Errorf("%d versions of %d rewrites, %d appends and %d merges", commits, rewrites.Load(), appends, merges)
	}
	t.Logf("%d versions, %d of them rewrites", commits, rewrites.Load())
}

// reorder sorts the table by one of its columns. That others were faster each time is no error.
func reorder(ctx context.Context, url string, store object.Store, round int) (changed bool, err error) {
	key := []table.Column{"k", "id"}[round%2]
	step, err := stepOn(ctx, url, store, layout.ClusteredBy(layout.Sort, key))
	if err != nil {
		return false, err
	}
	r, err := engineWith(config.Conditional).Apply(ctx, step, allowing{})
	var conflict *delta.Conflict
	if errors.As(err, &conflict) {
		return false, nil
	}
	return r.Changed, err
}

// checkRows reads the table with delta-rs: ids from 0 on, each once, of which the first
// hundred were counted up so many times.
func checkRows(t *testing.T, url string, want, counted int) {
	t.Helper()
	var rows [][2]int
	if err := json.Unmarshal(deltaRS(t, "rows", url), &rows); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b [2]int) int { return a[0] - b[0] })
	if len(rows) != want {
		t.Fatalf("%d rows, want %d", len(rows), want)
	}
	for i, row := range rows {
		n := 0
		if i < 100 {
			n = counted
		}
		if row != [2]int{i, n} {
			t.Fatalf("row %v, want %v", row, [2]int{i, n})
		}
	}
}

// Rule 4: without a word on how commits are made safe nothing is written.
func TestTablesOnS3AreRefused(t *testing.T) {
	url, store := onS3(t)
	byK := layout.ClusteredBy(layout.Sort, "k")
	spark := []byte(`{"commitInfo":{"timestamp":1,"operation":"WRITE","operationParameters":{},"engineInfo":"Apache-Spark/4.0.2 Delta-Lake/4.0.1"}}` + "\n")
	tests := []struct {
		name   string
		commit config.Commit
		spark  bool // wrote to it, too
		want   string
	}{
		{"nothing said", config.NoCommit, false, "commit: conditional or exclusive"},
		{"an engine made without it", "", false, "commit: conditional or exclusive"},
		{"what the engine cannot do", config.DynamoDB, false, "commit: dynamodb"},
		{"conditional, and Spark wrote to it", config.Conditional, true, "Apache-Spark/4.0.2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spark {
				if err := store.PutIfAbsent(t.Context(), "_delta_log/00000000000000000001.json", spark); err != nil {
					t.Fatal(err)
				}
			}
			before := objects(t, store, "")
			step, err := stepOn(t.Context(), url, store, byK)
			if err != nil {
				t.Fatal(err)
			}
			e := engineWith(tt.commit)
			_, applied := e.Apply(t.Context(), step, allowing{})
			for _, err := range []error{e.Check(t.Context(), step), applied} {
				var refusal *execute.Refusal
				if !errors.As(err, &refusal) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want a refusal that names %q", err, tt.want)
				}
			}
			if after := objects(t, store, ""); !slices.Equal(before, after) {
				t.Errorf("objects before %v, after %v", before, after)
			}
			reasons, err := e.Unsupported(t.Context(), step.Location)
			if err != nil || len(reasons) != 1 || !strings.Contains(reasons[0], tt.want) {
				t.Errorf("unsupported: %v, %v", reasons, err)
			}
		})
	}
	step, err := stepOn(t.Context(), url, store, byK)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := engineWith(config.Exclusive).Apply(t.Context(), step, allowing{}); err != nil || !r.Changed {
		t.Errorf("exclusive: %+v, %v", r, err)
	}
	checkRows(t, url, 200, 0)
}
