package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/execute"
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
			goesOn(t, program, func(config string) bool {
				return killWhen(t, program, config, func() { time.Sleep(after) })
			})
		})
	}
	t.Run("inside a rewrite", func(t *testing.T) {
		goesOn(t, program, func(config string) bool {
			before := len(dataFiles(t, config, "lineitem"))
			killed := killWhen(t, program, config, func() {
				for len(dataFiles(t, config, "lineitem")) < before+3 {
					time.Sleep(time.Millisecond)
				}
			})
			if left := len(dataFiles(t, config, "lineitem")); !killed || left < before+3 {
				t.Fatalf("the kill did not fall inside a rewrite: %d files, before %d", left, before)
			}
			return killed
		})
	})
}

// goesOn kills a run and holds that nothing is lost and that the next run ends the night.
func goesOn(t *testing.T, program string, kill func(config string) bool) {
	t.Helper()
	config := newNight(t)
	killed := kill(config)
	for name, rows := range rowsOf {
		if got := liveRows(t, config, name); got != rows {
			t.Errorf("%s has %d rows after the kill, want %d", name, got, rows)
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

// killWhen kills a run once wait returns, and reports whether it was still at work.
func killWhen(t *testing.T, program, config string, wait func()) bool {
	t.Helper()
	run := command(program, config)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	wait()
	_ = run.Process.Kill() // it may have ended by itself
	var exit *exec.ExitError
	if err := run.Wait(); errors.As(err, &exit) {
		return true
	} else if err != nil {
		t.Fatal(err)
	}
	return false
}

func dataFiles(t *testing.T, config, name string) []string {
	t.Helper()
	return must(filepath.Glob(filepath.Join(filepath.Dir(config), "warehouse", "tpch.db", name, "*.parquet")))(t)
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

// trueState checks that the state has the night done, the killed run as interrupted where it
// had begun, and of each table the very commits that its own history has.
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
	recorded := commitsIn(t, db)
	if diff := cmp.Diff(stampedCommits(t, config), recorded); diff != "" {
		t.Error("the tables' histories and the state differ:", diff)
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

// commitsIn lists what the state says was committed: "table run step version".
func commitsIn(t *testing.T, db *sql.DB) []string {
	t.Helper()
	rows := must(db.Query("SELECT table_name, run_id, step, version FROM steps WHERE status = 'applied' AND changed = 1"))(t)
	var commits []string
	for rows.Next() {
		var name, run string
		var step, version int64
		if err := rows.Scan(&name, &run, &step, &version); err != nil {
			t.Fatal(err)
		}
		commits = append(commits, fmt.Sprintf("%s %s %d %d", strings.TrimPrefix(name, "tpch."), run, step, version))
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(commits)
	return commits
}

// stampedCommits lists the commits that carry ajlo's stamp in the tables' own histories.
func stampedCommits(t *testing.T, config string) []string {
	t.Helper()
	var commits []string
	for name := range rowsOf {
		folder := filepath.Join(filepath.Dir(config), "warehouse", "tpch.db", name)
		for version, file := range must(filepath.Glob(folder + "/_delta_log/*.json"))(t) {
			first, _, _ := strings.Cut(string(must(os.ReadFile(file))(t)), "\n")
			var line struct {
				CommitInfo struct {
					UserMetadata string `json:"userMetadata"`
				} `json:"commitInfo"`
			}
			if err := json.Unmarshal([]byte(first), &line); err != nil {
				t.Fatal(err)
			}
			if line.CommitInfo.UserMetadata == "" {
				continue
			}
			var stamp execute.Stamp
			if err := json.Unmarshal([]byte(line.CommitInfo.UserMetadata), &stamp); err != nil {
				t.Fatal(err)
			}
			commits = append(commits, fmt.Sprintf("%s %s %d %d", name, stamp.Run, stamp.Step, version))
		}
	}
	slices.Sort(commits)
	return commits
}
