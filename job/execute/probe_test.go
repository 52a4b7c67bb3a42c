package execute_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/object"
)

// elsewhere is a local folder that says it is another storage, and may pass over conditions.
type elsewhere struct {
	object.Store
	url     string
	ignores bool
	puts    *[]string
	fails   error
}

func (e elsewhere) URL() string { return e.url }

func (e elsewhere) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	*e.puts = append(*e.puts, key)
	if e.fails != nil {
		return e.fails
	}
	if e.ignores {
		if err := e.Store.Delete(ctx, key); err != nil && !errors.Is(err, object.ErrNotFound) {
			return err
		}
	}
	return e.Store.PutIfAbsent(ctx, key, data)
}

func TestProbe(t *testing.T) {
	probed := []string{"_ajlo/probe-1", "_ajlo/probe-1"}
	forbidden := errors.New("no permission")
	for _, tt := range []struct {
		name    string
		urls    []string // of tables, one after the other
		commit  config.Commit
		ignores bool
		fails   error
		reason  string // that each gives
		puts    []string
	}{
		{"heeded", []string{"s3://lake/a"}, config.Conditional, false, nil, "", probed},
		{"ignored", []string{"s3://lake/a"}, config.Conditional, true, nil, "s3://lake ignores the condition (If-None-Match)", probed},
		{"once a bucket", []string{"s3://lake/a", "s3://lake/b"}, config.Conditional, true, nil, "s3://lake ignores", probed},
		{"each bucket", []string{"s3://lake/a", "s3://sea/a"}, config.Conditional, false, nil, "", slices.Concat(probed, []string{"_ajlo/probe-11", "_ajlo/probe-11"})},
		{"not allowed to write", []string{"s3://lake/a"}, config.Conditional, false, forbidden, "", probed[:1]},
		{"ajlo writes alone", []string{"s3://lake/a"}, config.Exclusive, true, nil, "", nil},
		{"refuses everybody", []string{"gs://lake/a"}, config.Conditional, true, nil, "", nil},
		{"on disk", []string{"file:///lake/a"}, config.Conditional, true, nil, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var puts []string
			dir := t.TempDir()
			store, err := object.OpenLocal(dir)
			if err != nil {
				t.Fatal(err)
			}
			id := ""
			p := &execute.Probe{NewID: func() string { id += "1"; return id }, Now: time.Now}
			for _, url := range tt.urls {
				reason, err := p.Hazard(t.Context(), elsewhere{store, url, tt.ignores, &puts, tt.fails}, tt.commit)
				if !errors.Is(err, tt.fails) || !strings.Contains(reason, tt.reason) || tt.reason == "" && reason != "" {
					t.Errorf("%s: %q, %v", url, reason, err)
				}
			}
			if diff := cmp.Diff(tt.puts, puts); diff != "" {
				t.Errorf("objects put (-want +got):\n%s", diff)
			}
			if left, err := filepath.Glob(filepath.Join(dir, "_ajlo", "*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// What a killed process left is taken away, what may be another's is not, nor what others keep there.
func TestProbeTidies(t *testing.T) {
	dir := t.TempDir()
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"probe-old": 2 * time.Hour, "probe-new": time.Minute, "merge-old": 2 * time.Hour} {
		if err := store.PutIfAbsent(t.Context(), "_ajlo/"+name, []byte("first")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, "_ajlo", name), now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	p := &execute.Probe{NewID: func() string { return "1" }, Now: func() time.Time { return now }}
	if reason, err := p.Hazard(t.Context(), elsewhere{store, "s3://lake/a", false, new([]string), nil}, config.Conditional); reason != "" || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
	var left []string
	for info, err := range store.List(t.Context(), "_ajlo/", "") {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, info.Key)
	}
	if diff := cmp.Diff([]string{"_ajlo/merge-old", "_ajlo/probe-new"}, left); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
