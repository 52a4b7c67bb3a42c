package iceberg_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ajlo/job/iceberg"
	"ajlo/job/object"
)

func copiedTable(t *testing.T, name string) object.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func readStore(t *testing.T, store object.Store) iceberg.Snapshot {
	t.Helper()
	s, err := iceberg.Read(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A table goes back to a snapshot that it lists, and forth again; all else of its metadata stays.
func TestRollback(t *testing.T) {
	store := copiedTable(t, "kinds")
	start := readStore(t, store)
	first := start.Commits[0].ID
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := iceberg.Rollback(t.Context(), store, start, first, map[string]string{iceberg.RollbackKey: "a stamp"}, at); err != nil {
		t.Fatal(err)
	}
	last, err := iceberg.LastRollback(t.Context(), store)
	if diff := cmp.Diff(&iceberg.RolledBack{Stamp: "a stamp", To: first, Time: at}, last); diff != "" || err != nil {
		t.Error(diff, err)
	}
	back := readStore(t, store)
	want, err := iceberg.ReadAt(t.Context(), store, first)
	if err != nil {
		t.Fatal(err)
	}
	if back.ID != first || back.Metadata != "metadata/v6.metadata.json" || back.Properties[iceberg.RollbackKey] != "a stamp" {
		t.Errorf("at snapshot %d by %s with %v", back.ID, back.Metadata, back.Properties)
	}
	if diff := cmp.Diff(want.Files, back.Files); diff != "" {
		t.Error(diff)
	}
	if err := iceberg.Rollback(t.Context(), store, back, start.ID, map[string]string{iceberg.RollbackKey: ""}, at); err != nil {
		t.Fatal(err)
	}
	if last, err = iceberg.LastRollback(t.Context(), store); last != nil || err != nil {
		t.Errorf("%+v, %v: the property is gone", last, err)
	}
	forth := readStore(t, store)
	if diff := cmp.Diff(start, forth, cmpopts.IgnoreFields(iceberg.Snapshot{}, "Metadata"), cmpopts.IgnoreUnexported(iceberg.Snapshot{})); diff != "" {
		t.Error(diff)
	}
}

// What others committed since the table was read is theirs to keep.
func TestRollbackGivesWay(t *testing.T) {
	store := copiedTable(t, "kinds")
	start := readStore(t, store)
	text, err := store.ReadAll(t.Context(), start.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.PutIfAbsent(t.Context(), "metadata/v6.metadata.json", text); err != nil {
		t.Fatal(err)
	}
	err = iceberg.Rollback(t.Context(), store, start, start.Commits[0].ID, nil, time.Now())
	if now := readStore(t, store); !errors.Is(err, iceberg.ErrMoved) || now.ID != start.ID {
		t.Errorf("%v, at snapshot %d", err, now.ID)
	}
}

// Where a folder is not its own catalog, or metadata are packed, no file is put.
func TestRollbackAsksTheCatalog(t *testing.T) {
	store := copiedTable(t, "gz")
	start := readStore(t, store)
	err := iceberg.Rollback(t.Context(), store, start, start.ID, nil, time.Now())
	if now := readStore(t, store); !errors.Is(err, iceberg.ErrCatalog) || !errors.Is(start.MayRollBack(), iceberg.ErrCatalog) || now.Metadata != start.Metadata {
		t.Errorf("%v, by %s", err, now.Metadata)
	}
}
