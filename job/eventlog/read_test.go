package eventlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

const fixtures = "../../testdata/"

// read gives all events of one application, the account of the reading, and the error
// that ended it.
func read(fsys fs.FS, a Application) (events []Event, r Reading, err error) {
	for e, err := range Events(context.Background(), fsys, a, &r) {
		if err != nil {
			return events, r, err
		}
		events = append(events, e)
	}
	return events, r, nil
}

// readOne reads content as the only part of application "a".
func readOne(t testing.TB, content []byte) ([]Event, Reading) {
	t.Helper()
	fsys := fstest.MapFS{"part": {Data: content}}
	events, r, err := read(fsys, Application{ID: "a", Parts: []string{"part"}})
	if err != nil {
		t.Fatal(err)
	}
	return events, r
}

// realLog gives a fixture's log as it is stored, and its text.
func realLog(t testing.TB, fixture string) (stored, text []byte) {
	t.Helper()
	fsys := os.DirFS(fixtures + fixture + "/eventlogs")
	found, err := Find(fsys, ".")
	if err != nil || len(found) != 1 || len(found[0].Parts) != 1 {
		t.Fatalf("find: %v, %+v", err, found)
	}
	stored, err = fs.ReadFile(fsys, found[0].Parts[0])
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(bytes.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if text, err = io.ReadAll(d); err != nil {
		t.Fatal(err)
	}
	return stored, text
}

func compress(t testing.TB, text []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.EncodeAll(text, nil)
}

func TestRealLogs(t *testing.T) {
	tests := []struct {
		fixture string
		want    map[string]int
		lines   int64
	}{
		{"spark40-delta", map[string]int{"ApplicationStart": 2, "ApplicationEnd": 1, "Environment": 1, "ExecutionStart": 207,
			"PlanUpdate": 64, "ExecutionEnd": 207, "DriverUpdates": 395, "JobStart": 314, "JobEnd": 314, "StageCompleted": 305}, 12796},
		{"spark40-iceberg", map[string]int{"ApplicationStart": 2, "ApplicationEnd": 1, "Environment": 1, "ExecutionStart": 57,
			"PlanUpdate": 43, "ExecutionEnd": 57, "DriverUpdates": 306, "JobStart": 175, "JobEnd": 175, "StageCompleted": 176}, 2447},
	}
	for _, test := range tests {
		t.Run(test.fixture, func(t *testing.T) {
			stored, text := realLog(t, test.fixture)
			events, r := readOne(t, stored)
			got := map[string]int{}
			for _, e := range events {
				got[strings.TrimPrefix(fmt.Sprintf("%T", e), "eventlog.")]++
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
			want := Reading{Parts: 1, Lines: test.lines, Events: int64(len(events)) - 1, Bytes: int64(len(text))}
			if diff := cmp.Diff(want, r); diff != "" {
				t.Errorf("reading (-want +got)\n%s", diff)
			}
		})
	}
}

// The same text gives the same events, however it is stored and whatever its name says.
func TestStoredInOtherWays(t *testing.T) {
	stored, text := realLog(t, "spark40-iceberg")
	want, _ := readOne(t, stored)
	half := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
	tests := []struct {
		name  string
		parts map[string][]byte
		order []string
	}{
		{"plain text named zstd", map[string][]byte{"a.zstd": text}, []string{"a.zstd"}},
		{"zstd without a suffix", map[string][]byte{"a": stored}, []string{"a"}},
		{"two frames in one file", map[string][]byte{"a": append(compress(t, text[:half]), compress(t, text[half:])...)}, []string{"a"}},
		{"frames that end inside a line", map[string][]byte{"a": append(compress(t, text[:half-7]), compress(t, text[half-7:])...)}, []string{"a"}},
		{"two parts, plain and zstd", map[string][]byte{"1": text[:half], "2": compress(t, text[half:])}, []string{"1", "2"}},
		{"line ends of Windows", map[string][]byte{"a": bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))}, []string{"a"}},
		{"no line end at the end", map[string][]byte{"a": bytes.TrimRight(text, "\n")}, []string{"a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, data := range test.parts {
				fsys[name] = &fstest.MapFile{Data: data}
			}
			got, r, err := read(fsys, Application{ID: "a", Parts: test.order})
			if err != nil || len(r.Problems) > 0 {
				t.Fatalf("%v, problems %v", err, r.Problems)
			}
			if !reflect.DeepEqual(want, got) { // cmp.Diff takes minutes over plans
				t.Errorf("%d events, not the %d of the log", len(got), len(want))
			}
		})
	}
}

