package delta

import (
	"os"
	"path/filepath"
	"testing"

	"ajlo/job/object"
)

// lakeFolder holds the tables that the workload of the project's fixtures ran on.
const lakeFolder = "../../testdata/spark40-delta/warehouse/tpch.db"

func openFolder(t testing.TB, dir string) object.Store {
	t.Helper()
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// madeBySpark opens one of the tables of testdata, see make_tables.py.
func madeBySpark(t testing.TB, name string) object.Store {
	t.Helper()
	return openFolder(t, filepath.Join("testdata/tables", name))
}

// copyOf is a table of testdata that the test may damage.
func copyOf(t testing.TB, name string) (object.Store, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata/tables", name))); err != nil {
		t.Fatal(err)
	}
	return openFolder(t, dir), dir
}

func replayOf(t testing.TB, store object.Store) Snapshot {
	t.Helper()
	s, err := Replay(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func paths(files []Add) []string {
	list := []string{}
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}

func remove(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "_delta_log", name)); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "_delta_log", name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
