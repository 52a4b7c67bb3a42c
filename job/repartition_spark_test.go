//go:build spark

package job_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/sparktest"
	"ajlo/job/sparktest/shift"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/state"
)

// partedLake is a lake of two Delta tables that lie by the wrong partition columns: calls by kind, while
// look-ups ask for numbers; visits by none, while look-ups ask for paid ones, of which files keep no
// bounds.
type partedLake struct {
	lakeOf
	engine sparktest.Engine
	logs   string
	ends   time.Time // when the night ends: after the look-ups, in an hour or two
}

// partedTables are the tables with the partition columns that they have and are to get.
var partedTables = []struct {
	name    string
	had, to []table.Column
}{{"calls", []table.Column{"kind"}, nil}, {"visits", nil, []table.Column{"paid"}}}

func newPartedLake(t *testing.T, e sparktest.Engine) partedLake {
	t.Helper()
	l := partedLake{lakeOf: lakeOf{dir: t.TempDir()}, engine: e, logs: t.TempDir(), ends: time.Now().UTC().Add(2 * time.Hour).Truncate(time.Hour)}
	text := fmt.Sprintf(`
sources: [{logs: %q}]
write: [tpch.calls, tpch.visits]
budget: {rewrite: 50MB}
engine: {target_file_size: 8KiB}
allow: {repartition: true}
window: 1d
least_seen: 0.01
`, l.logs)
	var err error
	if l.config, err = config.Parse([]byte(text), l.dir); err != nil {
		t.Fatal(err)
	}
	return l
}

// start starts a Spark that knows the tables, which are made where they are not there.
func (l partedLake) start(t *testing.T, logs string) *sparktest.Spark {
	t.Helper()
	spark := sparktest.Start(t, sparktest.Options{Engine: l.engine, EventLogDir: logs, Conf: map[string]string{
		"spark.sql.shuffle.partitions": "2", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
	}})
	ask(t, spark, "CREATE DATABASE tpch")
	for name, made := range map[string]string{
		"calls":   "PARTITIONED BY (kind) AS SELECT /*+ REPARTITION(1) */ id, pmod(xxhash64(id), 10000) AS k, concat('k ', id % 8) AS kind, id * 3 AS pay FROM range(16000)",
		"visits":  "AS SELECT /*+ REPARTITION(8) */ id, pmod(xxhash64(id, 7), 10000) AS k, pmod(xxhash64(id, 9), 2) = 0 AS paid, id * 5 AS pay FROM range(16000)",
		"people":  "AS SELECT id AS person, pmod(id, 9) AS tariff FROM range(1000)",
		"tariffs": "AS SELECT id AS tariff, id * 2 AS price FROM range(9)",
	} {
		statement := fmt.Sprintf("CREATE TABLE tpch.%s USING delta LOCATION '%s' ", name, l.table(name))
		if _, err := os.Stat(l.table(name)); err != nil {
			statement += made
		}
		ask(t, spark, statement)
	}
	return spark
}

// lookUps has a Spark of its own look things up, and gives its log, so many days later.
func (l partedLake) lookUps(t *testing.T, days int) string {
	t.Helper()
	logs, moved := t.TempDir(), filepath.Join(t.TempDir(), "logs")
	asked := []string{"JOIN of people", "SELECT sum(price) FROM tpch.people p JOIN tpch.tariffs t ON p.tariff = t.tariff"}
	for i := range 4 {
		from := 2000*i + 500
		asked = append(asked,
			"CALLS of numbers", fmt.Sprintf("SELECT sum(pay) FROM tpch.calls WHERE k BETWEEN %d AND %d", from, from+200),
			"VISITS paid", fmt.Sprintf("SELECT sum(pay) FROM tpch.visits WHERE paid = %t AND k BETWEEN %d AND %d", i%2 == 0, from, from+2000))
	}
	t.Run(fmt.Sprintf("looked up, day %d", days), func(t *testing.T) {
		var none any
		if err := l.start(t, logs).Run(t.Context(), &none, callProgram(t), append([]string{"ask"}, asked...)...); err != nil {
			t.Fatal(err)
		}
	})
	if err := shift.Logs(moved, logs, shift.Change{By: time.Duration(days) * day}); err != nil {
		t.Fatal(err)
	}
	return moved
}

