package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The state says which files a dead run left; whoever can write it could name any. A file goes
// only if it says itself that the run wrote it, and only by the engine that did.
func TestForgedStateDeletesNothing(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ajlo")
	if err := os.Symlink(must(os.Executable())(t), program); err != nil {
		t.Fatal(err)
	}
	config := newNight(t)
	finish(t, program, config)
	folder := filepath.Join(filepath.Dir(config), "warehouse", "tpch.db", "orders")
	spark := must(filepath.Glob("../../testdata/spark40-delta/warehouse/tpch.db/orders/*.parquet"))(t)[0]
	if err := os.WriteFile(filepath.Join(folder, "foreign.parquet"), must(os.ReadFile(spark))(t), 0o644); err != nil {
		t.Fatal(err)
	}
	forge(t, config, folder, "foreign.parquet", filepath.Base(spark))
	noLogs := t.TempDir()
	before := dataFiles(t, config, "orders")
	for _, tt := range []struct{ engine, want string }{
		{"sparksql", "what a run of another engine left is looked at when that engine runs again"},
		{"embedded", "it does not say that the run wrote it"},
	} {
		change(t, config, `UPDATE runs SET engine = ?, outcome = 'failed'`, tt.engine)
		run := command(program, config)
		run.Args = append(run.Args, "--logs", noLogs) // what is left is looked at before anything else
		said, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(said), tt.want) {
			t.Errorf("by %s: %v, %q is not said in\n%s", tt.engine, err, tt.want, said)
		}
		if after := dataFiles(t, config, "orders"); len(after) != len(before) {
			t.Errorf("by %s: %d files, there were %d", tt.engine, len(after), len(before))
		}
	}
}

// forge puts files on the write-ahead list of the run's first step.
func forge(t *testing.T, config, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		change(t, config, `INSERT INTO files (run_id, step, location, path, state, intended_us)
			SELECT run_id, step, ?, ?, 'pending', 1 FROM steps LIMIT 1`, folder, name)
	}
}

func change(t *testing.T, config, statement string, args ...any) {
	t.Helper()
	db := must(sql.Open("sqlite", "file:"+filepath.Join(filepath.Dir(config), "ajlo.db")))(t)
	if _, err := db.Exec(statement, args...); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
