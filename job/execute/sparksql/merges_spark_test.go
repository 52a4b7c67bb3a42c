//go:build spark

package sparksql_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/execute/sparksql"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/sparktest"
)

// merger is a Spark that merges into a table without a pause: each merge adds one to the same row.
type merger struct {
	spark *sparktest.Spark
	at    string
	done  int // merges that the table holds
	lost  int // that gave way to others, and were tried again
}

// run merges until the context ends.
func (m *merger) run(ctx context.Context) error {
	sql := fmt.Sprintf("MERGE INTO %[1]s t USING (SELECT min(o_orderkey) AS k FROM %[1]s) s ON t.o_orderkey = s.k WHEN MATCHED THEN UPDATE SET o_shippriority = o_shippriority + 1", m.at)
	for ctx.Err() == nil {
		_, err := m.spark.SQL(context.WithoutCancel(ctx), sql)
		var said *sparktest.Error
		switch {
		case err == nil:
			m.done++
		case errors.As(err, &said) && strings.Contains(said.Class, "io.delta.exceptions."):
			m.lost++
		default:
			return err
		}
	}
	return nil
}

// A step that loses to MERGE is done again on the newest version: no merge is lost, none counts
// twice, and the step's own statements are in the history once.
func TestSparkGivesWayToMerges(t *testing.T) {
	if os.Getenv("AJLO_SOAK") == "" {
		t.Skip("takes minutes: scripts/soak runs it")
	}
	o := sparktest.Options{Linking: true}
	dir := copied(t, "orders")
	m := &merger{spark: sparktest.Start(t, o), at: "delta.`" + dir + "`"}
	command, conf := sparktest.SparkSQL(t, o)
	e := sparksql.New(sparksql.Options{
		Spark: sparksql.Child{Command: command, Conf: conf, Folder: t.TempDir()}, Address: dialect.ByPath, Now: time.Now,
		Wait: func(context.Context, time.Duration) error { return nil },
	})
	before := look(t, dir)
	keys := layout.ClusteredBy(layout.Hilbert, "o_orderkey", "o_orderdate")
	step := stepOn(t, dir, dialect.SparkDelta{MayRaiseProtocol: dialect.RaiseProtocol}, keys)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	rec := &busy{recorder: &recorder{stamp: execute.Stamp{Run: "r1", Step: 3, PlanHash: "abc"}}}
	rec.begin = func() { go func() { ended <- m.run(ctx) }() }
	rec.settle = func() {
		if stop(); ended != nil {
			if err := <-ended; err != nil {
				t.Errorf("the merger: %v", err)
			}
			ended = nil
		}
	}
	got, err := e.Apply(t.Context(), step, rec)
	rec.settle()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d attempts beside %d merges and %d that gave way", got.Attempts, m.done, m.lost)
	rows, _ := before.Rows()
	if got.Attempts < 2 || !got.Changed || got.Removed != got.Added || got.Added.Rows != rows {
		t.Errorf("%+v", got)
	}
	counted, err := m.spark.SQL(t.Context(), "SELECT count(*), sum(o_shippriority) FROM "+m.at)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint([]int64{rows, int64(m.done)}); fmt.Sprint(counted.Rows[0]) != want {
		t.Errorf("Spark counts %v, want %s", counted.Rows[0], want)
	}
	after := look(t, dir)
	if after.Owner != delta.OwnerUs || !layout.SameKeys(after.Layout, keys) {
		t.Errorf("laid by %s of %s", after.Layout, after.Owner)
	}
	inHistory(t, dir, rec.stamp, before.Version, m.done)
}

// inHistory counts what the table's history since a version has of the step and of the merges.
func inHistory(t *testing.T, dir string, stamp execute.Stamp, since int64, merges int) {
	t.Helper()
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	newest, err := delta.Newest(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	own, err := execute.Stamped(t.Context(), store, newest, -1, stamp)
	if err != nil {
		t.Fatal(err)
	}
	laid := slices.DeleteFunc(slices.Clone(own), func(e delta.Entry) bool { return e.Operation != "OPTIMIZE" })
	if len(laid) != 1 || own[0].Operation != "CLUSTER BY" {
		t.Errorf("%d rewrites in %d commits of the step", len(laid), len(own))
	}
	found := 0
	for e, err := range delta.History(t.Context(), store, newest) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Version > since && e.Operation == "MERGE" {
			found++
		}
	}
	if found != merges {
		t.Errorf("%d merges in the history, want %d", found, merges)
	}
}
