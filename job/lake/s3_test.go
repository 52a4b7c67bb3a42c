//go:build s3

package lake

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/table"
)

// A table on S3 is the table that it is on disk.
func TestTableOnS3(t *testing.T) {
	at := buckettest.Start(t).Bucket + "/tpch/orders"
	remote, err := bucket.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	folder := os.DirFS(filepath.Join(workload, "orders"))
	err = fs.WalkDir(folder, ".", func(key string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, key)
		if err != nil {
			return err
		}
		return remote.PutIfAbsent(t.Context(), key, data)
	})
	if err != nil {
		t.Fatal(err)
	}
	local, want := openTable(t, filepath.Join(workload, "orders"))
	got, err := Open(t.Context(), remote, want.Table, table.Location(at))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Snapshot{}, "Location")); diff != "" {
		t.Error(diff)
	}
	columns := []table.Column{"o_orderkey", "o_orderdate"}
	wanted, err := Draw(t.Context(), local, want, columns, 500)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := Draw(t.Context(), remote, got, columns, 500)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, drawn); diff != "" {
		t.Error(diff)
	}
}
