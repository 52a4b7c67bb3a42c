//go:build spark

package job_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"ajlo/job"
	"ajlo/job/plan"
	"ajlo/job/sparktest"
	"ajlo/job/sparktest/shift"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/state"
)

// The ten queries of scripts/workload.py that a layout is measured by, over the orders from
// lo to hi and the customers from from to to.
func measuredQueries(lo, hi, from, to int) map[string]string {
	return map[string]string{
		"Q01": fmt.Sprintf("select sum(l_extendedprice*(1-l_discount)) from orders o join lineitem l on o.o_orderkey=l.l_orderkey where o.o_orderkey between %d and %d", lo, hi),
		"Q02": fmt.Sprintf("select o_orderpriority, count(*) from orders, lineitem where o_orderkey=l_orderkey and l_orderkey >= %d and l_orderkey < %d group by 1", lo, lo+(hi-lo)/2),
		"Q03": fmt.Sprintf("select c_mktsegment, sum(o_totalprice) from customer c inner join orders o on c.c_custkey=o.o_custkey where c_custkey between %d and %d group by 1", from, to),
		"Q04": fmt.Sprintf("select c_nationkey, sum(l_quantity) from customer join orders on c_custkey=o_custkey join lineitem on l_orderkey=o_orderkey where o_orderkey between %d and %d group by 1", lo, hi),
		"Q05": fmt.Sprintf("select k, sum(p) from (select o_orderkey as k, o_totalprice as p from orders where o_orderkey < %d) x join (select l_orderkey as kk from lineitem) y on x.k=y.kk group by k order by 2 desc limit 10", lo),
		"Q06": fmt.Sprintf("with big as (select l_orderkey ok, sum(l_quantity) q from lineitem group by 1 having sum(l_quantity)>200) select count(*) from big join orders on ok=o_orderkey where o_orderkey > %d", hi),
		"Q07": fmt.Sprintf("select count(*) from orders where o_orderkey in (select l_orderkey from lineitem where l_commitdate < l_receiptdate) and o_orderkey between %d and %d", lo, hi),
		"Q08": "select sum(l_extendedprice) from lineitem where l_shipdate between date'1995-03-01' and date'1995-03-31'",
		"Q09": "select o_orderstatus, count(*) from orders where o_orderdate >= date'1996-01-01' and o_orderdate < date'1996-04-01' group by 1",
		"Q10": "select l_returnflag, l_linestatus, sum(l_quantity) from lineitem where l_shipdate >= date'1997-01-01' and l_shipdate < date'1998-01-01' group by 1,2",
	}
}

// shares holds for each query the parts of its tables that it reads, added up: a query that
// reads two whole tables has 2.
type shares map[string]float64

func (s shares) sum() (total float64) {
	for _, share := range s {
		total += share
	}
	return total
}

// TestNightSavesWhatItForetells runs one night on the fixture's lake and has Spark read the
// same snapshots before and after: the rows are the same, less is read, and as much less as
// was foretold.
func TestNightSavesWhatItForetells(t *testing.T) {
	ctx := context.Background()
	l := newLake(t, "tpch.orders, tpch.lineitem, tpch.customer")
	spark := sparktest.Start(t, sparktest.Options{})
	register(ctx, t, spark, l)
	queries := measuredQueries(120000, 165000, 2249, 3149)
	before := readShares(ctx, t, spark, l, queries)

	result := l.mustRun(t, firstNight, job.Execute, state.Applied)
	for _, s := range result.Decision.Plan.Steps {
		sameRows(ctx, t, spark, s.Table, s.Version)
	}
	after := readShares(ctx, t, spark, l, queries)
	foretold := foretoldShares(t, l, result.Decision.Plan, slices.Sorted(maps.Keys(queries)))

	t.Log("\n" + sharesTable(before, foretold, after))
	if fell := 1 - after.sum()/before.sum(); fell < 0.45 {
		t.Errorf("what is read fell by %.1f %%, want at least 45 %%", fell*100)
	}
	if off := math.Abs(foretold.sum()/after.sum() - 1); off > 0.10 {
		t.Errorf("the foretold sum is off by %.1f %%, want at most 10 %%", off*100)
	}
}

