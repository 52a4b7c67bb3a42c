//go:build spark

package sparktest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Work is one run of scripts/workload.py.
type Work struct {
	// Out gets eventlogs/; tables in its warehouse/ are used as they are. See CopyTables.
	Out string
	// Reps is how often the query of a label runs ("Q01"); "*" stands for the rest and is 1
	// where it is missing.
	Reps map[string]int
	// Part leaves out the steps without SQL and those that change tables, or keeps them.
	Part Part
	Conf map[string]string // further Spark settings
	// Engine is the pinned Spark with Delta Lake where it is empty; see Engine.
	Engine Engine
	// Parquet holds the TPC-H tables that missing tables are made of; see TPCH.
	Parquet string
	Steps   Steps
	// Modes are explain modes: everything runs once in each, on the same tables. None is
	// once, in the session's own mode.
	Modes []string
	// Codecs are those in which the log is written again, below Out/codecs, through Spark's
	// own streams.
	Codecs []string
}

// Steps is which of the scripts' steps run.
type Steps string

// The steps: those of the workload, and those that show Spark's operators one by one.
const (
	WorkloadOnly Steps = ""
	AndShapes    Steps = "shapes"
)

// Part is which steps of the workload run.
type Part string

// The parts.
const (
	WholeWorkload Part = "whole"
	QueriesOnly   Part = "queries"
)

// mostFiles is how many files a table that is missing is written in: reading more of them
// shows nothing else.
const mostFiles = "2"

// Workload runs the labelled workload in a Spark of its own and waits for its end; the event
// logs are then complete in Out/eventlogs.
func Workload(ctx context.Context, t testing.TB, w Work) error {
	t.Helper()
	at := installedAs(t, w.Engine)
	reps, err := json.Marshal(w.Reps)
	if err != nil {
		return fmt.Errorf("workload: encode repetitions: %w", err)
	}
	arguments := []string{filepath.Join(at.root, "scripts", "workload.py"), w.Out, cmp.Or(w.Parquet, filepath.Join(w.Out, "no-parquet")), w.Engine.format()}
	for _, key := range slices.Sorted(maps.Keys(w.Conf)) {
		arguments = append(arguments, key+"="+w.Conf[key])
	}
	cmd := exec.CommandContext(ctx, at.python, arguments...)
	cmd.Dir, cmd.Env = t.TempDir(), at.environment()
	cmd.Env = append(cmd.Env, "SHAPES="+string(w.Steps), "FILES="+mostFiles, "MODES="+strings.Join(w.Modes, ","), "CODECS="+strings.Join(w.Codecs, ","))
	if w.Reps != nil {
		cmd.Env = append(cmd.Env, "REPS="+string(reps))
	}
	if w.Part == QueriesOnly {
		cmd.Env = append(cmd.Env, "SQLONLY=1")
	}
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("workload: %w\n%s", err, said)
	}
	return nil
}

// CopyTables copies the tables of testdata/spark40-delta to out/warehouse.
func CopyTables(t testing.TB, out string) {
	t.Helper()
	from := filepath.Join(moduleRoot(t), "testdata", "spark40-delta", "warehouse")
	if err := os.CopyFS(filepath.Join(out, "warehouse"), os.DirFS(from)); err != nil {
		t.Fatalf("sparktest: copy tables: %v", err)
	}
}

// scale is the TPC-H scale factor of what TPCH makes: the smallest at which each query of the
// workload finds rows. (A join that finds none is removed while it runs.)
const scale = "0.015"

// TPCH gives a folder with the TPC-H tables at a small scale, as Parquet. It is made once and
// kept in .cache.
func TPCH(ctx context.Context, t testing.TB) string {
	t.Helper()
	root := moduleRoot(t)
	tables := filepath.Join(root, ".cache", "tpch-"+scale)
	if _, err := os.Stat(tables); err == nil {
		return tables
	}
	generator := filepath.Join(filepath.Dir(installed(t).python), "tpchgen-cli")
	part := t.TempDir()
	said, err := exec.CommandContext(ctx, generator, "parquet", "-s", scale, "--parts=2", "--output-dir="+part).CombinedOutput()
	if err != nil {
		t.Fatalf("sparktest: make TPC-H tables: %v\n%s", err, said)
	}
	if err := os.CopyFS(tables, os.DirFS(part)); err != nil {
		t.Fatalf("sparktest: keep TPC-H tables: %v", err)
	}
	return tables
}
