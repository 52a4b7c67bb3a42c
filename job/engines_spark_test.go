//go:build spark

package job_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/execute/connect"
	"ajlo/job/execute/sparksql"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/state"
)

// sparkLake is a lake that the team's own Spark lays.
type sparkLake struct {
	lakeOf
	engine *sparksql.Engine
}

func newSparkLake(t *testing.T, e sparktest.Engine, leave bool) sparkLake {
	t.Helper()
	l := sparkLake{lakeOf: newLake(t, "tpch.orders")}
	command, conf := sparktest.SparkSQL(t, sparktest.Options{Engine: e})
	l.config.Engine = config.Engine{Kind: config.SparkSQL, Command: command, Conf: conf, TargetFileSize: l.config.Engine.TargetFileSize}
	l.config.Lake.Address, l.config.Allow.ProtocolUpgrade = config.Address(dialect.ByPath), leave
	l.engine = sparksql.New(sparksql.Options{Spark: sparksql.Child{Command: command, Conf: conf, Folder: t.TempDir()}, Address: dialect.ByPath, Now: time.Now})
	return l
}

// on does something with a night by this engine.
func (l sparkLake) on(t *testing.T, do func(job.Night, context.Context) (job.Result, error)) (job.Result, error) {
	t.Helper()
	return l.with(t, firstNight, job.Execute, func(n job.Night, ctx context.Context) (job.Result, error) {
		n.Engine = l.engine
		return do(n, ctx)
	})
}

