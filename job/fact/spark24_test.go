package fact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One query as Spark 2.4 logs it, by the fields of its classes: no root, no error message,
// the plan's text always with the logical plans above it, code generation without numbers,
// and of a scan's files their number only.
var spark24Lines = []string{
	`{"Event":"SparkListenerLogStart","Spark Version":"2.4.8"}`,
	`{"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Version":"1.8.0_292 (Private Build)"},"Spark Properties":{"spark.master":"local[2]"},"System Properties":{"user.timezone":"Etc/UTC"},"Classpath Entries":{}}`,
	`{"Event":"SparkListenerApplicationStart","App Name":"nightly","App ID":"local-1","Timestamp":900,"User":"etl"}`,
	`{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":0,"description":"orders","details":"org.apache.spark.sql.Dataset.count(Dataset.scala:2836)",` +
		`"physicalPlanDescription":"== Parsed Logical Plan ==\nAggregate [count(1) AS count#9L]\n+- Join Inner, (k#1L = j#3L)\n   :- Relation[k#1L,day#2] parquet\n   +- Relation[j#3L] parquet\n\n` +
		`== Analyzed Logical Plan ==\ncount: bigint\nAggregate [count(1) AS count#9L]\n+- Join Inner, (k#1L = j#3L)\n   :- Relation[k#1L,day#2] parquet\n   +- Relation[j#3L] parquet\n\n` +
		`== Optimized Logical Plan ==\nAggregate [count(1) AS count#9L]\n+- Project\n   +- Join Inner, (k#1L = j#3L)\n      :- Project [k#1L]\n      :  +- Filter ((isnotnull(day#2) && (day#2 >= 10409)) && isnotnull(k#1L))\n      :     +- Relation[k#1L,day#2] parquet\n      +- Filter isnotnull(j#3L)\n         +- Relation[j#3L] parquet\n\n` +
		`== Physical Plan ==\n*(5) SortMergeJoin [k#1L], [j#3L], Inner\n:- *(2) Sort [k#1L ASC NULLS FIRST], false, 0\n:  +- Exchange hashpartitioning(k#1L, 200)\n:     +- *(1) Project [k#1L]\n:        +- *(1) Filter ((isnotnull(day#2) && (day#2 >= 10409)) && isnotnull(k#1L))\n:           +- *(1) FileScan parquet d.orders[k#1L,day#2] ` + orders24 + `\n+- *(4) Sort [j#3L ASC NULLS FIRST], false, 0\n   +- Exchange hashpartitioning(j#3L, 200)\n      +- *(3) Project [j#3L]\n         +- *(3) Filter isnotnull(j#3L)\n            +- *(3) FileScan parquet d.items[j#3L] ` + items24 + `",` +
		`"sparkPlanInfo":{"nodeName":"WholeStageCodegen","simpleString":"WholeStageCodegen","metadata":{},"metrics":[{"name":"duration","accumulatorId":10,"metricType":"timing"}],"children":[` +
		`{"nodeName":"SortMergeJoin","simpleString":"SortMergeJoin [k#1L], [j#3L], Inner","metadata":{},"metrics":[{"name":"number of output rows","accumulatorId":11,"metricType":"sum"}],"children":[` +
		side24("k", `{"nodeName":"Project","simpleString":"Project [k#1L]","metadata":{},"metrics":[],"children":[{"nodeName":"Filter","simpleString":"Filter ((isnotnull(day#2) && (day#2 >= 10409)) && isnotnull(k#1L))","metadata":{},"metrics":[],"children":[`+
			`{"nodeName":"Scan parquet d.orders","simpleString":"FileScan parquet d.orders[k#1L,day#2] `+orders24+`","metadata":{"Location":"InMemoryFileIndex[file:/lake/orders]","ReadSchema":"struct<k:bigint,day:date>","Format":"Parquet","Batched":"true","PartitionFilters":"[]","PushedFilters":"[IsNotNull(day), GreaterThanOrEqual(day,1998-07-02), IsNotNull(k)]"},"metrics":`+metrics24+`,"children":[]}]}]}`) + `,` +
		side24("j", `{"nodeName":"Project","simpleString":"Project [j#3L]","metadata":{},"metrics":[],"children":[{"nodeName":"Filter","simpleString":"Filter isnotnull(j#3L)","metadata":{},"metrics":[],"children":[`+
			`{"nodeName":"Scan parquet d.items","simpleString":"FileScan parquet d.items[j#3L] `+items24+`","metadata":{"Location":"InMemoryFileIndex[file:/lake/items]","ReadSchema":"struct<j:bigint>","Format":"Parquet","Batched":"true","PartitionFilters":"[]","PushedFilters":"[IsNotNull(j)]"},"metrics":[],"children":[]}]}]}`) + `]}]},"time":1000}`,
	`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1010,"Stage Infos":[],"Stage IDs":[0],"Properties":{"spark.sql.execution.id":"0"}}`,
	`{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count","Number of Tasks":2,"Accumulables":[{"ID":99,"Name":"internal.metrics.executorRunTime","Value":70,"Internal":true,"Count Failed Values":true},{"ID":3,"Name":"number of output rows","Value":"33","Internal":true,"Count Failed Values":true,"Metadata":"sql"}]}}`,
	`{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1900,"Job Result":{"Result":"JobSucceeded"}}`,
	`{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd","executionId":0,"time":2000}`,
}

