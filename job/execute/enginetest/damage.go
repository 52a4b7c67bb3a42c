package enginetest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ajlo/job/object"
	"ajlo/job/unit"
)

// damage holds that a table which was damaged after it was planned is refused before a byte is
// written, and that the refusal names the file and the version.
func (s suite) damage(t *testing.T) {
	added := func(path string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			commit(t, dir, 1, action{"add": action{"path": path, "partitionValues": action{}, "size": 10, "modificationTime": 1, "dataChange": true}})
		}
	}
	logged := func(version, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "_delta_log", version+".json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	const second, third = "00000000000000000001", "00000000000000000002"
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		names  []string
	}{
		{"a path that climbs", added("../outside.parquet"), []string{"version 1", `"../outside.parquet"`}},
		{"a path that climbs in disguise", added("%2e%2e/outside.parquet"), []string{"version 1", "%2e%2e/outside.parquet"}},
		{"an absolute path", added("/outside.parquet"), []string{"version 1", `"/outside.parquet"`}},
		{"a path of other storage", added("s3://bucket/outside.parquet"), []string{"version 1", "s3://bucket/outside.parquet"}},
		{"a missing file", added("gone.parquet"), []string{"version 1", "gone.parquet"}},
		{"a truncated file", cutOff("a.parquet", 700), []string{"version 0", "a.parquet"}},
		{"a file without its end", cutOff("b.parquet", 4), []string{"version 0", "b.parquet"}},
		{"an empty file", cutOff("a.parquet", 0), []string{"version 0", "a.parquet"}},
		{"a commit cut off", logged(second, `{"add":{"pa`), []string{"version 1", second + ".json"}},
		{"a commit that is no JSON", logged(second, "\x00\x01\x02"), []string{"version 1", second + ".json"}},
		{"an empty commit", logged(second, ""), []string{"version 1", second + ".json"}},
		{"a clock that is behind", func(t *testing.T, dir string) {
			commit(t, dir, 1, action{"commitInfo": action{"timestamp": time.Now().Add(2 * time.Hour).UnixMilli(), "operation": "WRITE"}})
		}, []string{"clock", "version 1", second + ".json"}},
		{"a version that is missing", logged(third, `{"commitInfo":{}}`), []string{"version 2", "version 1", second + ".json"}},
		{"a protocol of the future", logged(second, `{"protocol":{"minReaderVersion":9,"minWriterVersion":9}}`), []string{"version 1", second + ".json", "reader version 9"}},
		{"columns that differ in case", logged(second, `{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[`+
			`{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"ID\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}`),
			[]string{"version 1", second + ".json", "id and ID", "case"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := itemTable(t)
			step := stepFor(t, dir, byPrice, unit.MB)
			tt.damage(t, dir)
			s.refused(t, s.plain(), dir, step, tt.names[0])
			for _, name := range tt.names[1:] {
				wantRefusal(t, s.plain().Check(t.Context(), step), name)
			}
		})
	}
}

// cutOff leaves so many bytes of a file.
func cutOff(name string, bytes int64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Truncate(filepath.Join(dir, name), bytes); err != nil {
			t.Fatal(err)
		}
	}
}

// failedCheckpoint holds that a commit stands whose checkpoint cannot be written, and that this
// is told.
func (s suite) failedCheckpoint(t *testing.T) {
	dir := itemTable(t)
	for version := 1; version < 10; version++ {
		commit(t, dir, version, action{"commitInfo": action{"operation": "WRITE"}})
	}
	full := Watched{Before: func(operation, key string, _ int) error {
		if operation == "put" && strings.Contains(key, ".checkpoint") {
			return syscall.ENOSPC
		}
		return nil
	}}
	e := s.behind(func(store object.Store) object.Store { full.Store = store; return full })
	r, err := e.Apply(t.Context(), stepFor(t, dir, byPrice, unit.MB), &recorder{})
	if err != nil || r.Version != 10 {
		t.Fatalf("got %+v, %v, want version 10", r, err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], syscall.ENOSPC.Error()) {
		t.Errorf("warnings are %q, want one that says %q", r.Warnings, syscall.ENOSPC)
	}
	wantItems(t, dir, items(0, 300))
}
