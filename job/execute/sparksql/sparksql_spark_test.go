//go:build spark

package sparksql_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/execute/sparksql"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// recorder keeps what an engine tells of a step.
type recorder struct {
	stamp   execute.Stamp
	intents []string
	spent   unit.Bytes
}

func (r *recorder) Intend(_ context.Context, _ table.Location, paths []string) error {
	r.intents = append(r.intents, paths...)
	return nil
}
func (r *recorder) Spend(bytes unit.Bytes) error { r.spent += bytes; return nil }
func (r *recorder) Progress(_, _ unit.Bytes)     {}
func (r *recorder) Stamp() execute.Stamp         { return r.stamp }

func newChild(t *testing.T) sparksql.Child {
	t.Helper()
	command, conf := sparktest.SparkSQL(t, sparktest.Options{})
	return sparksql.Child{Command: command, Conf: conf, Folder: t.TempDir()}
}

// newEngine is the engine on the installed Spark; change may set what a case needs.
func newEngine(t *testing.T, change func(*sparksql.Options)) *sparksql.Engine {
	t.Helper()
	o := sparksql.Options{Spark: newChild(t), Address: dialect.ByPath, Now: time.Now}
	if change != nil {
		change(&o)
	}
	return sparksql.New(o)
}

// copied is a table of the fixture in a folder of its own.
func copied(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "testdata", "spark40-delta", "warehouse", "tpch.db", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func look(t *testing.T, dir string) lake.Snapshot {
	t.Helper()
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, "tpch.orders", table.Location(dir))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stepOn is a step as the planner makes it.
func stepOn(t *testing.T, dir string, d dialect.SparkDelta, l layout.Layout) plan.Step {
	t.Helper()
	s := look(t, dir)
	target := dialect.Target{
		Name: s.Table, Location: s.Location, Address: dialect.ByPath,
		Clustered: slices.Contains(s.Protocol.WriterFeatures, "clustering"),
	}
	return plan.Step{
		Table: s.Table, Kind: plan.Rekey, Location: s.Location, Layout: l, Version: s.Version,
		SchemaHash: s.SchemaHash, Protocol: s.Protocol, Owner: s.Owner, Was: s.Layout, Declared: s.Declared, TargetFile: 64 * unit.KiB,
		Statement: strings.Join(d.Rekey(target, l), "\n"),
	}
}

// Both ways of OPTIMIZE lay all files anew, by rows that are the same; the table's history
// says that its keys are ours, a second step changes nothing of declared keys, and what dies
// is found again by its stamp.
func TestSparkLaysATable(t *testing.T) { laysATable(t, newEngine(t, nil)) }

func laysATable(t *testing.T, e *sparksql.Engine) {
	t.Helper()
	for _, tc := range []struct {
		name    string
		dialect dialect.SparkDelta
		order   layout.Order
	}{
		{"zorder", dialect.SparkDelta{}, layout.ZOrder},
		{"clustered", dialect.SparkDelta{MayRaiseProtocol: dialect.RaiseProtocol}, layout.Hilbert},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copied(t, "orders")
			before := look(t, dir)
			keys := layout.ClusteredBy(tc.order, "o_orderkey", "o_orderdate")
			step := stepOn(t, dir, tc.dialect, keys)
			if err := e.Check(t.Context(), step); err != nil {
				t.Fatalf("check: %v", err)
			}
			rec := &recorder{stamp: execute.Stamp{Run: "r1", Step: 3, PlanHash: "abc"}}
			got, err := e.Apply(t.Context(), step, rec)
			if err != nil {
				t.Fatal(err)
			}
			after := look(t, dir)
			rows, _ := before.Rows()
			if !got.Changed || got.Removed != got.Added || got.Added.Rows != rows || got.FilesRemoved != len(before.Files) ||
				got.FilesAdded != len(after.Files) || got.BytesRemoved != before.Bytes() || rec.spent != before.Bytes() || got.Version != after.Version {
				t.Errorf("%+v after %d files of %s with %d rows; now %d files at version %d", got, len(before.Files), before.Bytes(), rows, len(after.Files), after.Version)
			}
			if len(after.Files) < 2*len(before.Files)/3 {
				t.Errorf("%d files, the step's file size is not kept", len(after.Files))
			}
			if after.Owner != delta.OwnerUs || !layout.SameKeys(after.Layout, keys) || slices.ContainsFunc(after.Files, func(f lake.File) bool { return !f.Laid }) {
				t.Errorf("the table's history tells of %s by %s", after.Layout, after.Owner)
			}
			swept, err := e.Sweep(t.Context(), execute.Leftover{Location: step.Location, Paths: rec.intents})
			if err != nil || !swept.Committed || swept.Version != got.Version || len(swept.Gone) != 0 {
				t.Errorf("swept %+v, %v, want version %d", swept, err, got.Version)
			}
			other, err := e.Sweep(t.Context(), execute.Leftover{Location: step.Location, Paths: []string{"commit:r1/4"}})
			if err != nil || other.Committed || !slices.Equal(other.Gone, []string{"commit:r1/4"}) {
				t.Errorf("a step that never committed: %+v, %v", other, err)
			}
			if tc.order == layout.Hilbert {
				again, err := e.Apply(t.Context(), stepOn(t, dir, tc.dialect, keys), &recorder{stamp: execute.Stamp{Run: "r2", PlanHash: "abc"}})
				if err != nil || again.Changed || len(look(t, dir).Files) != len(after.Files) {
					t.Errorf("again: %+v, %v", again, err)
				}
			}
		})
	}
}

