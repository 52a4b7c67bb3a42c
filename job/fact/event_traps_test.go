package fact

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"ajlo/job/eventlog"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
)

// A test for each way in which events have broken other readers of event logs: from the
// lines of a log to its facts.

// logText gives the lines of a fixture's log.
func logText(t *testing.T, fixture string) [][]byte {
	t.Helper()
	fsys := os.DirFS("../../testdata/" + fixture + "/eventlogs")
	found, err := eventlog.Find(fsys, ".")
	if err != nil || len(found) != 1 {
		t.Fatalf("find: %v, %d applications", err, len(found))
	}
	packed, err := fs.ReadFile(fsys, found[0].Parts[0])
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(text, []byte("\n"))
}

func factsOf(t *testing.T, lines [][]byte) (Facts, eventlog.Reading) {
	t.Helper()
	var r eventlog.Reading
	fsys := fstest.MapFS{"part": {Data: bytes.Join(lines, nil)}}
	f, err := Extract(eventlog.Events(t.Context(), fsys, eventlog.Application{ID: "a", Parts: []string{"part"}}, &r))
	if err != nil {
		t.Fatal(err)
	}
	return f, r
}

// without leaves out the lines of one event.
func without(lines [][]byte, event string) (kept [][]byte) {
	for _, line := range lines {
		if !bytes.Contains(line[:min(len(line), 200)], []byte(event+`"`)) {
			kept = append(kept, line)
		}
	}
	return kept
}

// A busy driver drops events of any kind: what the others say stays.
func TestTrapDroppedEvents(t *testing.T) {
	lines := logText(t, "spark40-iceberg")
	whole, _ := factsOf(t, lines)
	ignore := func(fields ...string) cmp.Option { return cmpopts.IgnoreFields(Query{}, fields...) }
	tests := []struct {
		event string
		same  cmp.Option
		ends  string // that are counted for want of a start
	}{
		{"SparkListenerTaskEnd", ignore(), ""},
		{"SparkListenerStageSubmitted", ignore(), ""},
		{"SparkListenerSQLExecutionEnd", ignore("Status", "WallMS"), ""},
		{"SparkListenerStageCompleted", ignore("TaskMS", "TasksMeasured", "Scans"), ""},
		{"SparkListenerJobStart", ignore("TaskMS", "TasksMeasured", "Scans"), "SparkListenerJobEnd"},
		{"SparkListenerDriverAccumUpdates", ignore("Scans"), ""},
	}
	for _, test := range tests {
		t.Run(test.event, func(t *testing.T) {
			got, r := factsOf(t, without(lines, test.event))
			counted := int64(0)
			for _, p := range r.Problems {
				counted += p.Count
			}
			want := 0
			if test.ends != "" {
				want = len(lines) - len(without(lines, test.ends))
			}
			if counted != int64(want) {
				t.Errorf("problems %v, want %d ends", r.Problems, want)
			}
			if diff := cmp.Diff(whole.Queries, got.Queries, test.same); diff != "" {
				t.Errorf("(-whole +without)\n%.3000s", diff)
			}
		})
	}
}

// Where stages never complete the ends of their tasks tell what they had come to: of the
// fixture's queries that succeeded the very totals, but for one scan whose last task read
// nothing more.
func TestTrapStagesWithoutCompletion(t *testing.T) {
	lines := logText(t, "spark40-iceberg")
	whole, _ := factsOf(t, lines)
	got, _ := factsOf(t, without(lines, "SparkListenerStageCompleted"))
	other := 0
	for i, q := range got.Queries {
		w := whole.Queries[i]
		if q.Status == Succeeded && (q.TaskMS != w.TaskMS || !q.TasksMeasured) || q.TaskMS > w.TaskMS {
			t.Errorf("%s: %d ms of tasks, want %d", q.Query, q.TaskMS, w.TaskMS)
		}
		for j, s := range q.Scans {
			if s.Rows != w.Scans[j].Rows || s.BytesRead != w.Scans[j].BytesRead {
				other++
			}
		}
	}
	if other > 1 {
		t.Errorf("%d scans have other figures", other)
	}
}