// decided is what the night would do, whether or not the workload has drifted.
func (l sparkLake) decided(t *testing.T) (d job.Decision) {
	t.Helper()
	_, err := l.on(t, func(n job.Night, ctx context.Context) (r job.Result, err error) {
		d, err = n.Decide(ctx, n.Store, job.PlanAnyway)
		return r, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// takeBack rolls a run back, which has to be whole.
func (l sparkLake) takeBack(t *testing.T, run string) (back job.Rollback) {
	t.Helper()
	_, err := l.on(t, func(n job.Night, ctx context.Context) (r job.Result, err error) {
		back, err = n.Rollback(ctx, run)
		return r, err
	})
	if err != nil || back.Outcome != state.Applied {
		t.Fatalf("rolled back as %s: %v", back.Outcome, err)
	}
	return back
}

func (l sparkLake) orders(t *testing.T) lake.Snapshot {
	t.Helper()
	store, err := object.Open(l.table("orders"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, "tpch.orders", table.Location(l.table("orders")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A plan is carried out, its script would have done the same, a second run says nothing, and what
// was done is taken back and forth, with the rows that Spark wrote meanwhile; on each version.
func TestPlansAreCarriedOutAndTakenBack(t *testing.T) {
	for _, e := range sparktest.Engines() {
		for _, leave := range []bool{true, false} {
			if !leave && os.Getenv("AJLO_SOAK") == "" {
				continue // the rest of ZORDER BY is in the engine's own tests
			}
			t.Run(fmt.Sprintf("%s leave %t", e, leave), func(t *testing.T) {
				carriedOut(t, newSparkLake(t, e, leave), sparktest.Start(t, sparktest.Options{Engine: e}))
			})
		}
		if os.Getenv("AJLO_SOAK") == "" {
			continue // the rest of Connect is in the engine's own tests
		}
		t.Run(e.String()+" by Connect", func(t *testing.T) {
			l := newSparkLake(t, e, true)
			l.config.Engine.Kind, l.config.Engine.URL, l.config.Engine.Conf = config.Connect, sparktest.Connect(t, sparktest.Options{Engine: e}), nil
			l.engine = sparksql.New(sparksql.Options{Spark: connect.Server{URL: l.config.Engine.URL}, Address: dialect.ByPath, Now: time.Now})
			carriedOut(t, l, sparktest.Start(t, sparktest.Options{Engine: e}))
		})
	}
}

func carriedOut(t *testing.T, l sparkLake, spark *sparktest.Spark) {
	at := "delta.`" + l.table("orders") + "`"
	before := l.orders(t)
	byScript(t, l.lakeOf, l.decided(t), spark)
	ran, err := l.on(t, job.Night.Run)
	if err != nil || ran.Outcome != state.Applied || len(ran.Steps) != 1 {
		t.Fatalf("%+v: %v", ran.Steps, err)
	}
	after := l.orders(t)
	if after.Owner != delta.OwnerUs || slices.ContainsFunc(after.Files, func(f lake.File) bool { return !f.Laid }) || len(without(before, after)) != len(before.Files) {
		t.Errorf("%s by %s; of %d files %d are gone", after.Layout, after.Owner, len(before.Files), len(without(before, after)))
	}
	if again := l.decided(t); len(again.Plan.Steps) != 0 {
		t.Errorf("a second plan says %q", again.Plan.Steps[0].Statement)
	}
	if again, err := l.on(t, job.Night.Run); err != nil || len(again.Steps) != 0 {
		t.Errorf("a second run does %+v: %v", again.Steps, err)
	}
	sameAs(t, spark, at, before.Version, 0)
	ask(t, spark, "INSERT INTO "+at+" SELECT * FROM "+at+" LIMIT 7")
	back := l.takeBack(t, ran.Run)
	now := l.orders(t)
	if back.Returns[0].Way != plan.PutBack || len(without(before, now)) != 0 || len(now.Files) != len(before.Files)+len(without(now, before)) || !layout.SameKeys(now.Layout, before.Layout) {
		t.Errorf("%+v; laid by %s, %d files", back.Returns, now.Layout, len(now.Files))
	}
	sameAs(t, spark, at, before.Version, 7)
	detail, err := spark.SQL(t.Context(), "DESCRIBE DETAIL "+at)
	if err != nil {
		t.Fatal(err)
	}
	if keys := detail.Rows[0][slices.Index(detail.Columns, "clusteringColumns")]; fmt.Sprint(keys) != "[]" {
		t.Errorf("%v are declared", keys)
	}
	ask(t, spark, "OPTIMIZE "+at)
	sameAs(t, spark, at, before.Version, 7)
}

func without(a, b lake.Snapshot) (left []lake.File) {
	for _, f := range a.Files {
		if !slices.ContainsFunc(b.Files, func(o lake.File) bool { return o.Path == f.Path }) {
			left = append(left, f)
		}
	}
	return left
}

// byScript has Spark say what the script says, on a copy of the table, and looks at what it made.
func byScript(t *testing.T, l lakeOf, d job.Decision, spark *sparktest.Spark) {
	t.Helper()
	copied := l
	copied.dir = t.TempDir()
	if err := os.CopyFS(copied.table("orders"), os.DirFS(l.table("orders"))); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(d.Script, l.dir, copied.dir)) {
		if statement := strings.TrimSuffix(strings.TrimSpace(line), ";"); statement != "" && !strings.HasPrefix(statement, "--") {
			ask(t, spark, statement)
		}
	}
	s := sparkLake{lakeOf: copied}.orders(t)
	if s.Owner != delta.OwnerUs || !layout.SameKeys(s.Layout, d.Plan.Steps[0].Layout) || slices.ContainsFunc(s.Files, func(f lake.File) bool { return !f.Laid }) {
		t.Errorf("the script lays it by %s, of %s", s.Layout, s.Owner)
	}
	ask(t, spark, "SET spark.databricks.delta.commitInfo.userMetadata="+uuid.NewString())
}

// sameAs has Spark subtract the table from what it was at a version, and back, which leaves so
// many rows.
func sameAs(t *testing.T, spark *sparktest.Spark, at string, version int64, more int) {
	t.Helper()
	then := fmt.Sprintf("%s VERSION AS OF %d", at, version)
	if lost := ask(t, spark, fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM %s EXCEPT ALL SELECT * FROM %s)", then, at)); fmt.Sprint(lost) != "0" {
		t.Errorf("%v rows are lost", lost)
	}
	if added := ask(t, spark, fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM %s EXCEPT ALL SELECT * FROM %s)", at, then)); fmt.Sprint(added) != fmt.Sprint(more) {
		t.Errorf("%v rows are new, want %d", added, more)
	}
}

// ask runs a statement and gives the first value of its answer.
func ask(t *testing.T, spark *sparktest.Spark, sql string) any {
	t.Helper()
	rows, err := spark.SQL(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if len(rows.Rows) == 0 || len(rows.Rows[0]) == 0 {
		return nil
	}
	return rows.Rows[0][0]
}

// halfway makes a spark-sql that is killed once it has carried out the first of a step's
// statements.
func halfway(t *testing.T, program string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "halfway")
	text := fmt.Sprintf(`#!/bin/sh
for file; do :; done
grep -q '^ALTER' "$file" || exec '%[1]s' "$@"
head -n 1 "$file" > "$file.first" && mv "$file.first" "$file"
'%[1]s' "$@"
kill -9 $$
`, program)
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// A Spark that is killed between a step's statements leaves the table readable and the step
// failed; the night's next run goes on to the end.
func TestKilledSparkGoesOn(t *testing.T) {
	if os.Getenv("AJLO_SOAK") == "" {
		t.Skip("takes minutes: scripts/soak runs it")
	}
	l := newSparkLake(t, "", true)
	at, before := l.table("orders"), l.orders(t)
	whole := l.engine
	command := slices.Clone(l.config.Engine.Command)
	command[0] = halfway(t, command[0])
	l.engine = sparksql.New(sparksql.Options{Spark: sparksql.Child{Command: command, Conf: l.config.Engine.Conf, Folder: t.TempDir()}, Address: dialect.ByPath, Now: time.Now})
	killed, err := l.on(t, job.Night.Run)
	if err == nil || killed.Outcome != state.Failed || killed.Steps[0].Status != job.StepFailed || job.CodeOf(err) != job.ExitFailed {
		t.Fatalf("%+v: %v", killed.Steps, err)
	}
	if now := l.orders(t); now.Version != before.Version+1 || !now.Declared || now.Owner != delta.OwnerNone || len(without(before, now)) != 0 {
		t.Errorf("version %d, laid by %s of %s", now.Version, now.Layout, now.Owner)
	}
	l.engine = whole
	again, err := l.on(t, job.Night.Run)
	if err != nil || again.Outcome != state.Applied {
		t.Fatalf("%+v: %v", again.Steps, err)
	}
	rows, _ := before.Rows()
	if r := again.Steps[0].Result; r.Removed != r.Added || r.Added.Rows != rows || r.FilesRemoved != len(before.Files) {
		t.Errorf("%+v", r)
	}
	if now := l.orders(t); now.Owner != delta.OwnerUs || slices.ContainsFunc(now.Files, func(f lake.File) bool { return !f.Laid }) {
		t.Errorf("%s: laid by %s of %s", at, now.Layout, now.Owner)
	}
}
