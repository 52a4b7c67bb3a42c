//go:build spark

package sparksql_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/execute/sparksql"
	"ajlo/job/iceberg"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// bench is a Spark with Iceberg that makes tables and looks at them, and an engine on another
// Spark that rewrites them.
type bench struct {
	spark     *sparktest.Spark
	warehouse string
	engine    *sparksql.Engine
}

func newBench(t *testing.T) bench {
	t.Helper()
	b := bench{warehouse: t.TempDir()}
	o := sparktest.Options{Engine: sparktest.Iceberg, Warehouse: b.warehouse}
	b.spark = sparktest.Start(t, o)
	command, conf := sparktest.SparkSQL(t, o)
	b.engine = sparksql.New(sparksql.Options{
		Spark: sparksql.Child{Command: command, Conf: conf, Folder: t.TempDir()}, Address: dialect.ByName, Now: time.Now,
		Wait: func(context.Context, time.Duration) error { return nil },
	})
	return b
}

func (b bench) do(t *testing.T, statements ...string) (last sparktest.Rows) {
	t.Helper()
	for _, sql := range statements {
		var err error
		if last, err = b.spark.SQL(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	return last
}

// number is the one whole number that a query answers with.
func (b bench) number(t *testing.T, sql string) string {
	t.Helper()
	return fmt.Sprint(b.do(t, sql).Rows[0][0])
}

func (b bench) at(name string) string { return filepath.Join(b.warehouse, "tele", name) }

func (b bench) open(t *testing.T, name string) (iceberg.Snapshot, lake.Snapshot) {
	t.Helper()
	store, err := object.Open(b.at(name))
	if err != nil {
		t.Fatal(err)
	}
	s, err := iceberg.Read(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return s, lake.OfIceberg(s, table.Name("lake.tele."+name), table.Location(b.at(name)))
}

// make fills a table of calls by days, each day in so many files, of which no column but the
// time is in any order.
func (b bench) make(t *testing.T, name string, days, files int, columns ...string) {
	t.Helper()
	from, to := "`"+strings.ReplaceAll(columns[0], "`", "``")+"`", "`"+strings.ReplaceAll(columns[1], "`", "``")+"`"
	quoted := "lake.tele.`" + name + "`"
	b.do(t, "CREATE NAMESPACE IF NOT EXISTS lake.tele",
		fmt.Sprintf("CREATE TABLE %s (%s BIGINT, %s STRING, started TIMESTAMP, kind STRING, parts ARRAY<STRUCT<a: INT, b: DECIMAL(12,3)>>) USING iceberg PARTITIONED BY (days(started))", quoted, from, to),
		fmt.Sprintf("ALTER TABLE %s SET TBLPROPERTIES ('write.distribution-mode' = 'none')", quoted))
	for day := range days {
		b.do(t, fmt.Sprintf(`INSERT INTO %s SELECT /*+ REPARTITION(%d) */ pmod(xxhash64(id, %d), 1000000), concat('n', pmod(xxhash64(%d, id), 1000000)),
			timestamp'2026-11-%02d 00:00:00' + make_dt_interval(0, 0, 0, id), element_at(array('voice', 'text'), cast(1 + id %% 2 as int)),
			if(id %% 3 = 0, null, array(named_struct('a', cast(id as int), 'b', cast(id / 7 as decimal(12,3))))) FROM range(4000)`, quoted, files, day, day, 20+day))
	}
}

// step is one as the planner makes it.
func (b bench) step(t *testing.T, name string, l layout.Layout, periods ...layout.Period) plan.Step {
	t.Helper()
	_, s := b.open(t, name)
	target := dialect.Target{Name: s.Table, Location: s.Location, Address: dialect.ByName}
	l.Partition, l.Scope = s.Layout.Partition, layout.ScopeOf(periods)
	how := dialect.Rewrite{TargetFile: int64(16 * unit.KiB), Within: periods}
	return plan.Step{
		Table: s.Table, Kind: plan.Rekey, Location: s.Location, Format: lake.Iceberg, Layout: l, Version: s.Version,
		SchemaHash: s.SchemaHash, Protocol: s.Protocol, Owner: s.Owner, Was: s.Layout, Declared: s.Declared, TargetFile: 16 * unit.KiB, Periods: periods,
		Statement: strings.Join(dialect.SparkIceberg{}.Rekey(target, l, how), "\n"), Undo: dialect.SparkIceberg{}.Undo(target, s.Version),
	}
}

func november(from, to int) layout.Period {
	return layout.Period{Column: "started", Type: "timestamp",
		From: time.Date(2026, 11, from, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, to, 0, 0, 0, 0, time.UTC)}
}

// sameRows has Spark subtract the table from an earlier snapshot, both ways, as multisets.
func (b bench) sameRows(t *testing.T, name string, snapshot int64) {
	t.Helper()
	now, then := "lake.tele.`"+name+"`", fmt.Sprintf("lake.tele.`%s` VERSION AS OF %d", name, snapshot)
	for _, pair := range [][2]string{{now, then}, {then, now}} {
		if got := b.number(t, fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM %s EXCEPT ALL SELECT * FROM %s)", pair[0], pair[1])); got != "0" {
			t.Errorf("%s rows of %s are not in %s", got, pair[0], pair[1])
		}
	}
}

// A step lays the closed days by its keys and leaves the open one; rows stay, the table's history
// says whose work it was, later writes are spread as before, and the way back is open.
func TestSparkLaysAnIcebergTable(t *testing.T) {
	b := newBench(t)
	for _, tc := range []struct {
		name    string
		columns []string
		order   layout.Order
	}{
		{"calls", []string{"from_number", "to_number"}, layout.ZOrder},
		{"call's; -- ü", []string{"fr'om; n", "to \"nü\""}, layout.ZOrder},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b.make(t, tc.name, 3, 8, tc.columns...)
			keys := layout.ClusteredBy(tc.order)
			for _, c := range tc.columns {
				keys.Clustering = append(keys.Clustering, table.Column(c))
			}
			native, before := b.open(t, tc.name)
			step := b.step(t, tc.name, keys, november(20, 22))
			if err := b.engine.Check(t.Context(), step); err != nil {
				t.Fatalf("check: %v", err)
			}
			rec := &recorder{stamp: execute.Stamp{Run: "r1", Step: 3, PlanHash: "abc"}}
			got, err := b.engine.Apply(t.Context(), step, rec)
			if err != nil {
				t.Fatal(err)
			}
			_, after := b.open(t, tc.name)
			if !got.Changed || got.Removed != got.Added || got.Added.Rows != 8000 || got.FilesRemoved != 16 || got.Version != after.Version ||
				got.Previous != before.Version || rec.spent != got.BytesRemoved || len(got.Warnings) != 0 || got.FilesAdded != len(after.Files)-8 {
				t.Errorf("%+v, spent %s; %d files now", got, rec.spent, len(after.Files))
			}
			b.sameRows(t, tc.name, before.Version)
			if after.Owner != delta.OwnerUs || !layout.SameKeys(after.Layout, step.Layout) || after.Layout.Order != tc.order {
				t.Errorf("the table tells of %s by %s", after.Layout, after.Owner)
			}
			for _, f := range after.Files {
				open := !plan.Within(after, f, step.Periods)
				if kept := slices.ContainsFunc(native.Files, func(old iceberg.File) bool { return old.Path == f.Path }); f.Laid == open || kept != open {
					t.Errorf("%s: laid %t, open %t, kept %t", f.Path, f.Laid, open, kept)
				}
			}
			if mode := after.Properties["write.distribution-mode"]; mode != "none" {
				t.Errorf("later writes are spread by %q", mode)
			}
			swept, err := b.engine.Sweep(t.Context(), execute.Leftover{Location: step.Location, Paths: rec.intents})
			if diff := cmp.Diff(execute.Swept{Committed: true, Version: got.Version}, swept); diff != "" || err != nil {
				t.Errorf("swept (-want +got), %v:\n%s", err, diff)
			}
			if gone, err := b.engine.Sweep(t.Context(), execute.Leftover{Location: step.Location, Paths: []string{"commit:r1/4"}}); err != nil || gone.Committed || len(gone.Gone) != 1 {
				t.Errorf("a step that never committed: %+v, %v", gone, err)
			}
			if tc.name == "calls" {
				icebergGivesWay(t, b, step, got)
			}
			icebergGoesBack(t, b, tc.name, step, before)
		})
	}
	t.Run("a script's stamp is on the driver, and ends", func(t *testing.T) { icebergStamp(t, b) })
	t.Run("what cannot be done is refused", func(t *testing.T) { icebergRefusals(t, b) })
	t.Run("others change the table meanwhile", func(t *testing.T) { icebergConflict(t, b) })
}

