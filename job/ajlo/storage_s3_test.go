//go:build s3

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/object"
)

// upload puts the files of a folder.
func upload(t *testing.T, s object.Store, folder string) {
	t.Helper()
	files := os.DirFS(folder)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		return errors.Join(err, s.PutIfAbsent(t.Context(), name, data))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Nights whose logs, state and tables are in Google's and in Azure's storage and on HDFS: what they rewrite there
// is what they rewrite on a disk.
func TestNightsInStorage(t *testing.T) {
	disk := t.TempDir()
	for _, folder := range []string{"logs", "warehouse"} {
		if err := os.Mkdir(filepath.Join(disk, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	onDisk := rewritten(t, disk)
	for _, kind := range []struct {
		name  string
		start func(testing.TB) buckettest.Server
	}{{"gs", buckettest.StartGoogle}, {"azblob", buckettest.StartAzure}, {"hdfs", buckettest.StartHadoop}} {
		t.Run(kind.name, func(t *testing.T) {
			if got := rewritten(t, kind.start(t).Bucket); got != onDisk {
				t.Errorf("in storage\n%s\non disk\n%s", got, onDisk)
			}
		})
	}
}

// rewritten runs nights at a place that gets the fixture's logs and tables, and gives what the table
// that was rewritten is then, without the names of its files and of its place.
func rewritten(t *testing.T, at string) string {
	t.Helper()
	upload(t, must(bucket.Open(at+"/logs"))(t), fixture+"/eventlogs")
	upload(t, must(bucket.Open(at+"/warehouse"))(t), fixture+"/warehouse")
	config := filepath.Join(t.TempDir(), "ajlo.yaml")
	plant(t, config, "sources: [{logs: "+at+"/logs, path_map: {/lake/warehouse: "+at+"/warehouse}}]\nwrite: [tpch.orders]\nbudget: {rewrite: 50MB}\n"+
		"engine: {target_file_size: 64KiB}\nstate: "+at+"/ops/ajlo.db\n")
	for _, tt := range []struct{ night, want string }{
		{"2026-11-30", "of night 2026-11-30: applied"}, {"2026-11-30", "night 2026-11-30 is done"}, {"2026-12-01", "of night 2026-12-01: no_drift"},
	} {
		if got := ask("run", "--config", config, "--now", tt.night); got.code != job.ExitDone || !strings.Contains(got.out, tt.want) {
			t.Fatalf("exit code %d, want %q in\n%s%s", got.code, tt.want, got.out, got.errs)
		}
	}
	got := ask("inspect", at+"/warehouse/tpch.db/orders")
	if got.code != job.ExitDone {
		t.Fatalf("inspect: %+v", got)
	}
	return strings.ReplaceAll(got.out, at, "LAKE")
}
