package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Tests named after what has broken other readers of event logs.

const applicationEndLine = `{"Event":"SparkListenerApplicationEnd","Timestamp":1}` + "\n"

// Spark's .lz4 holds lz4-java's blocks, which readers of LZ4 frames refuse, and the reverse.
func TestTrapLZ4IsNoFrame(t *testing.T) {
	text := []byte(applicationEndLine)
	for name, content := range map[string][]byte{"blocks": asLZ4Blocks(t, text), "a frame": asLZ4Frame(t, text)} {
		events, r := readOne(t, content)
		if len(events) != 2 || len(r.Problems) > 0 {
			t.Errorf("%s: %d events, problems %v", name, len(events), r.Problems)
		}
	}
}

// A writer that flushes leaves hundreds of zstd frames; the last is open while it runs.
func TestTrapHundredsOfFrames(t *testing.T) {
	const frames = 300
	frame := compress(t, []byte(applicationEndLine))
	content := bytes.Repeat(frame, frames)
	content = append(content, frame[:len(frame)-3]...)
	events, r := readOne(t, content)
	if len(events) < 1+frames {
		t.Errorf("%d events of %d frames", len(events), frames)
	}
	want := []Problem{{File: "part", Line: frames, Reason: "file ends inside a compressed block", Count: 1}}
	if diff := cmp.Diff(want, r.Problems, cmpopts.IgnoreFields(Problem{}, "Line")); diff != "" {
		t.Errorf("problems (-want +got)\n%s", diff)
	}
}

// Cut inside a line, an escape or a rune: one loss, named once, and everything before it.
func TestTrapCutInsideALine(t *testing.T) {
	line := `{"Event":"SparkListenerApplicationStart","App Name":"a\u00e4\\ä","App ID":"x"}`
	for at := 1; at < len(line); at++ {
		events, r := readOne(t, []byte(applicationEndLine+line[:at]))
		if len(events) != 2 || len(r.Problems) != 1 || r.Problems[0] != (Problem{"part", 2, endsInside, 1}) {
			t.Fatalf("cut at %d: %d events, problems %v", at, len(events), r.Problems)
		}
	}
}

// Lines may be JSON and yet no objects.
func TestTrapLinesThatAreNoObjects(t *testing.T) {
	events, r := readOne(t, []byte("42\nnull\n[]\n\"x\"\ntrue\n"+applicationEndLine))
	want := []Problem{{File: "part", Line: 1, Reason: "line is no JSON object", Count: 5}}
	if diff := cmp.Diff(want, r.Problems); diff != "" || len(events) != 2 {
		t.Errorf("%d events, problems (-want +got)\n%s", len(events), diff)
	}
}