// putter is the engine that puts files back.
func putter() *embedded.Engine {
	return embedded.New(embedded.Options{
		Version: "test", NewID: uuid.NewString, Now: time.Now, Wait: func(context.Context, time.Duration) error { return nil },
	})
}

// backOf is the step that takes another back.
func backOf(t *testing.T, step plan.Step) (plan.Step, error) {
	t.Helper()
	step.Back = &plan.Back{Of: execute.Stamp{Run: "r1", Step: 3, PlanHash: "abc"}, After: step.Version}
	found, err := putter().WayBack(t.Context(), step)
	step.Kind, step.Back = plan.Rollback, &found
	return step, err
}

// icebergGivesWay holds that no row is lost that Spark writes before or while a step is taken back.
func icebergGivesWay(t *testing.T, b bench, step plan.Step, got execute.Result) {
	quoted := "lake.tele.`calls`"
	insert := fmt.Sprintf("INSERT INTO %[1]s SELECT * FROM %[1]s LIMIT 1", quoted)
	forget := fmt.Sprintf("CALL lake.system.rollback_to_snapshot(table => 'tele.calls', snapshot_id => %d)", got.Version)
	b.do(t, insert)
	if _, err := backOf(t, step); err == nil || !strings.Contains(err.Error(), "(append) was made since: rollback_to_snapshot would lose it") {
		t.Errorf("written to since: %v", err)
	}
	b.do(t, forget)
	back, err := backOf(t, step)
	if err != nil {
		t.Fatal(err)
	}
	rec := &busy{recorder: &recorder{stamp: execute.Stamp{Run: "r2", PlanHash: "abc"}}, begin: func() { b.do(t, insert) }}
	if _, err := putter().Apply(t.Context(), back, rec); err == nil || !strings.Contains(err.Error(), "was made since") {
		t.Errorf("written to meanwhile: %v", err)
	}
	if rows := b.number(t, "SELECT count(*) FROM "+quoted); rows != "12001" {
		t.Errorf("%s rows, want 12001", rows)
	}
	b.do(t, forget)
}