// A log cut anywhere gives a prefix of its events, then what was held for ends that are cut
// off, no error, and says that it was cut.
func TestCutAnywhere(t *testing.T) {
	stored, text := realLog(t, "spark40-iceberg")
	whole, _ := readOne(t, stored)
	const cuts = 60
	for name, content := range map[string][]byte{"zstd": stored, "plain": text} {
		t.Run(name, func(t *testing.T) {
			before := 0
			for i := range cuts {
				at := 1 + i*(len(content)-1)/cuts
				got, r := readOne(t, content[:at])
				same := samePrefix(whole, got)
				if same < before {
					t.Fatalf("cut at %d of %d: %d events after %d", at, len(content), same, before)
				}
				before = same
				for _, e := range got[same:] {
					if !heldTillEnd(e) {
						t.Fatalf("cut at %d: %T follows the log's first %d events", at, e, same)
					}
				}
				atLineEnd := name == "plain" && (content[at-1] == '\n' || content[at] == '\n')
				if cut := len(r.Problems) > 0; cut == atLineEnd {
					t.Errorf("cut at %d: problems %+v", at, r.Problems)
				}
			}
			if before < len(whole)*9/10 {
				t.Errorf("the last cut leaves %d of %d events", before, len(whole))
			}
		})
	}
}

func samePrefix(a, b []Event) int {
	n := 0
	for n < min(len(a), len(b)) && reflect.DeepEqual(a[n], b[n]) { // cmp.Diff takes minutes over plans
		n++
	}
	return n
}

// heldTillEnd tells events that come after all others where their end is missing.
func heldTillEnd(e Event) bool {
	s, stage := e.(StageCompleted)
	_, update := e.(PlanUpdate)
	return update || stage && s.Cut
}

