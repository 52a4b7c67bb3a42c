package fact

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
	"ajlo/job/table"
)

// stream is a log's events without a file.
func stream(events ...eventlog.Event) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// scanText is the smallest plan that scans a table; scanInfo is its tree, with metrics 1, 2
// and 3.
const scanText = `== Physical Plan ==
Scan parquet spark_catalog.d.t (1)


(1) Scan parquet spark_catalog.d.t
Output [1]: [k#1L]
Location: PreparedDeltaFileIndex [file:/lake/d.db/t]
ReadSchema: struct<k:bigint>
`

func scanInfo() *eventlog.PlanNode {
	return &eventlog.PlanNode{Name: "Scan parquet spark_catalog.d.t", Simple: "FileScan parquet spark_catalog.d.t[k#1L] Batched: true",
		Metrics: []eventlog.Metric{{Name: "number of files read", ID: 1}, {Name: "size of files read", ID: 2}, {Name: "number of output rows", ID: 3}}}
}

func start(id, root, ms int64) eventlog.ExecutionStart {
	return eventlog.ExecutionStart{Execution: id, Root: root, Description: "query", Time: at(ms), PlanText: scanText, Plan: scanInfo()}
}

func bare(id, root, ms int64) eventlog.ExecutionStart {
	s := start(id, root, ms)
	s.PlanText, s.Plan = "", nil
	return s
}

func end(id, ms int64) eventlog.ExecutionEnd {
	return eventlog.ExecutionEnd{Execution: id, Time: at(ms)}
}

func job(execution int64, stages ...int64) eventlog.JobStart {
	return eventlog.JobStart{Stages: stages, Execution: execution, SQL: true, Root: execution, Time: at(1500)}
}

func stage(id, runTime int64, values ...eventlog.Accumulator) eventlog.StageCompleted {
	return eventlog.StageCompleted{Stage: id, RunTimeMS: runTime, Values: values}
}

func driver(execution int64, values ...eventlog.Accumulator) eventlog.DriverUpdates {
	return eventlog.DriverUpdates{Execution: execution, Values: values}
}

// measures are what the cases below look at.
type measures struct {
	Execution, WallMS, TaskMS int64
	Measured                  bool
	Status                    Status
	Scans                     [][4]int64 // files, bytes, rows, 1 where measured
}

func measuresOf(q Query) measures {
	m := measures{Execution: q.Execution, WallMS: q.WallMS, TaskMS: q.TaskMS, Measured: q.TasksMeasured, Status: q.Status}
	for _, s := range q.Scans {
		measured := int64(0)
		if s.Measured {
			measured = 1
		}
		m.Scans = append(m.Scans, [4]int64{s.FilesRead, int64(s.BytesRead), s.Rows, measured})
	}
	return m
}