const (
	orders24  = `Batched: true, Format: Parquet, Location: InMemoryFileIndex[file:/lake/orders], PartitionFilters: [], PushedFilters: [IsNotNull(day), GreaterThanOrEqual(day,1998-07-02), IsNotNull(k)], ReadSchema: struct<k:bigint,day:date>`
	items24   = `Batched: true, Format: Parquet, Location: InMemoryFileIndex[file:/lake/items], PartitionFilters: [], PushedFilters: [IsNotNull(j)], ReadSchema: struct<j:bigint>`
	metrics24 = `[{"name":"number of output rows","accumulatorId":3,"metricType":"sum"},{"name":"number of files","accumulatorId":1,"metricType":"sum"},{"name":"metadata time (ms)","accumulatorId":2,"metricType":"sum"},{"name":"scan time","accumulatorId":4,"metricType":"timing"}]`
)

// side24 is one side of the join: sorted, exchanged, generated.
func side24(key, below string) string {
	const node = `{"nodeName":"NAME","simpleString":"TEXT","metadata":{},"metrics":[],"children":[BELOW]}`
	for _, above := range [][2]string{
		{"WholeStageCodegen", "WholeStageCodegen"}, {"Exchange", "Exchange hashpartitioning(" + key + ", 200)"}, {"InputAdapter", "InputAdapter"},
		{"Sort", "Sort [" + key + " ASC NULLS FIRST], false, 0"}, {"WholeStageCodegen", "WholeStageCodegen"}, {"InputAdapter", "InputAdapter"},
	} {
		below = strings.NewReplacer("NAME", above[0], "TEXT", above[1], "BELOW", below).Replace(node)
	}
	return below
}

func TestSpark24(t *testing.T) {
	f, r := factsOf(t, [][]byte{[]byte(strings.Join(spark24Lines, "\n") + "\n")})
	if len(r.Problems) > 0 || len(f.Queries) != 1 {
		t.Fatalf("problems %v, %d queries", r.Problems, len(f.Queries))
	}
	q := f.Queries[0]
	want := []string{
		"fingerprint " + q.Fingerprint,
		"join inner SortMergeJoin [d.orders.k] [d.items.j] ",
		"lost {0 0 0}",
		`scan parquet d.items /lake/items not_null(j) false 0`,
		`scan parquet d.orders /lake/orders and(not_null(day) ge(day "1998-07-02") not_null(k)) false 0`,
		"status succeeded",
	}
	if d := cmp.Diff(want, spellQuery(q)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if q.TaskMS != 70 || !q.TasksMeasured || q.WallMS != 1000 || f.Cores != 2 {
		t.Errorf("%d ms of tasks, %d ms, %d cores", q.TaskMS, q.WallMS, f.Cores)
	}
}