// The layouts of Spark, Databricks, EMR and Dataproc side by side.
func TestTrapLayouts(t *testing.T) {
	log := file("{}\n")
	files := fstest.MapFS{
		// Databricks: one folder for a cluster's driver, dated parts in UTC and the open one.
		"dbfs/0612-0900-abc/eventlog/77/eventlog":                        log,
		"dbfs/0612-0900-abc/eventlog/77/eventlog-2026-11-29--20-10.gz":   {Data: asGzip(t, []byte("{}\n"))},
		"dbfs/0612-0900-abc/eventlog/77/eventlog-2026-11-29--08-50.gz":   {Data: asGzip(t, []byte("{}\n"))},
		"dbfs/0612-0900-abc/driver/stderr--2026-11-29--08-00.gz":         {Data: asGzip(t, []byte("26/11/29 WARN\n"))},
		"dbfs/0612-0900-abc/eventlog/78/eventlog-2026-11-30--00-00.gz":   {Data: asGzip(t, []byte("{}\n"))},
		"emr/j-1/containers/application_1_0001/container_1/stderr.gz":    {Data: asGzip(t, []byte("WARN\n"))},
		"emr/sparklogs/eventlog_v2_00abc/events_2_00abc":                 log,
		"emr/sparklogs/eventlog_v2_00abc/events_1_00abc":                 log,
		"emr/sparklogs/eventlog_v2_00abc/appstatus_00abc.inprogress":     file(""),
		"emr/spark/apps/application_1_0002_1":                            log,
		"emr/spark/apps/application_1_0002_2.inprogress":                 log,
		"dataproc/9f/spark-job-history/application_2_0001":               log,
		"dataproc/9f/spark-job-history/application_2_0002.zstd":          {Data: compress(t, []byte("{}\n"))},
		"dataproc/9f/spark-job-history/application_2_0001.inprogress":    log, // left behind
		"part/eventlog_v2_application_3_0001/events_94_application_3_01": log,
	}
	found, err := Find(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range found {
		got = append(got, fmt.Sprintf("%s/%s %v %s", a.ID, a.Attempt, a.InProgress, strings.Join(a.Parts, " ")))
	}
	want := []string{
		"application_2_0001/ false dataproc/9f/spark-job-history/application_2_0001",
		"application_2_0002/ false dataproc/9f/spark-job-history/application_2_0002.zstd",
		"77/ false dbfs/0612-0900-abc/eventlog/77/eventlog-2026-11-29--08-50.gz dbfs/0612-0900-abc/eventlog/77/eventlog-2026-11-29--20-10.gz dbfs/0612-0900-abc/eventlog/77/eventlog",
		"78/ false dbfs/0612-0900-abc/eventlog/78/eventlog-2026-11-30--00-00.gz",
		"application_1_0002/1 false emr/spark/apps/application_1_0002_1",
		"application_1_0002/2 true emr/spark/apps/application_1_0002_2.inprogress",
		"00abc/ true emr/sparklogs/eventlog_v2_00abc/events_1_00abc emr/sparklogs/eventlog_v2_00abc/events_2_00abc",
		"application_3_0001/ false part/eventlog_v2_application_3_0001/events_94_application_3_01",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A compact file replaces the parts before it, and one that is still being written none.
func TestTrapCompact(t *testing.T) {
	log := file("{}\n")
	found, err := Find(fstest.MapFS{
		"eventlog_v2_a/events_1_a.zstd": log, "eventlog_v2_a/events_2_a.zstd": log, "eventlog_v2_a/events_2_a.zstd.compact": log,
		"eventlog_v2_a/events_10_a.zstd": log, "eventlog_v2_a/events_9_a.zstd": log, "eventlog_v2_a/events_9_a.zstd.compact.inprogress": log,
	}, ".")
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	want := []string{"eventlog_v2_a/events_2_a.zstd.compact", "eventlog_v2_a/events_9_a.zstd", "eventlog_v2_a/events_10_a.zstd"}
	if diff := cmp.Diff(want, found[0].Parts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Plans of 20 MB are read.
func TestTrapLongPlan(t *testing.T) {
	text := strings.Repeat("x", 20<<20)
	events, r := readOne(t, []byte(`{"Event":"`+sqlEvent+`ExecutionStart","executionId":1,"physicalPlanDescription":"`+text+`"}`))
	if len(r.Problems) > 0 || len(events) != 2 || len(events[1].(ExecutionStart).PlanText) != len(text) {
		t.Errorf("%d events, problems %v", len(events), r.Problems)
	}
}

// Memory does not follow a log's lines or tasks: of a stage that never completes one task's
// end is held, of an execution one plan.
func TestTrapMemoryFollowsTheLog(t *testing.T) {
	held := newLatest()
	p := partReader{ctx: t.Context(), file: "part", reading: &Reading{}, limit: maxLine, held: held, yield: func(Event, error) bool { return true }}
	update := `{"Event":"` + sqlEvent + `AdaptiveExecutionUpdate","executionId":%d,"physicalPlanDescription":"` + strings.Repeat("p", 1<<20) + `"}`
	take := func(line []byte) {
		if err := p.takeLine(line, lineWhole, int64(len(line))); err != nil {
			t.Fatal(err)
		}
		held.settle()
	}
	for i := range 200 {
		take([]byte(taskLine(1, 0, i)))
		take(fmt.Appendf(nil, update, i%3))
	}
	if len(held.lines) != 4 || held.bytes > 4<<20 {
		t.Errorf("%d lines of %d bytes are held", len(held.lines), held.bytes)
	}
	for i := range 200 { // more executions at once than there is room for
		take(fmt.Appendf(nil, update, i))
	}
	if held.bytes > maxHeldBytes {
		t.Errorf("%d bytes are held, more than %d", held.bytes, maxHeldBytes)
	}
	for i := range 2 * maxOpenStages {
		take([]byte(taskLine(i, 0, 1)))
	}
	if len(held.lines) > maxOpenStages {
		t.Errorf("%d stages are followed, more than %d", len(held.lines), maxOpenStages)
	}
}

// taskLine is the end of a successful task when its stage had come to 10·n ms and n rows.
func taskLine(stage, attempt, n int) string {
	return fmt.Sprintf(`{"Event":"SparkListenerTaskEnd","Stage ID":%d,"Stage Attempt ID":%d,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},`+
		`"Task Info":{"Task ID":%d,"Accumulables":[{"ID":9,"Name":"internal.metrics.executorRunTime","Update":10,"Value":%d,"Internal":true},`+
		`{"ID":4,"Name":"number of output rows","Update":"1","Value":"%d","Metadata":"sql"}]}}`, stage, attempt, n, 10*n, n)
}

// Ends of tasks count only for attempts without a completion, and neither tasks that failed,
// were killed or ran twice, nor ends after the completion count.
func TestTrapTasksThatCountTwice(t *testing.T) {
	other := func(reason string) string {
		return strings.Replace(taskLine(1, 0, 99), `"Success"`, `"`+reason+`"`, 1)
	}
	completed := `{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":2,"Stage Attempt ID":0,"Accumulables":[{"ID":9,"Name":"internal.metrics.executorRunTime","Value":70}]}}`
	log := []string{taskLine(1, 0, 1), taskLine(2, 0, 3), taskLine(1, 0, 2), other("ExceptionFailure"), other("TaskKilled"),
		completed, taskLine(2, 0, 4), taskLine(1, 1, 5), strings.TrimSpace(applicationEndLine)}
	events, r := readOne(t, []byte(strings.Join(log, "\n")+"\n"))
	want := []Event{ApplicationStart{ID: "a"}, StageCompleted{Stage: 2, RunTimeMS: 70}, ApplicationEnd{Time: millis(1)},
		StageCompleted{Stage: 1, RunTimeMS: 20, Values: []Accumulator{{4, 2}}, Cut: true},
		StageCompleted{Stage: 1, Attempt: 1, RunTimeMS: 50, Values: []Accumulator{{4, 5}}, Cut: true}}
	if diff := cmp.Diff(want, events); diff != "" || len(r.Problems) > 0 {
		t.Errorf("problems %v, events (-want +got)\n%s", r.Problems, diff)
	}
}

// The last update is what ran: it comes before the end, or at the end of a log without one.
func TestTrapLastUpdateRan(t *testing.T) {
	update := func(execution int, text string) string {
		return fmt.Sprintf(`{"Event":"%sAdaptiveExecutionUpdate","executionId":%d,"physicalPlanDescription":"%s"}`, sqlEvent, execution, text)
	}
	end := fmt.Sprintf(`{"Event":"%sExecutionEnd","executionId":1,"time":5}`, sqlEvent)
	reordered := fmt.Sprintf(`{"physicalPlanDescription":"{\"executionId\":9","a":{"executionId":8},"executionId" : 2,"Event":"%sAdaptiveExecutionUpdate"}`, sqlEvent)
	start := fmt.Sprintf(`{"Event":"%sExecutionStart","executionId":1}`, sqlEvent)
	log := []string{start, update(1, "first"), update(2, "other"), update(1, "last"), end, reordered, strings.TrimSpace(applicationEndLine)}
	events, r := readOne(t, []byte(strings.Join(log, "\n")+"\n"))
	want := []Event{ApplicationStart{ID: "a"}, ExecutionStart{Execution: 1, Root: 1, Time: millis(0)}, PlanUpdate{Execution: 1, PlanText: "last"}, ExecutionEnd{Execution: 1, Time: millis(5)},
		ApplicationEnd{Time: millis(1)}, PlanUpdate{Execution: 2, PlanText: `{"executionId":9`}}
	if diff := cmp.Diff(want, events); diff != "" || len(r.Problems) > 0 {
		t.Errorf("problems %v, events (-want +got)\n%s", r.Problems, diff)
	}
}

// An end whose start was dropped is counted, and named where the first one stands. One that
// comes before its start is not.
func TestTrapEndsWithoutStarts(t *testing.T) {
	sql := func(event string, id int) string {
		return fmt.Sprintf(`{"Event":"%s%s","executionId":%d,"time":5}`, sqlEvent, event, id)
	}
	log := []string{sql("ExecutionEnd", 1), sql("ExecutionEnd", 2), sql("ExecutionStart", 1), `{"Event":"SparkListenerJobEnd","Job ID":4}`,
		`{"Event":"SparkListenerJobStart","Job ID":5}`, `{"Event":"SparkListenerJobEnd","Job ID":5}`, sql("ExecutionEnd", 3)}
	events, r := readOne(t, []byte(strings.Join(log, "\n")+"\n"))
	want := []Problem{{File: "part", Line: 2, Reason: unstarted(executionEnd), Count: 2}, {File: "part", Line: 4, Reason: unstarted(jobEnd), Count: 1}}
	if diff := cmp.Diff(want, r.Problems); diff != "" || len(events) != 1+len(log) {
		t.Errorf("%d events, problems (-want +got)\n%s", len(events), diff)
	}
}

// However many ends have no start, and starts no end, memory is bounded and each such end counts.
func TestTrapManyEndsWithoutStarts(t *testing.T) {
	var r Reading
	p := newPairs()
	for i := range int64(3 * maxOpen) {
		p.end(pairKey{executionEnd, i}, "part", i+1, &r)
		if len(p.waiting) > maxWaiting {
			t.Fatalf("%d ends wait", len(p.waiting))
		}
	}
	p.tell(&r)
	for i := range int64(2 * maxOpen) {
		p.start(pairKey{jobEnd, i})
	}
	if want := []Problem{{File: "part", Line: 1, Reason: unstarted(executionEnd), Count: 3 * maxOpen}}; cmp.Diff(want, r.Problems) != "" || len(p.open) > maxOpen {
		t.Errorf("problems %v, %d starts are remembered", r.Problems, len(p.open))
	}
}

// FuzzGate: whatever the line, the gate agrees with a decoder of all of it.
func FuzzGate(f *testing.F) {
	for _, line := range []string{applicationEndLine, `{"a":{"Event":"x"},"Event":"y"}`, `{"a":"\"Event\":\"x\"","Event" : "y\"z"}`, `{"Event":1}`, `["Event"]`, `{"Event`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		want, valid := outermostEvent(line)
		name, ok := eventName(line)
		if valid && (ok != (want != nil) || ok && string(name) != *want) {
			t.Errorf("%q, %v; a decoder says %v", name, ok, want)
		}
	})
}

// outermostEvent reads the value as it stands of the first key Event; valid is false for what
// is no object, or spells the key or the value with escapes, which Spark never does.
func outermostEvent(line []byte) (name *string, valid bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	if !json.Valid(line) || bytes.IndexByte(line, '\\') >= 0 || !utf8.Valid(line) {
		return nil, false
	}
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		if key != "Event" {
			continue
		}
		var text string
		if value[0] != '"' || json.Unmarshal(value, &text) != nil {
			return nil, true
		}
		return &text, true
	}
	return nil, true
}