// Lines of one query that scans one table; %s stands for a stage's accumulators.
const (
	startLine  = `{"executionId":1,"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","time":1000,"vendor":{"Event":"x"},"description":"q",` + scanPlan + `}`
	scanPlan   = `"physicalPlanDescription":"== Physical Plan ==\nScan parquet spark_catalog.d.t (1)\n\n\n(1) Scan parquet spark_catalog.d.t\nOutput [1]: [k#1L]\nBatched: true\nReadSchema: struct<k:bigint>\n\n","sparkPlanInfo":{"nodeName":"Scan parquet spark_catalog.d.t","simpleString":"FileScan parquet spark_catalog.d.t[k#1L] Batched: true","children":[],"metadata":{},"metrics":[%s]}`
	scanMetric = `{"name":"number of files read","accumulatorId":1,"metricType":"sum"},{"name":"size of files read","accumulatorId":2,"metricType":"size"},{"name":"number of output rows","accumulatorId":3,"metricType":"sum"}`
	jobLine    = `{"Event":"SparkListenerJobStart","Job ID":1,"Submission Time":1001,"Stage IDs":[7,8],"Properties":{"spark.sql.execution.id":"1"}}`
	driverLine = `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates","executionId":1,"accumUpdates":[[1,4],[2,900],[3,-1]]}`
	stageLine  = `{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":%d,"Stage Attempt ID":%d,"Accumulables":[%s]}}`
	endLine    = `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd","executionId":1,"time":3000}`
	metricLine = `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveSQLMetricUpdates","executionId":1,"sqlPlanMetrics":[` + scanMetric + `]}`
)

func value(id int, text string) string {
	return fmt.Sprintf(`{"ID":%d,"Name":"m","Update":"5","Value":%s,"Metadata":"sql"}`, id, text)
}

func runTime(ms int) string {
	return fmt.Sprintf(`{"ID":99,"Name":"internal.metrics.executorRunTime","Value":%d}`, ms)
}

func stageText(stage, attempt int, accumulators ...string) string {
	return fmt.Sprintf(stageLine, stage, attempt, strings.Join(accumulators, ","))
}

// unnamed are accumulators that no plan names.
func unnamed(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = value(1000+i, "1")
	}
	return strings.Join(all, ",")
}

func TestTrapEvents(t *testing.T) {
	start := fmt.Sprintf(startLine, scanMetric)
	tests := []struct {
		name     string
		lines    []string
		rows, ms int64
		status   Status
	}{
		{"values that are no numbers", []string{start, jobLine, driverLine,
			stageText(7, 0, runTime(50), value(3, `"33"`), value(3, `"NaN"`), value(3, "[]"), value(3, `"12 ms"`), value(3, "null"), value(3, "1.5")), endLine}, 33, 50, Succeeded},
		{"an initial −1 is not added", []string{start, jobLine, driverLine, stageText(7, 0, runTime(50), value(3, `"-1"`)),
			stageText(8, 0, value(3, "33")), endLine}, 33, 50, Succeeded},
		{"one accumulator in several stages, and a stage that ran again", []string{start, jobLine, driverLine, stageText(7, 0, runTime(50), value(3, "20")),
			stageText(7, 1, runTime(30), value(3, "33")), stageText(8, 0, runTime(5), value(3, "33")), endLine}, 33, 85, Succeeded},
		{"metrics of sub-plans have an event of their own, long before a plan shows them", []string{metricLine, jobLine, driverLine,
			stageText(7, 0, runTime(50), value(3, "33")), stageText(8, 0, unnamed(maxEarly+1)), start, endLine}, 33, 50, Succeeded},
		{"the end comes first", []string{endLine, start, jobLine, driverLine, stageText(7, 0, runTime(50), value(3, "33"))}, 33, 50, Succeeded},
		{"no end", []string{start, jobLine, driverLine, stageText(7, 0, runTime(50), value(3, "33"))}, 33, 50, Unfinished},
		{"vendors' events, lines that are no objects, known events with null and other fields", []string{`{"Event":"com.vendor.Tick","executionId":1,"x":[{}]}`, "42", "null", "[]",
			`{"Event":"SparkListenerJobStart","Job ID":9,"Stage IDs":null,"Properties":null}`, `{"Event":"SparkListenerStageCompleted","Stage Info":null}`,
			start, jobLine, driverLine, stageText(7, 0, runTime(50), value(3, "33")), endLine}, 33, 50, Succeeded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, _ := factsOf(t, [][]byte{[]byte(strings.Join(test.lines, "\n") + "\n")})
			if len(f.Queries) != 1 || len(f.Queries[0].Scans) != 1 {
				t.Fatalf("facts %+v", f)
			}
			q := f.Queries[0]
			want := Scan{Table: "d.t", Format: "parquet", FilesRead: 4, BytesRead: 900, Rows: test.rows, Measured: true}
			if diff := cmp.Diff(want, q.Scans[0], cmpopts.IgnoreFields(Scan{}, "Predicate")); diff != "" {
				t.Errorf("scan (-want +got)\n%s", diff)
			}
			if q.Status != test.status || q.TaskMS != test.ms || q.Execution != 1 {
				t.Errorf("status %s, %d ms of tasks, execution %d", q.Status, q.TaskMS, q.Execution)
			}
		})
	}
}

