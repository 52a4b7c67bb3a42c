package enginetest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// Setup is what the suite wants an engine to work with. The engine must not pause for real
// between attempts.
type Setup struct {
	// Open is how tables are opened.
	Open func(location string) (object.Store, error)
	// FreeSpace is what the engine is to believe of the disk.
	FreeSpace func(dir string) (unit.Bytes, error)
	// Disk is which disk the engine is to believe a folder on; the system's answer where nil.
	Disk func(dir string) (string, error)
	// Memory is the engine's limit; its default where 0.
	Memory unit.Bytes
	// Spill is the folder for rows that do not fit in it; the system's where "".
	Spill string
	// Later is how far the engine's clock is ahead of the real one.
	Later time.Duration
}

// Make makes the engine under test.
type Make func(s Setup) execute.Engine

// Run is the whole suite. It starts the test's own binary again to kill it, so it has to be
// called from a test of the name that t has.
func Run(t *testing.T, newEngine Make) {
	if isVictim() {
		beKilled(t, newEngine)
		return
	}
	s := suite{newEngine}
	t.Run("rows", s.rows)
	t.Run("odd files", s.oddFiles)
	t.Run("odd names", s.oddlyNamed)
	t.Run("features", s.features)
	t.Run("history", s.history)
	t.Run("again", s.again)
	t.Run("others", s.others)
	t.Run("back", s.back)
	t.Run("ordered by a Spark", s.ordered)
	t.Run("cancel", s.cancel)
	t.Run("faults", s.faults)
	t.Run("unknown outcome", s.unknownOutcome)
	t.Run("refusals", s.refusals)
	t.Run("damage", s.damage)
	t.Run("sweep", s.sweep)
	t.Run("kill", s.kill)
}

type suite struct{ newEngine Make }

// plain is an engine on the real storage, with room enough.
func (s suite) plain() execute.Engine { return s.newEngine(setup(object.Open)) }

// behind is an engine whose storage is seen through a wrapper.
func (s suite) behind(wrap func(object.Store) object.Store) execute.Engine {
	return s.newEngine(setup(func(location string) (object.Store, error) {
		store, err := object.Open(location)
		if err != nil {
			return nil, err
		}
		return wrap(store), nil
	}))
}

func setup(open func(string) (object.Store, error)) Setup {
	return Setup{Open: open, FreeSpace: func(string) (unit.Bytes, error) { return unit.TB, nil }}
}

// root is the top of the repository, above the package whose test runs.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test's folder")
	return ""
}

// fixture is a copy of one of the tables that Spark wrote.
func fixture(t *testing.T, name string) string {
	t.Helper()
	for _, folder := range []string{"job/rewrite/testdata/spark40", "testdata/spark40-delta/warehouse/tpch.db", "job/delta/testdata/tables"} {
		from := filepath.Join(root(t), filepath.FromSlash(folder), name)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Fatalf("no table %s among the fixtures", name)
	return ""
}