func TestExtract(t *testing.T) {
	planUpdate := eventlog.PlanUpdate{Execution: 1, PlanText: scanText, Plan: scanInfo()}
	tests := []struct {
		name   string
		events []eventlog.Event
		want   []measures
	}{
		{"a query", []eventlog.Event{start(1, 1, 1000), driver(1, eventlog.Accumulator{ID: 1, Value: 4}, eventlog.Accumulator{ID: 2, Value: 900}),
			job(1, 7), stage(7, 50, eventlog.Accumulator{ID: 3, Value: 33}), end(1, 3000)},
			[]measures{{1, 2000, 50, true, Succeeded, [][4]int64{{4, 900, 33, 1}}}}},
		{"children come before their root and are inside its time", []eventlog.Event{start(2, 1, 1000), job(2, 7), stage(7, 50),
			end(2, 1900), bare(1, 1, 2000), job(1, 8), stage(8, 20), end(1, 3000)},
			[]measures{{1, 1000, 70, true, Succeeded, [][4]int64{{0, 0, 0, 0}}}}},
		{"a stage that ran again: its time counts twice, its rows once", []eventlog.Event{start(1, 1, 1000), job(1, 7),
			driver(1, eventlog.Accumulator{ID: 1, Value: 4}, eventlog.Accumulator{ID: 2, Value: 900}),
			stage(7, 50, eventlog.Accumulator{ID: 3, Value: 20}), stage(7, 30, eventlog.Accumulator{ID: 3, Value: 33}), end(1, 3000)},
			[]measures{{1, 2000, 80, true, Succeeded, [][4]int64{{4, 900, 33, 1}}}}},
		{"no end", []eventlog.Event{start(1, 1, 1000), job(1, 7), stage(7, 5)},
			[]measures{{1, 0, 5, true, Unfinished, [][4]int64{{0, 0, 0, 0}}}}},
		{"failed", []eventlog.Event{start(1, 1, 1000), eventlog.ExecutionEnd{Execution: 1, Time: at(1100), Error: "boom"}},
			[]measures{{1, 100, 0, true, Failed, [][4]int64{{0, 0, 0, 0}}}}},
		{"the end before the start", []eventlog.Event{end(1, 3000), start(1, 1, 1000)},
			[]measures{{1, 2000, 0, true, Succeeded, [][4]int64{{0, 0, 0, 0}}}}},
		{"no start: the last plan and the jobs still tell", []eventlog.Event{job(1, 7), planUpdate, stage(7, 9), end(1, 2000)},
			[]measures{{1, 500, 9, true, Succeeded, [][4]int64{{0, 0, 0, 0}}}}},
		{"a child whose root never came", []eventlog.Event{start(2, 1, 1000), end(2, 1900)},
			[]measures{{1, 0, 0, true, Unfinished, [][4]int64{{0, 0, 0, 0}}}}},
		{"jobs but no stage: wall time on all cores", []eventlog.Event{eventlog.Environment{Cores: 4}, start(1, 1, 1000), job(1, 7), end(1, 1500)},
			[]measures{{1, 500, 2000, false, Succeeded, [][4]int64{{0, 0, 0, 0}}}}},
		{"values before the plan that names them", []eventlog.Event{
			driver(1, eventlog.Accumulator{ID: 1, Value: 4}, eventlog.Accumulator{ID: 2, Value: 900}), start(1, 1, 1000), end(1, 1500)},
			[]measures{{1, 500, 0, true, Succeeded, [][4]int64{{4, 900, 0, 1}}}}},
		{"another query's values are not this one's", []eventlog.Event{start(1, 1, 1000),
			driver(9, eventlog.Accumulator{ID: 1, Value: 4}, eventlog.Accumulator{ID: 2, Value: 900}), end(1, 1500)},
			[]measures{{1, 500, 0, true, Succeeded, [][4]int64{{0, 0, 0, 0}}}}},
		{"nothing of a table", []eventlog.Event{bare(1, 1, 1000), end(1, 1500)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			facts, err := Extract(stream(test.events...))
			if err != nil {
				t.Fatal(err)
			}
			var got []measures
			for _, q := range facts.Queries {
				got = append(got, measuresOf(q))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestExtractNamesTheApplication(t *testing.T) {
	facts, err := Extract(stream(eventlog.ApplicationStart{ID: "from-names"},
		eventlog.ApplicationStart{ID: "app", Attempt: "2"}, eventlog.Environment{Cores: 8}))
	if want := (Facts{App: "app_2", Cores: 8, Queries: []Query{}}); err != nil || cmp.Diff(want, facts) != "" {
		t.Errorf("%+v, %v", facts, err)
	}
}

// What came before an error is still given.
func TestExtractKeepsWhatCameBefore(t *testing.T) {
	broken := errors.New("broken")
	facts, err := Extract(func(yield func(eventlog.Event, error) bool) {
		if yield(start(1, 1, 1000), nil) && yield(end(1, 1500), nil) {
			yield(nil, broken)
		}
	})
	if !errors.Is(err, broken) || len(facts.Queries) != 1 {
		t.Errorf("%d queries, error %v", len(facts.Queries), err)
	}
}

// Where the text is in another explain mode the tree beside it is read, and what it lacks is
// counted.
func TestExtractOtherExplainModes(t *testing.T) {
	s := start(1, 1, 1000)
	s.PlanText = "== Physical Plan ==\n*(1) Scan parquet d.t[k#1L] Batched: true"
	s.Plan = &eventlog.PlanNode{Name: "SortMergeJoin", Simple: "SortMergeJoin", Children: []*eventlog.PlanNode{scanInfo(), scanInfo()}}
	facts, err := Extract(stream(s, end(1, 1500)))
	if err != nil || len(facts.Queries) != 1 || facts.Queries[0].Lost != (Lost{Joins: 1}) {
		t.Fatalf("%+v, %v", facts, err)
	}
	if scans := facts.Queries[0].Scans; len(scans) != 1 || scans[0].Table != "d.t" {
		t.Errorf("scans %+v, want d.t once", scans)
	}
}

// A log cut anywhere has the facts of the whole log for the queries that ended before the
// cut; at most a few were under way.
func TestCutLogs(t *testing.T) {
	fsys := os.DirFS("../../testdata/spark40-delta/eventlogs")
	found, err := eventlog.Find(fsys, ".")
	if err != nil || len(found) != 1 {
		t.Fatal(err)
	}
	stored, err := fs.ReadFile(fsys, found[0].Parts[0])
	if err != nil {
		t.Fatal(err)
	}
	whole := map[int64]string{}
	for _, q := range readFacts(t, "spark40-delta").Queries {
		whole[q.Execution] = asJSON(t, q)
	}
	const cuts = 12
	ended := 0
	for i := 1; i <= cuts; i++ {
		at := len(stored) * i / (cuts + 1)
		cut := fstest.MapFS{"part": {Data: stored[:at]}}
		var reading eventlog.Reading
		facts, err := Extract(eventlog.Events(context.Background(), cut, eventlog.Application{Parts: []string{"part"}}, &reading))
		if err != nil {
			t.Fatalf("cut at %d: %v", at, err)
		}
		before := ended
		ended = 0
		for _, q := range facts.Queries {
			if q.Status == Unfinished {
				continue
			}
			ended++
			if diff := cmp.Diff(whole[q.Execution], asJSON(t, q)); diff != "" {
				t.Fatalf("cut at %d: query %d (-whole +cut)\n%s", at, q.Execution, diff)
			}
		}
		if under := len(facts.Queries) - ended; under > 1 || ended < before {
			t.Errorf("cut at %d: %d ended after %d, %d under way", at, ended, before, under)
		}
	}
	if ended < len(whole)*3/4 {
		t.Errorf("the last cut leaves %d of %d queries", ended, len(whole))
	}
}

func asJSON(t *testing.T, q Query) string {
	t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUnify(t *testing.T) {
	byName := Query{Scans: []Scan{{Table: "d.t", Location: "/lake/t"}, {Table: "a.same", Location: "/lake/two"}, {Table: "b.same", Location: "/lake/two"}}}
	byPath := Query{
		Scans: []Scan{{Table: "/lake/t", Location: "/lake/t"}, {Table: "/lake/two", Location: "/lake/two"}, {Table: "/lake/other", Location: "/lake/other"}},
		Joins: []Join{{Left: []table.Ref{{Table: "/lake/t", Column: "k"}}, Right: []table.Ref{{Table: "/lake/other", Column: "k"}}}},
	}
	queries := []Query{byPath, byName}
	Unify(queries)
	var got []table.Name
	for _, s := range queries[0].Scans {
		got = append(got, s.Table)
	}
	if diff := cmp.Diff([]table.Name{"d.t", "a.same", "/lake/other"}, got); diff != "" {
		t.Errorf("scans (-want +got)\n%s", diff)
	}
	want := Join{Left: []table.Ref{{Table: "d.t", Column: "k"}}, Right: []table.Ref{{Table: "/lake/other", Column: "k"}}}
	if diff := cmp.Diff(want, queries[0].Joins[0]); diff != "" {
		t.Errorf("joins (-want +got)\n%s", diff)
	}
	if queries[1].Scans[2].Table != "b.same" {
		t.Errorf("a name was changed to %s", queries[1].Scans[2].Table)
	}
}
