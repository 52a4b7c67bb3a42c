package lake

import (
	stdcmp "cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/table"
)

// A table version is read once: the second sample comes without its data files.
func TestSamplesAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "orders")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(workload, "orders"))); err != nil {
		t.Fatal(err)
	}
	store, s := openTable(t, dir)
	columns := []table.Column{"o_orderkey", "o_orderdate", "o_totalprice", "o_orderstatus"}
	keep := Samples{Folder: filepath.Join(t.TempDir(), "samples")}
	want, err := keep.Draw(t.Context(), store, s, columns, 5_000)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	got, err := keep.Draw(t.Context(), store, s, columns, 5_000)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kept otherwise than drawn: %s", diff)
	}
	for name, other := range map[string]Snapshot{"version": {Version: s.Version + 1}, "schema": {SchemaHash: "other"}} {
		changed := s
		changed.Version, changed.SchemaHash = max(s.Version, other.Version), stdcmp.Or(other.SchemaHash, s.SchemaHash)
		if _, err := keep.Draw(t.Context(), store, changed, columns, 5_000); err == nil {
			t.Errorf("the sample of another %s was taken", name)
		}
	}
	if _, err := keep.Draw(t.Context(), store, s, columns[:2], 5_000); err == nil {
		t.Error("the sample of other columns was taken")
	}
}

// What is kept is disposable: damage is drawn again, and a folder that cannot be written costs
// the keeping only.
func TestSamplesThatCannotBeKept(t *testing.T) {
	store, s := openTable(t, filepath.Join(workload, "orders"))
	columns := []table.Column{"o_orderkey"}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, nameOf(s.Location)), []byte("no sample"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	problems := 0
	for _, keep := range []Samples{{Folder: folder}, {Folder: file, Problem: func(error) { problems++ }}, {}} {
		got, err := keep.Draw(t.Context(), store, s, columns, 1_000)
		if err != nil || got.Len() != 1_000 {
			t.Errorf("%+v: %d rows, %v", keep.Folder, got.Len(), err)
		}
	}
	if problems != 1 {
		t.Errorf("%d problems were told, want the folder that is a file", problems)
	}
}