// Damage in one part costs that part's rest and nothing of the next.
func TestDamage(t *testing.T) {
	stored, _ := realLog(t, "spark40-iceberg")
	damaged := bytes.Clone(stored)
	for i := range 64 {
		damaged[len(damaged)/2+i] ^= 0x5A
	}
	end := []byte(`{"Event":"SparkListenerApplicationEnd","Timestamp":1795980490000}` + "\n")
	fsys := fstest.MapFS{"1": {Data: damaged}, "2": {Data: end}}
	events, r, err := read(fsys, Application{ID: "a", Parts: []string{"1", "gone", "2"}})
	if err != nil {
		t.Fatal(err)
	}
	once := slices.DeleteFunc(slices.Clone(events), heldTillEnd)
	_, last := once[len(once)-1].(ApplicationEnd)
	if !last || len(events) < 100 {
		t.Errorf("%d events, the end among them: %v; want some of part 1 and all of part 2", len(events), last)
	}
	var files []string
	for _, p := range r.Problems {
		files = append(files, p.File)
	}
	if files[0] != "1" || files[len(files)-1] != "gone" || r.Parts != 2 {
		t.Errorf("problems %+v, %d parts", r.Problems, r.Parts)
	}
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Event
		problems   []Problem
	}{
		{"the event's name need not come first", `{"Timestamp":1000, "Event" : "SparkListenerApplicationEnd"}`,
			[]Event{ApplicationEnd{Time: time.UnixMilli(1000).UTC()}}, nil},
		{"names inside values are no names", `{"x":{"Event":"SparkListenerApplicationEnd"},"y":"\"Event\":\"SparkListenerApplicationEnd\"","Event":"SparkListenerBlockUpdated"}`, nil, nil},
		{"lines that are no objects", "42\nnull\n[]\n\n  \n\"text\"\n", nil,
			[]Problem{{File: "part", Line: 1, Reason: "line is no JSON object", Count: 4}}},
		{"an object without a name", `{"a":1}`, nil, []Problem{{File: "part", Line: 1, Reason: "line names no event", Count: 1}}},
		{"a vendor's event", `{"Event":"com.databricks.backend.Something","a":1}`, nil, nil},
		{"a damaged event of interest", `{"Event":"SparkListenerApplicationEnd","Timestamp":"x"}` + "\n", nil,
			[]Problem{{File: "part", Line: 1, Reason: "event SparkListenerApplicationEnd is not as Spark writes it", Count: 1}}},
		{"cut inside an escape", `{"Event":"SparkListenerApplicationStart","App Name":"\u00`, nil,
			[]Problem{{File: "part", Line: 1, Reason: "file ends inside a line", Count: 1}}},
		{"a root that is absent is not 0", `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":7,"time":5}`,
			[]Event{ExecutionStart{Execution: 7, Root: 7, Time: time.UnixMilli(5).UTC()}}, nil},
		{"a root that is 0 is", `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":7,"rootExecutionId":0,"sparkPlanInfo":null,"modifiedConfigs":{"spark.sql.session.timeZone":"Asia/Tokyo"}}`,
			[]Event{ExecutionStart{Execution: 7, Time: time.UnixMilli(0).UTC(), SessionZone: "Asia/Tokyo"}}, nil},
		{"values that are no numbers", `{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":3,"Stage Attempt ID":1,"Accumulables":[` +
			`{"ID":1,"Name":"a","Value":"12"},{"ID":2,"Name":"b","Value":7},{"ID":3,"Name":"c","Value":"-1"},{"ID":4,"Value":[]},` +
			`{"ID":5,"Value":"NaN"},{"ID":6,"Value":null},{"ID":7,"Name":"d"},{"ID":8,"Name":"internal.metrics.executorRunTime","Value":90}]}}`,
			[]Event{StageCompleted{Stage: 3, Attempt: 1, RunTimeMS: 90, Values: []Accumulator{{1, 12}, {2, 7}}}}, nil},
		{"a stage without run time", `{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":3}}`,
			[]Event{StageCompleted{Stage: 3, RunTimeMS: -1}}, nil},
		{"driver updates", `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates","executionId":4,"accumUpdates":[[1,5],[2,-1],[3],["x",1],[4,"8"]]}`,
			[]Event{DriverUpdates{Execution: 4, Values: []Accumulator{{1, 5}, {4, 8}}}}, nil},
		{"a job of no query", `{"Event":"SparkListenerJobStart","Job ID":1,"Stage IDs":[1,2],"Properties":null}`,
			[]Event{JobStart{Job: 1, Stages: []int64{1, 2}, Time: time.UnixMilli(0).UTC()}}, nil},
		{"a job of a child", `{"Event":"SparkListenerJobStart","Job ID":1,"Submission Time":9,"Stage IDs":[],"Properties":{"spark.sql.execution.id":"12","spark.sql.execution.root.id":"10"}}`,
			[]Event{JobStart{Job: 1, Stages: []int64{}, Time: time.UnixMilli(9).UTC(), Execution: 12, SQL: true, Root: 10}}, nil},
		{"where it runs", `{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"local[4,2]","spark.sql.session.timeZone":"UTC"},"System Properties":{"user.timezone":"Etc/UTC"}}`,
			[]Event{Environment{SessionZone: "UTC", JVMZone: "Etc/UTC", Cores: 4}}, nil},
		{"on a cluster", `{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"yarn","spark.executor.instances":"10","spark.executor.cores":"4"}}`,
			[]Event{Environment{Cores: 40}}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			events, r := readOne(t, []byte(test.text))
			want := append([]Event{ApplicationStart{ID: "a"}}, test.want...)
			if diff := cmp.Diff(want, events); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.problems, r.Problems); diff != "" {
				t.Errorf("problems (-want +got)\n%s", diff)
			}
		})
	}
}

