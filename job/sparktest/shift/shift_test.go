package shift

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const fixture = "../../../testdata/spark40-delta/eventlogs"

// copied makes a changed copy of the fixture's log and gives its lines.
func copied(t *testing.T, c Change) [][]byte {
	t.Helper()
	dst := t.TempDir()
	if err := Logs(dst, fixture, c); err != nil {
		t.Fatal(err)
	}
	return linesIn(t, dst)
}

func partsIn(t *testing.T, dir string) []string {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dir, "eventlog_v2_*", "events_*"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("parts %v, error %v: want one part", parts, err)
	}
	return parts
}

func linesIn(t *testing.T, dir string) [][]byte {
	t.Helper()
	lines, err := readPart(partsIn(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestNoChangeLeavesEveryByte(t *testing.T) {
	want, got := linesIn(t, fixture), copied(t, Change{})
	if len(want) != 12796 {
		t.Fatalf("the fixture has %d lines", len(want))
	}
	if d := cmp.Diff(string(joined(want)), string(joined(got))); d != "" {
		t.Errorf("lines changed:\n%.2000s", d)
	}
}

func joined(lines [][]byte) (all []byte) {
	for _, line := range lines {
		all = append(append(all, line...), '\n')
	}
	return all
}

// scalars collects the integers under a key anywhere in the lines, in order.
func scalars(lines [][]byte, wanted func(place) bool) (all []string) {
	for _, line := range lines {
		rewrite(line, func(at place, value []byte) []byte {
			if wanted(at) {
				all = append(all, string(value))
			}
			return value
		})
	}
	return all
}

// One copy serves these tests: making it takes longer than looking at it.
func TestChange(t *testing.T) {
	dst := t.TempDir()
	if err := Logs(dst, fixture, Change{By: -24 * time.Hour, TaskTime: 2.6, App: "local-2"}); err != nil {
		t.Fatal(err)
	}
	before, after := linesIn(t, fixture), linesIn(t, dst)
	t.Run("times move", func(t *testing.T) { timesMove(t, before, after) })
	t.Run("task times scale", func(t *testing.T) { taskTimesScale(t, before, after) })
	t.Run("the application is renamed", func(t *testing.T) { appIsRenamed(t, dst, after) })
}

func timesMove(t *testing.T, before, after [][]byte) {
	isTime := func(at place) bool { return timeKeys[at.key] }
	var want []string
	for _, old := range scalars(before, isTime) {
		if old != "0" {
			old = string(added([]byte(old), -86_400_000))
		}
		want = append(want, old)
	}
	if len(want) < 20_000 {
		t.Fatalf("only %d times were found", len(want))
	}
	if d := cmp.Diff(want, scalars(after, isTime)); d != "" {
		t.Errorf("times (-want +got):\n%.2000s", d)
	}
	// No time is left behind under a key that nobody thought of: whatever still lies in the
	// old day is none.
	for _, line := range after {
		rewrite(line, func(at place, value []byte) []byte {
			if len(value) == 13 && string(value) >= "1795960000000" && string(value) < "1796000000000" {
				t.Fatalf("a time under %q was not moved: %s", at.key, value)
			}
			return value
		})
	}
}

// The sums that a reader takes from completed stages are those of the task ends, before and
// after.
func taskTimesScale(t *testing.T, linesBefore, linesAfter [][]byte) {
	before, after := runTimes(t, linesBefore), runTimes(t, linesAfter)
	if before["SparkListenerStageCompleted"] == 0 || before["SparkListenerTaskEnd"] == 0 {
		t.Fatalf("run times %v: the fixture's were not found", before)
	}
	for event, sum := range before {
		if ratio := float64(after[event]) / float64(sum); ratio < 2.59 || ratio > 2.61 {
			t.Errorf("%s: run times grew %.4f times, want 2.6", event, ratio)
		}
	}
}

func runTimes(t *testing.T, lines [][]byte) map[string]int64 {
	t.Helper()
	sums := map[string]int64{}
	for _, line := range lines {
		var e struct {
			Event string
			Stage struct{ Accumulables []accumulable } `json:"Stage Info"`
			Task  struct {
				RunTime int64 `json:"Executor Run Time"`
			} `json:"Task Metrics"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Stage.Accumulables {
			if a.Name == "internal.metrics.executorRunTime" {
				value, err := a.Value.Int64()
				if err != nil {
					t.Fatal(err)
				}
				sums[e.Event] += value
			}
		}
		if e.Task.RunTime != 0 {
			sums[e.Event] += e.Task.RunTime
		}
	}
	return sums
}

type accumulable struct {
	Name  string
	Value json.Number
}

func logIn(t *testing.T, dir string) log {
	t.Helper()
	l, err := readLog(partsIn(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// story counts the events of one label's queries, and the distinct ids in them.
type story struct {
	Starts, Ends, Jobs, Tasks, Accumulators int
}

func storyOf(t *testing.T, l log, label string) story {
	t.Helper()
	executions, ends, jobs, tasks, accumulators := map[string]bool{}, 0, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for root, name := range l.labels {
		if name != label {
			continue
		}
		own := l.linesOf(root)
		for _, line := range own {
			var e event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if e.Event == "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd" {
				ends++
			}
		}
		keep := func(set map[string]bool, key string) {
			for _, id := range scalars(own, func(at place) bool { return at.key == key }) {
				set[id] = true
			}
		}
		keep(executions, "executionId")
		keep(jobs, "Job ID")
		keep(tasks, "Task ID")
		keep(accumulators, "accumulatorId")
	}
	return story{len(executions), ends, len(jobs), len(tasks), len(accumulators)}
}

func TestRepeat(t *testing.T) {
	dst := t.TempDir()
	if err := Logs(dst, fixture, Change{Repeat: map[string]int{"J11": 0, "J19": 3, "M51": 2, "Q01": 2, "T17": 0}}); err != nil {
		t.Fatal(err)
	}
	before, after := logIn(t, fixture), logIn(t, dst)
	t.Run("facts", func(t *testing.T) { repeatedFacts(t, factsOf(t, fixture), factsOf(t, dst)) })
	tests := []struct {
		label string
		times int
	}{
		{"J11", 0}, {"J19", 3}, {"M51", 2}, {"Q01", 2}, {"Q02", 1}, {"T17", 0},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			once := storyOf(t, before, test.label)
			if once.Starts == 0 || once.Jobs == 0 || once.Tasks == 0 || once.Accumulators == 0 {
				t.Fatalf("story %+v: the fixture's was not found", once)
			}
			n := test.times
			want := story{n * once.Starts, n * once.Ends, n * once.Jobs, n * once.Tasks, n * once.Accumulators}
			if d := cmp.Diff(want, storyOf(t, after, test.label)); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
		})
	}
}

// Every metric of a repeated plan still finds its values: the accumulators that tasks and
// the driver report are those that the plans name.
func TestRepeatedMetricsStayTied(t *testing.T) {
	tied := func(lines [][]byte) (ids map[string]bool) {
		named := map[string]bool{}
		for _, id := range scalars(lines, func(at place) bool { return at.key == "accumulatorId" }) {
			named[id] = true
		}
		ids = map[string]bool{}
		for _, id := range scalars(lines, func(at place) bool { return at.key == "ID" || at.key == "accumUpdates" && at.index == 0 }) {
			if named[id] {
				ids[id] = true
			}
		}
		return ids
	}
	all := map[string]int{}
	for _, line := range linesIn(t, fixture) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Description != "" {
			all[labelOf(e)] = 2
		}
	}
	before, after := tied(linesIn(t, fixture)), tied(copied(t, Change{Repeat: all}))
	if len(before) < 1000 || len(after) != 2*len(before) {
		t.Errorf("%d metrics have values, want twice %d", len(after), len(before))
	}
}

func labelOf(e event) string {
	l := log{labels: map[int64]string{}}
	l.learn(e)
	for _, name := range l.labels {
		return name
	}
	return "none"
}

func appIsRenamed(t *testing.T, dst string, after [][]byte) {
	names := map[string]bool{}
	err := filepath.WalkDir(dst, func(path string, _ os.DirEntry, err error) error {
		if path != dst {
			name, _ := filepath.Rel(dst, path)
			names[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"eventlog_v2_local-2": true, "eventlog_v2_local-2/appstatus_local-2": true, "eventlog_v2_local-2/events_1_local-2.zstd": true}
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	ids := map[string]bool{}
	for _, id := range scalars(after, func(at place) bool { return appKeys[at.key] }) {
		ids[id] = true
	}
	if d := cmp.Diff(map[string]bool{"local-2": true}, ids); d != "" {
		t.Errorf("applications (-want +got):\n%s", d)
	}
}

func TestLogsRefusesWhatIsNoLog(t *testing.T) {
	src := t.TempDir()
	if err := os.WriteFile(filepath.Join(src, "local-1.lz4"), []byte("LZ4Block…"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Logs(t.TempDir(), src, Change{}); err == nil {
		t.Error("a log of another codec was accepted")
	}
}

// A single uncompressed file, as older Spark writes, stays one. The checksums that a local
// Spark leaves beside its logs are no logs.
func TestSingleFile(t *testing.T) {
	src, dst := t.TempDir(), t.TempDir()
	text := `{"Event":"SparkListenerApplicationStart","App ID":"local-1","Timestamp":1000}` + "\n"
	if err := os.WriteFile(filepath.Join(src, "local-1"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".local-1.crc", ".crc"} {
		if err := os.WriteFile(filepath.Join(src, name), []byte("crc\x00"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Logs(dst, src, Change{By: time.Second}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dst, "local-1"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Event":"SparkListenerApplicationStart","App ID":"local-1","Timestamp":2000}` + "\n"
	if entries, err := os.ReadDir(dst); err != nil || len(entries) != 1 {
		t.Errorf("files %v, error %v: want the log alone", entries, err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("file (-want +got):\n%s", d)
	}
}

func TestPartsComeInOrder(t *testing.T) {
	src := t.TempDir()
	for _, name := range []string{"events_10_a", "events_2_a", "events_1_a", "appstatus_a", ".events_1_a.crc"} {
		if err := os.WriteFile(filepath.Join(src, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := partsOf(src)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"appstatus_a", "events_1_a", "events_2_a", "events_10_a"}
	for i := range parts {
		parts[i] = filepath.Base(parts[i])
	}
	if d := cmp.Diff(want, parts); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
}

func FuzzRewriteCopies(f *testing.F) {
	f.Add([]byte(`{"Event":"x","a":[1,-2.5e3,{"Name":"n\"","Value":"\\"}],"b":null}`))
	f.Add([]byte(`{"accumUpdates":[[1,2],[3,4]]} `))
	f.Add([]byte(`"`))
	f.Fuzz(func(t *testing.T, line []byte) {
		got := rewrite(line, func(_ place, value []byte) []byte { return value })
		if json.Valid(line) && string(got) != string(line) {
			t.Errorf("%q became %q", line, got)
		}
	})
}
