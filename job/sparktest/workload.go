//go:build spark

package sparktest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
}

// Part is which steps of the workload run.
type Part string

// The parts.
const (
	WholeWorkload Part = "whole"
	QueriesOnly   Part = "queries"
)

// Workload runs the labelled workload in a Spark of its own and waits for its end; the event
// logs are then complete in Out/eventlogs.
func Workload(ctx context.Context, t testing.TB, w Work) error {
	t.Helper()
	at := installed(t)
	reps, err := json.Marshal(w.Reps)
	if err != nil {
		return fmt.Errorf("workload: encode repetitions: %w", err)
	}
	arguments := []string{filepath.Join(at.root, "scripts", "workload.py"), w.Out, filepath.Join(w.Out, "no-parquet"), "delta"}
	for _, key := range slices.Sorted(maps.Keys(w.Conf)) {
		arguments = append(arguments, key+"="+w.Conf[key])
	}
	cmd := exec.CommandContext(ctx, at.python, arguments...)
	cmd.Dir, cmd.Env = t.TempDir(), at.environment()
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