// Long lines: those of events nobody needs pass in any length, those of needed ones up to
// the limit.
func TestLongLines(t *testing.T) {
	const limit = 1 << 20
	long := strings.Repeat("x", 2*limit)
	text := `{"Event":"SparkListenerTaskEnd","a":"` + long + `"}` + "\n" +
		`{"Event":"SparkListenerApplicationStart","App Name":"` + long + `"}` + "\n" +
		`{"Event":"SparkListenerApplicationStart","App ID":"` + long[:limit/2] + `"}` + "\n" +
		`{"Event":"SparkListenerApplicationEnd","Timestamp":1}` + "\n"
	var r Reading
	var got []string
	p := partReader{ctx: context.Background(), file: "part", reading: &r, limit: limit, held: newLatest(),
		yield: func(e Event, err error) bool {
			got = append(got, fmt.Sprintf("%T", e))
			return err == nil
		}}
	more := p.readText(&unpacked{Reader: bufio.NewReader(struct{ io.Reader }{strings.NewReader(text)})})
	if diff := cmp.Diff([]string{"eventlog.ApplicationStart", "eventlog.ApplicationEnd"}, got); diff != "" || !more {
		t.Errorf("more %v, events (-want +got)\n%s", more, diff)
	}
	want := []Problem{{File: "part", Line: 2, Reason: "line is longer than 1 MiB", Count: 1}}
	if diff := cmp.Diff(want, r.Problems); diff != "" {
		t.Errorf("problems (-want +got)\n%s", diff)
	}
}

// A plan thousands of nodes deep is decoded.
func TestDeepPlan(t *testing.T) {
	const depth = 4000 // JSON decoders stop at 10,000 brackets, two a node
	node := `{"nodeName":"Filter","simpleString":"Filter","children":[`
	text := `{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate","executionId":1,"sparkPlanInfo":` +
		strings.Repeat(node, depth) + strings.Repeat("]}", depth) + "}"
	events, r := readOne(t, []byte(text))
	if len(events) != 2 || len(r.Problems) > 0 {
		t.Fatalf("%d events, problems %+v", len(events), r.Problems)
	}
	got := 0
	for n := events[1].(PlanUpdate).Plan; n != nil; got++ {
		if len(n.Children) == 0 {
			n = nil
			continue
		}
		n = n.Children[0]
	}
	if got != depth {
		t.Errorf("%d nodes deep, want %d", got, depth)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, text := realLog(t, "spark40-iceberg")
	fsys := fstest.MapFS{"part": {Data: text}}
	var last error
	for _, err := range Events(ctx, fsys, Application{Parts: []string{"part"}}, &Reading{}) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v, want context.Canceled", last)
	}
}

// FuzzEvents: no bytes make reading fail; whatever they are is accounted for.
func FuzzEvents(f *testing.F) {
	_, text := realLog(f, "spark40-iceberg")
	kept := map[string]bool{}
	for line := range bytes.Lines(text) {
		if name, ok := eventName(line); ok && !kept[string(name)] && len(line) < 20_000 {
			kept[string(name)] = true
			f.Add(line)
			f.Add(compress(f, line))
		}
	}
	f.Add([]byte("42\nnull\n[]\n{\"Event\":"))
	f.Fuzz(func(t *testing.T, content []byte) {
		events, r := readOne(t, content)
		if int64(len(events)) != r.Events+1 || r.Events > r.Lines {
			t.Errorf("%d events for %+v", len(events), r)
		}
	})
}
