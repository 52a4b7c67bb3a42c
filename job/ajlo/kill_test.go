package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/table"
)

// kills is how many runs are killed; AJLO_SOAK runs ten times as many.
func kills() int {
	if os.Getenv("AJLO_SOAK") != "" {
		return 50
	}
	return 5
}

// TestKilledRun kills whole runs at random moments. Whatever the moment, the tables are
// readable, the next run of the night brings it to its end, the state says what happened,
// and no file of the dead attempt is left.
func TestKilledRun(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ajlo")
	if err := os.Symlink(must(os.Executable())(t), program); err != nil {
		t.Fatal(err)
	}
	whole := time.Now()
	finish(t, program, newNight(t))
	took := time.Since(whole)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range kills() {
		after := time.Duration(random.Int64N(int64(took)))
		t.Run(fmt.Sprintf("%d of %d", i+1, kills()), func(t *testing.T) {
			config := newNight(t)
			killed := killAfter(t, program, config, after)
			for name, rows := range rowsOf {
				if got := liveRows(t, config, name); got != rows {
					t.Errorf("%s has %d rows after a kill at %v, want %d", name, got, after, rows)
				}
			}
			finish(t, program, config)
			for name, rows := range rowsOf {
				if got := liveRows(t, config, name); got != rows {
					t.Errorf("%s has %d rows in the end, want %d", name, got, rows)
				}
				onlyNamedFiles(t, config, name)
			}
			trueState(t, config, killed)
		})
	}
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// newNight copies the fixture and gives the path of a config for it.
func newNight(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/spark40-delta")); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "ajlo.yaml")
	text := `
sources: [{logs: eventlogs, path_map: {/lake/warehouse: warehouse}}]
write: [tpch.orders, tpch.lineitem]
budget: {rewrite: 50MB}
engine: {target_file_size: 64KiB}
`
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return config
}

func command(program, config string) *exec.Cmd {
	return exec.Command(program, "run", "--config", config, "--now", "2026-11-30")
}

// killAfter reports whether the run was still at work when it was killed.
func killAfter(t *testing.T, program, config string, after time.Duration) bool {
	t.Helper()
	run := command(program, config)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = run.Process.Kill() })
	defer timer.Stop()
	var exit *exec.ExitError
	if err := run.Wait(); errors.As(err, &exit) {
		return true
	} else if err != nil {
		t.Fatal(err)
	}
	return false
}

// finish runs the night to its end.
func finish(t *testing.T, program, config string) {
	t.Helper()
	said, err := command(program, config).CombinedOutput()
	if err != nil {
		t.Fatalf("the run did not end well: %v\n%s", err, said)
	}
}

// rowsOf is what the fixture's tables hold.
var rowsOf = map[string]int64{"orders": 75_000, "lineitem": 299_812}

func liveRows(t *testing.T, config, name string) int64 {
	t.Helper()
	folder := filepath.Join(filepath.Dir(config), "warehouse", "tpch.db", name)
	s := must(lake.Open(context.Background(), must(object.OpenLocal(folder))(t), table.Name(name), table.Location(folder)))(t)
	rows, ok := s.Rows()
	if !ok {
		t.Errorf("%s does not say how many rows it has", name)
	}
	return rows
}

// onlyNamedFiles checks that every data file in the table's folder is named by its log.
func onlyNamedFiles(t *testing.T, config, name string) {
	t.Helper()
	folder := filepath.Join(filepath.Dir(config), "warehouse", "tpch.db", name)
	log := ""
	for _, commit := range must(filepath.Glob(folder + "/_delta_log/*.json"))(t) {
		log += string(must(os.ReadFile(commit))(t))
	}
	for _, file := range must(filepath.Glob(folder + "/*.parquet"))(t) {
		if !strings.Contains(log, filepath.Base(file)) {
			t.Errorf("%s: %s was left behind", name, filepath.Base(file))
		}
	}
	if hidden := must(filepath.Glob(folder + "/.ajlo*"))(t); len(hidden) > 0 {
		t.Errorf("%s: %v were left behind", name, hidden)
	}
}

// trueState checks that the state has the night done, and the killed run as interrupted
// where it had begun.
func trueState(t *testing.T, config string, killed bool) {
	t.Helper()
	db := must(sql.Open("sqlite", "file:"+filepath.Join(filepath.Dir(config), "ajlo.db")+"?mode=ro"))(t)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows := must(db.Query("SELECT outcome FROM runs WHERE night = '2026-11-30' ORDER BY attempt"))(t)
	var outcomes []string
	for rows.Next() {
		var outcome sql.NullString
		if err := rows.Scan(&outcome); err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, outcome.String)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	last := outcomes[len(outcomes)-1]
	if last != "applied" && last != "nothing_to_do" {
		t.Errorf("the night ended with %q, want applied or nothing_to_do", last)
	}
	for _, earlier := range outcomes[:len(outcomes)-1] {
		if !killed || earlier != "interrupted" {
			t.Errorf("the killed run ended with %q, want interrupted", earlier)
		}
	}
}