func (l partedLake) look(t *testing.T, name string) lake.Snapshot {
	t.Helper()
	store, err := object.Open(l.table(name))
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, table.Name("tpch."+name), table.Location(l.table(name)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// check has Spark find the rows of before in each table, partitioned as wanted.
func (l partedLake) check(t *testing.T, spark *sparktest.Spark, when string, before map[string]int64, by func(i int) []table.Column) {
	t.Helper()
	for i, p := range partedTables {
		sameAs(t, spark, "delta.`"+l.table(p.name)+"`", before[p.name], 0)
		if is := l.look(t, p.name).Layout.Partition; !slices.Equal(is, by(i)) {
			t.Errorf("%s: %s is partitioned by %v, want %v", when, p.name, is, by(i))
		}
	}
}

// A night changes the partition columns of two tables by itself: one loses them, one gets some. Rows stay,
// Spark's look-ups read less, the next night finds that it helped, and it is taken back.
func TestNightChangesPartitionColumns(t *testing.T) {
	for _, e := range sparktest.Engines() {
		t.Run(e.String(), func(t *testing.T) { nightOfPartitions(t, newPartedLake(t, e)) })
	}
}

func nightOfPartitions(t *testing.T, l partedLake) {
	spark := l.start(t, "")
	before := map[string]int64{}
	for _, p := range partedTables {
		before[p.name] = l.look(t, p.name).Version
	}
	had := func(i int) []table.Column { return partedTables[i].had }
	gets := func(i int) []table.Column { return partedTables[i].to }

	l.readFrom(l.lookUps(t, 0))
	planned := l.mustRun(t, l.ends, job.DryRun, state.DryRun)
	l.check(t, spark, "planned", before, had)
	ran, err := l.with(t, l.ends, job.Execute, func(n job.Night, ctx context.Context) (job.Result, error) {
		return n.Apply(ctx, planned.Decision.PlanJSON)
	})
	if err != nil || ran.Outcome != state.Applied || len(ran.Steps) != len(partedTables) {
		for _, p := range planned.Decision.Plan.Tables {
			t.Logf("%s: %s; %+v", p.Table, p.Reason, p.Candidates)
		}
		t.Fatalf("%+v: %v", ran.Steps, err)
	}
	for _, s := range ran.Steps {
		if s.Result.Removed != s.Result.Added || s.Result.Added.Rows != 16000 {
			t.Errorf("%+v", s.Result)
		}
	}
	l.check(t, spark, "laid", before, gets)

	l.readFrom(l.lookUps(t, 1))
	next, err := l.night(t, l.ends.Add(day), job.Execute)
	if err != nil || !slices.Contains([]state.Outcome{state.NoDrift, state.NothingToDo}, next.Outcome) { // as long as the join took
		t.Fatalf("the next night ends with %s: %v", next.Outcome, err)
	}
	for _, j := range next.Decision.Judgements {
		t.Logf("%s", j)
		if j.Verdict != verify.Helped || j.Measured == nil || j.Run != ran.Run {
			t.Errorf("%+v", j)
		}
	}
	if n := len(next.Decision.Judgements); n != len(partedTables) || len(next.Decision.Plan.Steps) != 0 {
		t.Errorf("%d verdicts, steps %+v", n, next.Decision.Plan.Steps)
	}

	_, err = l.with(t, l.ends, job.Execute, func(n job.Night, ctx context.Context) (job.Result, error) {
		back, err := n.Rollback(ctx, ran.Run)
		for _, r := range back.Returns {
			if r.Way != plan.PutBack {
				t.Errorf("%s goes back by %s: %s", r.Table, r.Way, r.Reason)
			}
		}
		return job.Result{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	l.check(t, spark, "taken back", before, had)
	for _, p := range partedTables {
		at := "delta.`" + l.table(p.name) + "`"
		ask(t, spark, "INSERT INTO "+at+" SELECT * FROM "+at+" LIMIT 5")
		sameAs(t, spark, at, before[p.name], 5)
	}
}