// What no scan can have read was not measured: it would drown all others, or overflow.
func TestTrapAbsurdMetrics(t *testing.T) {
	start := fmt.Sprintf(startLine, scanMetric)
	for _, rows := range []string{"9223372036854775807", "4503599627370497", "-5"} {
		f, _ := factsOf(t, [][]byte{[]byte(strings.Join([]string{start, jobLine, driverLine, stageText(7, 0, runTime(50), value(3, rows)), endLine}, "\n") + "\n")})
		if len(f.Queries) != 1 || len(f.Queries[0].Scans) != 1 {
			t.Fatalf("facts %+v", f)
		}
		if s := f.Queries[0].Scans[0]; rows[0] != '-' && (s.Measured || s.BytesRead != 0 || s.Rows != 0) || s.Rows < 0 {
			t.Errorf("%s rows: %+v", rows, s)
		}
	}
}

// A root that is absent (before Spark 3.4) is the execution itself, not execution 0; a
// nested execution's time lies inside its root's and counts once.
func TestTrapRoots(t *testing.T) {
	start := fmt.Sprintf(startLine, scanMetric)
	child := strings.Replace(start, `"executionId":1,`, `"executionId":2,"rootExecutionId":1,`, 1)
	childEnd := strings.Replace(endLine, `"executionId":1,"time":3000`, `"executionId":2,"time":2900`, 1)
	other := strings.Replace(start, `"executionId":1,`, `"executionId":0,`, 1)
	f, _ := factsOf(t, [][]byte{[]byte(strings.Join([]string{other, child, childEnd, start, endLine}, "\n"))})
	var got []string
	for _, q := range f.Queries {
		got = append(got, fmt.Sprint(q.Execution, " ", q.Status, " ", q.WallMS))
	}
	if diff := cmp.Diff([]string{"0 unfinished 0", "1 succeeded 2000"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Plan trees a thousand nodes deep.
func TestTrapDeepPlan(t *testing.T) {
	const depth = 1000
	var tree, blocks strings.Builder
	for i := range depth {
		fmt.Fprintf(&tree, "%s+- Filter (%d)\\n", strings.Repeat(" ", 3*i), depth+1-i)
		fmt.Fprintf(&blocks, "(%d) Filter\\nInput [1]: [k#1L]\\nCondition : (k#1L > %d)\\n\\n", i+2, i)
	}
	nested := strings.Repeat(`{"nodeName":"Filter","simpleString":"Filter","metadata":{},"metrics":[],"children":[`, depth)
	text := fmt.Sprintf(startLine, scanMetric)
	text = strings.Replace(text, `Scan parquet spark_catalog.d.t (1)\n`, tree.String()+strings.Repeat(" ", 3*depth)+`+- Scan parquet spark_catalog.d.t (1)\n`, 1)
	text = strings.Replace(text, `struct<k:bigint>\n\n`, `struct<k:bigint>\n\n`+blocks.String(), 1)
	text = strings.Replace(text, `"sparkPlanInfo":`, `"sparkPlanInfo":`+nested, 1)
	text = strings.Replace(text, scanMetric+`]}`, scanMetric+`]}`+strings.Repeat("]}", depth), 1)
	f, r := factsOf(t, [][]byte{[]byte(text + "\n" + jobLine + "\n" + driverLine + "\n" + endLine)})
	if len(r.Problems) > 0 || len(f.Queries) != 1 || len(f.Queries[0].Scans) != 1 {
		t.Fatalf("problems %v, facts %+v", r.Problems, f)
	}
	if s := f.Queries[0].Scans[0]; s.Table != "d.t" || !s.Measured || s.Predicate == nil {
		t.Errorf("scan %+v", s)
	}
}

// Before Spark 3.4 an execution's end says nothing of failure: its last job does.
func TestTrapFailureToldByJobs(t *testing.T) {
	whole := logText(t, "spark40-delta")
	said, _ := factsOf(t, whole)
	message := regexp.MustCompile(`,"errorMessage":(?:null|"(?:[^"\\]|\\.)*")`)
	var old [][]byte
	for _, line := range whole {
		if bytes.Contains(line[:min(len(line), 200)], []byte("SQLExecutionEnd")) {
			if !message.Match(line) {
				t.Fatalf("no message in %s", line)
			}
			line = message.ReplaceAll(line, nil)
		}
		old = append(old, line)
	}
	told, _ := factsOf(t, old)
	if d := cmp.Diff(said, told); d != "" {
		t.Errorf("facts (-with messages +without)\n%s", d)
	}
	unsaid, _ := factsOf(t, without(old, "SparkListenerJobEnd"))
	failed := func(f Facts) (n int) {
		for _, q := range f.Queries {
			if q.Status == Failed {
				n++
			}
		}
		return n
	}
	if got := []int{failed(said), failed(told), failed(unsaid)}; !cmp.Equal(got, []int{1, 1, 0}) {
		t.Errorf("failed queries %v with messages, without, and without jobs' ends; want 1, 1, 0", got)
	}
}