// register puts the lake's tables into Spark's catalog.
func register(ctx context.Context, t *testing.T, spark *sparktest.Spark, l lakeOf) {
	t.Helper()
	statements := []string{"create database if not exists tpch", "use tpch"}
	for _, name := range []string{"orders", "lineitem", "customer"} {
		statements = append(statements, fmt.Sprintf("create table %s using delta location '%s'", name, l.table(name)))
	}
	statements = append(statements, "set spark.sql.autoBroadcastJoinThreshold=-1", "set spark.sql.shuffle.partitions=8")
	for _, sql := range statements {
		if _, err := spark.SQL(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
}

func readShares(ctx context.Context, t *testing.T, spark *sparktest.Spark, l lakeOf, queries map[string]string) shares {
	t.Helper()
	sizes := map[table.Location]unit.Bytes{}
	for _, name := range []string{"orders", "lineitem", "customer"} {
		detail, err := spark.SQL(ctx, "describe detail "+name)
		if err != nil {
			t.Fatal(err)
		}
		sizes[table.Location(l.table(name))] = number(t, detail, "sizeInBytes")
	}
	read := shares{}
	for label, sql := range queries {
		scans, err := spark.FilesRead(ctx, sql)
		if err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		for _, s := range scans {
			size, ok := sizes[s.Location]
			if !ok {
				t.Fatalf("%s reads %s, which is no table of the lake", label, s.Location)
			}
			read[label] += float64(s.Bytes) / float64(size)
		}
	}
	return read
}

func number(t *testing.T, rows sparktest.Rows, column string) unit.Bytes {
	t.Helper()
	at := slices.Index(rows.Columns, column)
	if at < 0 || len(rows.Rows) != 1 {
		t.Fatalf("no %s in %v", column, rows.Columns)
	}
	value, err := unit.ParseBytes(fmt.Sprint(rows.Rows[0][at]))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// sameRows has Spark subtract the table from its version before, both ways, as multisets.
func sameRows(ctx context.Context, t *testing.T, spark *sparktest.Spark, name table.Name, version int64) {
	t.Helper()
	for _, pair := range []string{"%[1]s except all select * from %[1]s version as of %[2]d", "%[1]s version as of %[2]d except all select * from %[1]s"} {
		rows, err := spark.SQL(ctx, "select count(*) from (select * from "+fmt.Sprintf(pair, name, version)+")")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rows.Rows[0][0]); got != "0" {
			t.Errorf("%s: %s rows are on one side only of version %d and now", name, got, version)
		}
	}
}

// foretoldShares finds what the plan foretold for each labelled query, by its fingerprint.
func foretoldShares(t *testing.T, l lakeOf, p plan.Plan, labels []string) shares {
	t.Helper()
	observed, err := job.Observer{Sources: l.config.Sources}.Observe(context.Background(), p.Window)
	if err != nil {
		t.Fatal(err)
	}
	foretold := shares{}
	for _, q := range observed.Queries {
		label, _, _ := strings.Cut(q.Query, " ")
		if !slices.Contains(labels, label) {
			continue
		}
		for _, planned := range p.Tables {
			for _, class := range planned.Queries {
				if class.Fingerprint == q.Fingerprint {
					foretold[label] += float64(class.Then) / float64(class.Executions) / float64(planned.Bytes)
				}
			}
		}
	}
	return foretold
}

func sharesTable(before, foretold, after shares) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "query\tbefore\tforetold\tafter\t")
	for _, label := range slices.Sorted(maps.Keys(before)) {
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.3f\t\n", label, before[label], foretold[label], after[label])
	}
	fmt.Fprintf(w, "sum\t%.3f\t%.3f\t%.3f\t\n", before.sum(), foretold.sum(), after.sum())
	if err := w.Flush(); err != nil {
		return err.Error()
	}
	return text.String()
}

// TestUnchangedWorkloadRunAgainIsNoDrift runs the workload a second time on a real Spark, on
// the tables as the first night left them, and moves its log to the next day.
func TestUnchangedWorkloadRunAgainIsNoDrift(t *testing.T) {
	l := newLake(t, "tpch.orders, tpch.lineitem")
	again := t.TempDir()
	sparktest.CopyTables(t, again)
	if err := sparktest.Workload(context.Background(), t, sparktest.Work{Out: again, Part: sparktest.WholeWorkload}); err != nil {
		t.Fatal(err)
	}
	l.mustRun(t, firstNight, job.Execute, state.Applied)

	moved := filepath.Join(t.TempDir(), "eventlogs")
	if err := shift.Logs(moved, filepath.Join(again, "eventlogs"), shift.Change{By: untilSecondDay(t, again)}); err != nil {
		t.Fatal(err)
	}
	l.readFrom(moved)
	l.config.Sources[0].PathMap[filepath.Join(again, "warehouse")] = filepath.Join(l.dir, "warehouse")
	second := l.mustRun(t, firstNight.Add(day), job.Execute, state.NoDrift)
	for _, s := range second.Decision.Scores {
		t.Logf("drift from %s: %.4f (paper %.4f), speed factor %.2f", s.Reference, *s.Score, *s.ScorePaper, s.SpeedFactor)
	}
}

// untilSecondDay is how far a log of today lies from noon of the second window.
func untilSecondDay(t *testing.T, out string) time.Duration {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(out, "eventlogs", "*"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("want one event log in %s, have %v (%v)", out, logs, err)
	}
	info, err := os.Stat(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	return firstNight.Add(12 * time.Hour).Sub(info.ModTime()).Truncate(time.Second)
}
