package job_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/execute/embedded"
	"ajlo/job/window"
	"ajlo/state"
)

// fixture holds real event logs of Spark 4.0.2 and the Delta tables they ran on.
const fixture = "../testdata/spark40-delta"

// firstNight is the end of the window that holds the fixture's log.
var firstNight = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// lakeOf is a folder with a copy of the fixture's tables, a config for them and a state.
type lakeOf struct {
	dir    string
	config config.Config
}

// newLake copies the fixture's tables into a folder of the test. Windows are a day long, so
// that each night sees one run of the workload, and files are small, as the tables are.
func newLake(t testing.TB, write string) lakeOf {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "warehouse"), os.DirFS(fixture+"/warehouse")); err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Abs(fixture + "/eventlogs")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`
sources: [{logs: %q, path_map: {/lake/warehouse: warehouse}}]
write: [%s]
budget: {rewrite: 50MB}
engine: {target_file_size: 64KiB}
window: 1d
`, logs, write)
	c, err := config.Parse([]byte(text), dir)
	if err != nil {
		t.Fatal(err)
	}
	return lakeOf{dir, c}
}

// table is the folder of one of the tables.
func (l lakeOf) table(name string) string {
	return filepath.Join(l.dir, "warehouse", "tpch.db", name)
}

// readFrom makes the lake's logs those of another folder; the tables are where the logs of
// the fixture, or of a Spark that ran on the copy, have them.
func (l *lakeOf) readFrom(logs string) {
	warehouse := filepath.Join(l.dir, "warehouse")
	l.config.Sources = []config.Source{{Logs: logs, PathMap: map[string]string{"/lake/warehouse": warehouse}}}
}

func (l lakeOf) engine() *embedded.Engine {
	return embedded.New(embedded.Options{Memory: l.config.Engine.Memory, Repartition: l.config.Allow.Repartition, NewID: uuid.NewString, Now: time.Now, Version: "test"})
}

// night runs one night that ends at the given time.
func (l lakeOf) night(t testing.TB, end time.Time, mode job.Mode) (job.Result, error) {
	t.Helper()
	return l.with(t, end, mode, job.Night.Run)
}

// apply carries out a plan that was made before.
func (l lakeOf) apply(t testing.TB, planJSON []byte) (job.Result, error) {
	t.Helper()
	return l.with(t, firstNight, job.Execute, func(n job.Night, ctx context.Context) (job.Result, error) { return n.Apply(ctx, planJSON) })
}

func (l lakeOf) with(t testing.TB, end time.Time, mode job.Mode, do func(job.Night, context.Context) (job.Result, error)) (job.Result, error) {
	t.Helper()
	store, err := state.Open(context.Background(), l.config.State, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	n := job.Night{
		Config: l.config, Window: window.Ending(end, l.config.Window), Mode: mode, Store: store, Engine: l.engine(), Own: l.engine(),
		Log: slog.New(slog.DiscardHandler), ID: uuid.NewString(), Version: "test", Clock: time.Now,
	}
	return do(n, context.Background())
}

func (l lakeOf) mustRun(t testing.TB, end time.Time, mode job.Mode, want state.Outcome) job.Result {
	t.Helper()
	result, err := l.night(t, end, mode)
	if err != nil {
		t.Fatalf("night %s: %v", end.Format(time.DateOnly), err)
	}
	if result.Outcome != want {
		t.Fatalf("night %s ended with %s, want %s: %s", end.Format(time.DateOnly), result.Outcome, want, result.Decision.Trigger.Reason)
	}
	return result
}
