package lake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/unit"
)

func historyOf(t *testing.T, dir string) (changes []Change) {
	t.Helper()
	for c, err := range History(t.Context(), openFolder(t, dir)) {
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, c)
	}
	return changes
}

func ptr[T any](v T) *T { return &v }

// What Spark 4.0.2 with Delta 4.0.1 did to a table: its commits' own actions and metrics.
func TestHistoryOfDelta(t *testing.T) {
	tests := []struct {
		name, table string
		at          int // from the newest
		want        Change
	}{
		{"MERGE", filepath.Join(workload, "orders"), 0, Change{
			Version: 1, Time: time.UnixMilli(1795979425306).UTC(), Kinds: []ChangeKind{Merged},
			FilesAdded: 3, FilesRemoved: 16, BytesAdded: 2_694_694, BytesRemoved: ptr(unit.Bytes(2_837_566)),
			RowsWritten: ptr[int64](75_000), RowsCopied: ptr[int64](74_872), RowsInserted: ptr[int64](0), RowsUpdated: ptr[int64](128), RowsDeleted: ptr[int64](0),
			CountedAdded: ptr[int64](3), CountedRemoved: ptr[int64](16),
		}},
		{"DELETE", filepath.Join(workload, "lineitem"), 0, Change{
			Version: 1, Time: time.UnixMilli(1795979426089).UTC(), Kinds: []ChangeKind{Deleted},
			FilesAdded: 2, FilesRemoved: 2, BytesAdded: 403_044, BytesRemoved: ptr(unit.Bytes(403_076)),
			RowsWritten: ptr[int64](11_748), RowsCopied: ptr[int64](11_748), RowsDeleted: ptr[int64](2), CountedAdded: ptr[int64](2), CountedRemoved: ptr[int64](2),
		}},
		{"CREATE OR REPLACE TABLE AS SELECT", filepath.Join(workload, "cust_totals"), 0, Change{
			Version: 0, Time: time.UnixMilli(1795979428200).UTC(), Kinds: []ChangeKind{Created},
			FilesAdded: 1, BytesAdded: 53_768, BytesRemoved: ptr(unit.Bytes(0)), RowsWritten: ptr[int64](5_000),
			CountedAdded: ptr[int64](1), CountedRemoved: ptr[int64](0),
		}},
		{"DELETE that marks rows by a deletion vector", filepath.Join(small, "vectors"), 0, Change{
			Version: 1, Kinds: []ChangeKind{Deleted}, FilesMarked: 1, BytesRemoved: ptr(unit.Bytes(0)),
			RowsWritten: ptr[int64](0), RowsCopied: ptr[int64](0), RowsDeleted: ptr[int64](1), CountedAdded: ptr[int64](0), CountedRemoved: ptr[int64](0),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := historyOf(t, tt.table)[tt.at]
			if tt.want.Time.IsZero() {
				tt.want.Time = got.Time
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What Spark 4.0.2 with Iceberg 1.10.1 did: two rows deleted by a file of positions.
func TestHistoryOfIceberg(t *testing.T) {
	const app = "local-1795996671672"
	want := []Change{
		{
			Version: 8448032050670184830, Time: time.UnixMilli(1795996694178).UTC(), App: app, Kinds: icebergKinds["delete"],
			FilesMarked: 1, BytesAdded: 1454, BytesRemoved: ptr(unit.Bytes(0)), RowsWritten: ptr[int64](0), Partitions: ptr[int64](1),
		},
		{
			Version: 4421759501581120019, Time: time.UnixMilli(1795996693330).UTC(), App: app, Kinds: icebergKinds["append"],
			FilesAdded: 2, BytesAdded: 1623, BytesRemoved: ptr(unit.Bytes(0)), RowsWritten: ptr[int64](100), Partitions: ptr[int64](1),
		},
	}
	if diff := cmp.Diff(want, historyOf(t, "../iceberg/testdata/mor")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The history of a table whose oldest commits are gone goes back as far as they are there.
func TestHistoryAsFarAsTheLogGoes(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(small, "checkpointed"))); err != nil {
		t.Fatal(err)
	}
	whole := historyOf(t, dir)
	for v := range 5 {
		if err := os.Remove(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", v))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	left := historyOf(t, dir)
	if len(left) == 0 || left[len(left)-1].Version != 5 || left[0].Version != whole[0].Version {
		t.Errorf("%d changes back to version %d, want them back to 5", len(left), left[len(left)-1].Version)
	}
}

func TestHistoryThatCannotBeRead(t *testing.T) {
	damaged := t.TempDir()
	if err := os.CopyFS(damaged, os.DirFS(filepath.Join(small, "vectors"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged, "_delta_log", fmt.Sprintf("%020d.json", 1)), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"no table": t.TempDir(), "a damaged commit": damaged} {
		var last error
		for _, err := range History(t.Context(), openFolder(t, dir)) {
			last = err
		}
		if last == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
