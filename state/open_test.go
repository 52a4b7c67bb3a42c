package state

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenMakesWhatIsMissing(t *testing.T) {
	for _, c := range []struct{ name, path string }{
		{"a folder in a folder", "a/b/state.db"},
		{"names that a URL would read", "what? 100%41 #1&x=y/state;1.db"},
		{"names beyond ASCII", "état/журнал.db"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), filepath.FromSlash(c.path))
			s := openStore(t, path, newClock())
			finish(t, begin(t, s, beginning("r1", 1)), NoDrift)
			if _, err := os.Stat(path); err != nil {
				t.Errorf("the file is elsewhere: %v", err)
			}
		})
	}
}

func TestOpenKeepsWhatWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	for _, id := range []string{"r1", "r2"} {
		s, err := Open(t.Context(), path, newClock().now)
		must(t, err)
		finish(t, begin(t, s, beginning(id, 1)), Failed)
		must(t, s.Close())
	}
	s := openStore(t, path, newClock())
	if got := cell(t, s, `SELECT group_concat(id) FROM (SELECT id FROM runs ORDER BY attempt)`); got != "r1,r2" {
		t.Errorf("runs %s, want r1,r2", got)
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "foreign_keys": "1", "synchronous": "2", "application_id": "1634364527"} {
		if got := cell(t, s, "PRAGMA "+pragma); got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
}

// written gives the bytes of a state file that a run was recorded in.
func written(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(t.Context(), path, newClock().now)
	must(t, err)
	r := begin(t, s, beginning("r1", 1))
	must(t, r.RecordGraph(t.Context(), graph(1)))
	finish(t, r, NoDrift)
	must(t, s.Close())
	text, err := os.ReadFile(path)
	must(t, err)
	return text
}

func TestOpenRefuses(t *testing.T) {
	whole := written(t)
	spoiled := func(at int) []byte {
		b := append([]byte{}, whole...)
		for i := at; i < at+2000; i++ {
			b[i] = 0xa5
		}
		return b
	}
	for _, c := range []struct {
		name    string
		content []byte
		sql     string // run on the file first
		want    string
	}{
		{name: "text", content: []byte(strings.Repeat("this is no database\n", 400)), want: "damaged or no state file"},
		{name: "a file cut in half", content: whole[:len(whole)/2], want: "damaged or no state file"},
		{name: "a file cut inside its header", content: whole[:50], want: "damaged or no state file"},
		{name: "a file with a spoiled schema", content: spoiled(100), want: "damaged or no state file"},
		{name: "a file with a spoiled page", content: spoiled(5 * 4096), want: "damaged or no state file"},
		{name: "a newer format", content: whole, sql: "PRAGMA user_version = 99", want: "format 99 and this ajlo knows up to 9: use the newer ajlo"},
		{name: "another program's file", sql: "CREATE TABLE t (x)", want: "another program"},
		{name: "another program's empty file", sql: "PRAGMA user_version = 3", want: "another program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			must(t, os.WriteFile(path, c.content, 0o644))
			alter(t, path, c.sql)
			before, err := os.ReadFile(path)
			must(t, err)
			for name, open := range map[string]func() (*Store, error){
				"Open":         func() (*Store, error) { return Open(t.Context(), path, newClock().now) },
				"OpenReadOnly": func() (*Store, error) { return OpenReadOnly(t.Context(), path) },
			} {
				s, err := open()
				if err == nil {
					t.Errorf("%s takes it", name)
					must(t, s.Close())
				} else if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("%s says %q, want the path and %q", name, err, c.want)
				}
			}
			after, err := os.ReadFile(path)
			must(t, err)
			if string(before) != string(after) {
				t.Error("the refused file was changed")
			}
		})
	}
}

// alter runs a statement on a file as another program would.
func alter(t *testing.T, path, statement string) {
	t.Helper()
	if statement == "" {
		return
	}
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	must(t, err)
	must(t, db.Close())
}

func TestOpenSaysWhyAPathCannotBe(t *testing.T) {
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o644))
	for _, c := range []struct{ name, path, want string }{
		{"below a file", filepath.Join(folder, "file", "state.db"), "making its folder"},
		{"a folder", folder, "it is a folder: name a file in it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(t.Context(), c.path, newClock().now)
			if err == nil {
				must(t, s.Close())
				t.Fatal("it opens")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("%q does not name the path and %q", err, c.want)
			}
		})
	}
}

func TestOpenReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	_, err := OpenReadOnly(t.Context(), path)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file gives %v", err)
	}
	if exists(path) {
		t.Fatal("reading made the file")
	}
	must(t, os.WriteFile(path, written(t), 0o644))
	s, err := OpenReadOnly(t.Context(), path)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	g, err := s.LastGraph(t.Context(), "2026-12-02")
	if err != nil || g == nil || len(g.Edges) != 2 {
		t.Errorf("graph %v, %v", g, err)
	}
	if _, err := s.db.ExecContext(t.Context(), `DELETE FROM runs`); err == nil {
		t.Error("a reader deletes")
	}
}

// A folder that must not be written cannot hold SQLite's side files: the file alone is then
// read as it is.
func TestReadingWithoutSideFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	must(t, os.WriteFile(path, written(t), 0o444))
	s, err := openChecked(t.Context(), path, "immutable=1")
	must(t, err)
	defer func() { must(t, s.Close()) }()
	if got := cell(t, s, `SELECT outcome FROM audit_runs`); got != "no_drift" {
		t.Errorf("outcome %s", got)
	}
	if exists(path+"-wal") || exists(path+"-shm") {
		t.Error("side files were made")
	}
}

func TestReadingWhileARunIsAtWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := openStore(t, path, newClock())
	r := begin(t, s, beginning("r1", 1))
	reader, err := OpenReadOnly(t.Context(), path)
	must(t, err)
	defer func() { must(t, reader.Close()) }()
	must(t, r.RecordGraph(t.Context(), graph(1)))
	if got := cell(t, reader, `SELECT count(*) FROM audit_edges`); got != "3" {
		t.Errorf("the reader sees %s edges, want 3", got)
	}
}

func TestAFailedMigrationLeavesNothing(t *testing.T) {
	s, err := open(filepath.Join(t.TempDir(), "state.db"), "_txlock=immediate", newClock().now)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	steps := []string{"CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"}
	version, err := s.migrateOnce(t.Context(), steps)
	if version != 1 || err != nil {
		t.Fatalf("the first step gives format %d, %v", version, err)
	}
	if _, err = s.migrateOnce(t.Context(), steps); err == nil {
		t.Fatal("the broken step goes through")
	}
	if got := cell(t, s, `SELECT group_concat(name) || (SELECT user_version FROM pragma_user_version) FROM sqlite_schema`); got != "a1" {
		t.Errorf("tables and format are %s, want a1", got)
	}
}

func TestAFullDiskIsNamed(t *testing.T) {
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	cell(t, s, `PRAGMA max_page_count = 1`) // SQLite sets it to the present size
	g := graph(1)
	for range 2000 {
		e := g.Edges[0]
		e.Fingerprint, e.Key = nil, e.Key+"+"
		g.Edges = append(g.Edges, e)
		g.Edges[0].Key += "+"
	}
	err := r.RecordGraph(t.Context(), g)
	if err == nil || !strings.Contains(err.Error(), "the disk is full: free some space") {
		t.Errorf("got %v", err)
	}
	if got := cell(t, s, `SELECT count(*) FROM edges`); got != "0" {
		t.Errorf("%s edges of the failed record are there", got)
	}
}