// A child that is told to stop leaves the table readable, says why it stopped, and is gone.
func TestSparkIsStopped(t *testing.T) {
	dir := copied(t, "orders")
	before := look(t, dir)
	step := stepOn(t, dir, dialect.SparkDelta{}, layout.ClusteredBy(layout.Sort, "o_custkey"))
	folder := t.TempDir()
	for _, tc := range []struct {
		name string
		ctx  func() (context.Context, context.CancelFunc)
		time time.Duration
		want string
	}{
		{"time limit", func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) }, 2 * time.Second, "engine.time_limit"},
		{"cancelled", func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), 3*time.Second) }, 0, "deadline exceeded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newEngine(t, func(o *sparksql.Options) {
				child := newChild(t)
				child.Folder = folder
				o.Spark, o.TimeLimit = child, tc.time
			})
			ctx, cancel := tc.ctx()
			defer cancel()
			_, err := e.Apply(ctx, step, &recorder{stamp: execute.Stamp{Run: "r"}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			if now := look(t, dir); now.Version != before.Version {
				t.Errorf("the table is at version %d", now.Version)
			}
		})
	}
}

// What this Spark cannot do is refused before anything runs.
func TestSparkRefuses(t *testing.T) {
	dir := copied(t, "orders")
	keys := layout.ClusteredBy(layout.Sort, "o_custkey")
	good := stepOn(t, dir, dialect.SparkDelta{}, keys)
	for _, tc := range []struct {
		name   string
		change func(*sparksql.Child, *sparksql.Options, *plan.Step)
		want   string
	}{
		{"no Spark", func(c *sparksql.Child, _ *sparksql.Options, _ *plan.Step) { c.Command = []string{"/nowhere/spark-sql"} }, "engine.command"},
		{"a Spark that does not start", func(c *sparksql.Child, _ *sparksql.Options, _ *plan.Step) {
			c.Command = append(c.Command, "--no-such-option")
		}, "its log is in"},
		{"no Delta Lake", func(c *sparksql.Child, _ *sparksql.Options, _ *plan.Step) {
			delete(c.Conf, "spark.jars")
			delete(c.Conf, "spark.sql.extensions")
			delete(c.Conf, "spark.sql.catalog.spark_catalog")
		}, "cannot describe it"},
		{"a name that leads elsewhere", func(_ *sparksql.Child, o *sparksql.Options, _ *plan.Step) { o.Address = dialect.ByName }, "cannot describe it"},
		{"another schema", func(_ *sparksql.Child, _ *sparksql.Options, s *plan.Step) { s.SchemaHash = "0" }, "its schema changed"},
		{"learnt cuts", func(_ *sparksql.Child, _ *sparksql.Options, s *plan.Step) { s.Layout.Order = layout.LearntCuts }, "Spark has no statement for it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			step := good
			e := newEngine(t, func(o *sparksql.Options) {
				child := newChild(t)
				tc.change(&child, o, &step)
				o.Spark = child
			})
			err := e.Check(t.Context(), step)
			var refused *execute.Refusal
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want a refusal with %q", err, tc.want)
			}
		})
	}
}