// icebergGoesBack holds that a step is taken back, and that Spark goes on from there.
func icebergGoesBack(t *testing.T, b bench, name string, step plan.Step, before lake.Snapshot) {
	back, err := backOf(t, step)
	if err != nil {
		t.Fatal(err)
	}
	r, err := putter().Apply(t.Context(), back, &recorder{stamp: execute.Stamp{Run: "r2", PlanHash: "abc"}})
	if err != nil || !r.Changed || r.Removed != r.Added || r.Added.Rows != 8000 || r.FilesAdded != 16 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, now := b.open(t, name); now.Version != before.Version || now.Owner != delta.OwnerNone || len(now.Files) != len(before.Files) {
		t.Errorf("back at snapshot %d by %s", now.Version, now.Owner)
	}
	if again, err := backOf(t, step); err != nil || !again.Back.Done {
		t.Errorf("again: %+v, %v", again.Back, err)
	}
	quoted := "lake.tele.`" + name + "`"
	b.do(t, "REFRESH TABLE "+quoted, fmt.Sprintf("INSERT INTO %[1]s SELECT * FROM %[1]s LIMIT 5", quoted))
	if rows := b.number(t, "SELECT count(*) FROM "+quoted); rows != "12005" {
		t.Errorf("%s rows, want 12005", rows)
	}
}

// Spark works the stamp out while it plans, where commits are made, and a person's session goes on
// without it.
func icebergStamp(t *testing.T, b bench) {
	begin, end := dialect.SparkIceberg{}.Stamp(delta.Stamp{Run: "it's", PlanHash: "h"}.Text(), layout.ClusteredBy(layout.Sort, "n'o"))
	explained := fmt.Sprint(b.do(t, "EXPLAIN "+strings.TrimSuffix(begin, ";")).Rows)
	if !strings.Contains(explained, "LocalTableScan") || strings.Contains(explained, "Project") {
		t.Errorf("the stamp is put when the query runs: %s", explained)
	}
	stamped := func() string {
		b.do(t, "INSERT INTO lake.tele.stamped VALUES (1)")
		s, _ := b.open(t, "stamped")
		return s.Summary[iceberg.StampKey]
	}
	b.do(t, "CREATE TABLE lake.tele.stamped (a INT) USING iceberg", strings.TrimSuffix(begin, ";"))
	if found, ok := delta.ParseStamp(stamped()); !ok || found.Run != "it's" {
		t.Errorf("stamped %+v", found)
	}
	if b.do(t, strings.TrimSuffix(end, ";")); stamped() != "" {
		t.Error("the stamp stays")
	}
}

func icebergRefusals(t *testing.T, b bench) {
	b.make(t, "merged", 1, 2, "a", "b")
	good := b.step(t, "merged", layout.ClusteredBy(layout.Sort, "a"))
	b.do(t, "ALTER TABLE lake.tele.merged SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')", "DELETE FROM lake.tele.merged WHERE a % 2 = 0")
	for _, tc := range []struct {
		name   string
		change func(*plan.Step)
		want   string
	}{
		{"rows that delete files hide", func(*plan.Step) {}, "delete files hide rows"},
		{"another schema", func(s *plan.Step) { s.SchemaHash = "0" }, "its schema changed"},
		{"a name that spark-sql would cut", func(s *plan.Step) { s.Table = "la;ke.tele.merged" }, "end of a statement"},
		{"learnt cuts", func(s *plan.Step) { s.Layout.Order = layout.LearntCuts }, "Spark has no statement for it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			step := good
			tc.change(&step)
			var refused *execute.Refusal
			if err := b.engine.Check(t.Context(), step); !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want a refusal with %q", err, tc.want)
			}
		})
	}
	reasons, err := b.engine.Unsupported(t.Context(), good.Location)
	if err != nil || len(reasons) != 1 || !strings.Contains(reasons[0], "delete files") {
		t.Errorf("unsupported: %q, %v", reasons, err)
	}
}

// busy is a recorder whose first attempt meets a writer that deletes rows one after the other.
type busy struct {
	*recorder
	attempts int
	begin    func()
	settle   func()
}

func (r *busy) Intend(ctx context.Context, at table.Location, paths []string) error {
	if r.attempts++; r.attempts == 1 {
		r.begin()
	} else {
		r.settle()
	}
	return r.recorder.Intend(ctx, at, paths)
}

// A rewrite that loses to DELETE is done again on the newest snapshot: no deleted row comes
// back, none is lost.
func icebergConflict(t *testing.T, b bench) {
	b.make(t, "busy", 1, 8, "a", "b")
	step := b.step(t, "busy", layout.ClusteredBy(layout.ZOrder, "a", "b"))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	rec := &busy{recorder: &recorder{stamp: execute.Stamp{Run: "r9", PlanHash: "abc"}}}
	rec.begin = func() {
		go func() {
			for n := 0; ctx.Err() == nil; n++ {
				if _, err := b.spark.SQL(context.WithoutCancel(ctx), fmt.Sprintf("DELETE FROM lake.tele.busy WHERE a %% 1000 = %d", n)); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	settled := false
	rec.settle = func() {
		if stop(); !settled {
			settled = true
			if err := <-ended; err != nil {
				t.Errorf("the other writer: %v", err)
			}
		}
	}
	got, err := b.engine.Apply(t.Context(), step, rec)
	rec.settle()
	if err != nil {
		t.Fatal(err)
	}
	if got.Attempts != 2 || got.Removed != got.Added || got.Added.Rows >= 4000 {
		t.Errorf("%+v", got)
	}
	b.sameRows(t, "busy", got.Previous)
	if rows := b.number(t, "SELECT count(*) FROM lake.tele.busy"); rows != fmt.Sprint(got.Added.Rows) {
		t.Errorf("%s rows, %d were proved equal", rows, got.Added.Rows)
	}
}
