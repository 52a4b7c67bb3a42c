package fact

import (
	"context"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
)

// A test for each way in which plans have broken other readers of event logs.

// changed gives a fixture's events after change has had them.
func changed(t *testing.T, fixture string, change func(eventlog.Event) eventlog.Event) iter.Seq2[eventlog.Event, error] {
	t.Helper()
	fsys := os.DirFS("../../testdata/" + fixture + "/eventlogs")
	found, err := eventlog.Find(fsys, ".")
	if err != nil || len(found) != 1 {
		t.Fatalf("find: %v, %d applications", err, len(found))
	}
	var reading eventlog.Reading
	return func(yield func(eventlog.Event, error) bool) {
		for e, err := range eventlog.Events(context.Background(), fsys, found[0], &reading) {
			if !yield(change(e), err) {
				return
			}
		}
	}
}

// withPlans changes the plans of an event.
func withPlans(change func(text string, info *eventlog.PlanNode) string) func(eventlog.Event) eventlog.Event {
	return func(event eventlog.Event) eventlog.Event {
		switch e := event.(type) {
		case eventlog.ExecutionStart:
			e.PlanText = change(e.PlanText, e.Plan)
			return e
		case eventlog.PlanUpdate:
			e.PlanText = change(e.PlanText, e.Plan)
			return e
		}
		return event
	}
}

// joinsLost compares each labelled query's joins and scans with those of the whole log, and
// gives the labels of which joins were lost.
func joinsLost(t *testing.T, fixture string, got Facts) map[string]int {
	t.Helper()
	whole := readFacts(t, fixture)
	Unify(whole.Queries)
	Unify(got.Queries)
	found, lost := byLabel(got.Queries), map[string]int{}
	for name, want := range byLabel(whole.Queries) {
		q := found[name]
		if diff := cmp.Diff(spellScans(want, ""), spellScans(q, "")); diff != "" || q.Lost.Predicates > 0 {
			t.Errorf("%s: scans, %d predicates lost (-want +got)\n%s", name, q.Lost.Predicates, diff)
		}
		if q.Lost.Joins > 0 {
			lost[name] = q.Lost.Joins
			continue
		}
		if diff := cmp.Diff(spellJoins(want.Joins), spellJoins(q.Joins)); diff != "" {
			t.Errorf("%s: joins (-want +got)\n%s", name, diff)
		}
	}
	return lost
}

// Plan text can be absent, empty, or cut: the tree beside it tells the same, save what
// aggregates make.
func TestPlanTextAbsentOrCut(t *testing.T) {
	tests := []struct {
		name, fixture string
		cut           func(text string, info *eventlog.PlanNode) string
	}{
		{"absent", "spark40-delta", func(string, *eventlog.PlanNode) string { return "" }},
		{"cut in a block", "spark40-delta", func(text string, _ *eventlog.PlanNode) string { return text[:len(text)*4/5] }},
		{"cut in a tree", "spark40-iceberg", func(text string, _ *eventlog.PlanNode) string { return text[:min(len(text), 60)] }},
		{"codegen without code", "spark40-iceberg", func(string, *eventlog.PlanNode) string { return "Found 0 WholeStageCodegen subtrees.\n" }},
	}
	for _, test := range tests {
		t.Run(test.name+"/"+test.fixture, func(t *testing.T) {
			facts, err := Extract(changed(t, test.fixture, withPlans(test.cut)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(aggregated, joinsLost(t, test.fixture, facts)); diff != "" {
				t.Errorf("labels with lost joins (-want +got)\n%s", diff)
			}
		})
	}
}

// Before 2.4 the tree's nodes have no metadata: what their one line cuts at 100 characters
// is taken from the condition above, and a place that was cut names no table.
func TestNoMetadata(t *testing.T) {
	strip := func(_ string, info *eventlog.PlanNode) string {
		stack := []*eventlog.PlanNode{info}
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if n != nil {
				n.Metadata = nil
				stack = append(stack, n.Children...)
			}
		}
		return ""
	}
	facts, err := Extract(changed(t, "spark40-delta", withPlans(strip)))
	if err != nil {
		t.Fatal(err)
	}
	expected := readExpected(t)
	for _, q := range facts.Queries {
		if name := label(q); strings.HasPrefix(name, "Q") && len(q.Joins) != len(expected[name]) {
			t.Errorf("%s: %d joins, want %d", name, len(q.Joins), len(expected[name]))
		}
		for _, s := range q.Scans {
			if strings.HasSuffix(string(s.Location), "...") {
				t.Errorf("%s: half a place: %s", label(q), s.Location)
			}
		}
	}
}

// An application of a version without roots: every execution is one of its own, never a
// child of execution 0.
func TestRootsAbsent(t *testing.T) {
	facts, err := Extract(changed(t, "spark40-delta", func(event eventlog.Event) eventlog.Event {
		switch e := event.(type) {
		case eventlog.ExecutionStart:
			e.Root = e.Execution
			return e
		case eventlog.JobStart:
			e.Root = e.Execution
			return e
		}
		return event
	}))
	if err != nil {
		t.Fatal(err)
	}
	expected, found := readExpected(t), byLabel(facts.Queries)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if strings.HasPrefix(name, "M") || name == "D34" {
			continue // the joins of commands run in children; places have names only in Unify
		}
		want := []string{}
		for _, e := range expected[name] {
			want = append(want, e.spell("tpch."))
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, spellJoins(found[name].Joins)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// op is an operator of a tree: its name is the line's first word, or what stands before the
// list for scans.
func op(simple string, children ...*eventlog.PlanNode) *eventlog.PlanNode {
	name, _, _ := strings.Cut(simple, " ")
	if scan, _, ok := strings.Cut(simple, "["); ok && strings.Contains(name, "Scan") {
		name = strings.TrimPrefix(scan, "File")
	} else if call, _, ok := strings.Cut(name, "("); ok {
		name = call
	}
	return &eventlog.PlanNode{Name: name, Simple: simple, Children: children}
}

func scanOf(name, columns string) *eventlog.PlanNode {
	return op("FileScan parquet " + name + "[" + columns + "] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/lake/" + name + "]")
}

func digestOf(info *eventlog.PlanNode) digest { return digestPlans(plan{}, plan{info: info}, zones{}) }

// spelt is a digest's joins and what it lost, in one text.
func spelt(d digest) string {
	var lines []string
	for line := range strings.Lines(spellDigest(d)) {
		if !strings.HasPrefix(line, "scan ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "; ")
}

func TestTrapsOfTrees(t *testing.T) {
	x, y := scanOf("d.x", "a#1L,b#2"), scanOf("d.y", "c#3L,d#4")
	lists := "FileScan parquet d.w[a#1L,b#2,... 3 more fields] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/lake/w], " +
		"ReadSchema: struct<a:bigint,b:string,key:bigint,p:int,q:int>"
	tests := []struct {
		name string
		info *eventlog.PlanNode
		want string
	}{
		{"a join's name carries an argument", &eventlog.PlanNode{Name: "SortMergeJoin(skew=true)", Simple: "SortMergeJoin(skew=true) [a#1L], [c#3L], Inner",
			Children: []*eventlog.PlanNode{x, y}}, "join inner SortMergeJoin d.x.a=d.y.c"},
		{"a build side and a condition", op("BroadcastHashJoin [a#1L], [c#3L], LeftOuter, BuildRight, (b#2 < d#4), false", x, y),
			"join left_outer BroadcastHashJoin d.x.a=d.y.c"},
		{"no keys", op("BroadcastNestedLoopJoin BuildRight, Inner, (a#1L < c#3L)", x, y), "join inner BroadcastNestedLoopJoin"},
		{"no Join in the name", op("CartesianProduct (a#1L < c#3L)", x, y), "join inner CartesianProduct"},
		{"keys hold calls, brackets, quotes and commas", op(`SortMergeJoin [substring(b#2, 1, 2), a#1L], [concat(d#4, [$"'`+"`"+`]), c#3L], Inner`, x, y),
			"join inner SortMergeJoin d.x.b=d.y.d d.x.a=d.y.c over [\"substring(b, 1, 2)\" \"concat(d, [$\\\"'`])\"]"},
		{"keys cut off", op("SortMergeJoin [a#1L, ... 2 more fields], [c#3L, ... 2 more fields], Inner", x, y), "join inner SortMergeJoin; lost {Predicates:0 Joins:1 Writes:0}"},
		{"columns cut off are found by name", op("SortMergeJoin [key#7L], [c#3L], Inner", op(lists), y), "join inner SortMergeJoin d.w.key=d.y.c"},
		{"columns cut off by name in two tables", op("SortMergeJoin [key#7L], [c#3L], Inner", op("BroadcastNestedLoopJoin BuildLeft, Cross", op(lists), op(strings.ReplaceAll(lists, "d.w", "d.v"))), y),
			"join inner SortMergeJoin; join cross BroadcastNestedLoopJoin; lost {Predicates:0 Joins:1 Writes:0}"},
		{"one id is two attributes", op("SortMergeJoin [a#1L], [a#1L], Inner", x, op("Project [c#3L AS a#1L]", y)), "join inner SortMergeJoin d.x.a=d.y.c"},
		{"one attribute through several ids", op("SortMergeJoin [k#9L], [c#3L], Inner",
			op("Project [j#8L AS k#9L]", op("Filter (j#8L > 1)", op("Project [a#1L AS j#8L]", x))), y), "join inner SortMergeJoin d.x.a=d.y.c"},
		{"a union of two tables", op("SortMergeJoin [a#1L], [c#3L], Inner", op("Union", op("Project [a#1L]", x), op("Project [f#5L]", scanOf("d.z", "f#5L"))), y),
			"join inner SortMergeJoin d.x.a=d.y.c d.z.f=d.y.c"},
		{"a reused exchange under new ids", op("SortMergeJoin [a#1L], [g#6L], Inner", op("Exchange hashpartitioning(a#1L, 8)", x),
			op("ReusedExchange [g#6L, h#7], Exchange hashpartitioning(a#1L, 8)", op("Exchange hashpartitioning(a#1L, 8)", x))), "join inner SortMergeJoin d.x.a=d.x.a"},
		{"a grouping key keeps its id", op("SortMergeJoin [a#1L], [c#3L], Inner", op("HashAggregate(keys=[a#1L], functions=[sum(b#2)])", x), y),
			"join inner SortMergeJoin d.x.a=d.y.c"},
		{"what an aggregate renames cannot be told", op("SortMergeJoin [k#9L], [c#3L], Inner", op("HashAggregate(keys=[a#1L], functions=[sum(b#2)])", x), y),
			"join inner SortMergeJoin; lost {Predicates:0 Joins:1 Writes:0}"},
		{"a subquery is a plan of its own", op("Filter (a#1L > Subquery scalar-subquery#5, [id=#1])", x,
			op("Subquery scalar-subquery#5, [id=#1]", op("SortMergeJoin [a#1L], [c#3L], LeftSemi", x, y))), "join left_semi SortMergeJoin d.x.a=d.y.c"},
		{"a logical join below an empty relation did not run", op("EmptyRelation [plan_id=3]", op("Join Inner, (a#1L = c#3L)", x, y)), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, spelt(digestOf(test.info))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Scans of every kind; those that read no user table are none.
func TestTrapsOfScans(t *testing.T) {
	tests := []struct{ name, simple, want string }{
		{"Spark up to 2.4", "FileScan parquet d.t[k#1L] Batched: true, Format: Parquet, Location: InMemoryFileIndex[file:/lake/t], PartitionFilters: [], PushedFilters: [*IsNotNull(k), *GreaterThan(k,5)], ReadSchema: struct<k:bigint>",
			"scan parquet d.t and(not_null(k) gt(k \"5\"))\n"},
		{"by path", "FileScan parquet [k#1L] Batched: true, Location: PreparedDeltaFileIndex(1 paths)[s3://b/t], PushedFilters: []", "scan delta s3://b/t -\n"},
		{"by a path that was cut", "FileScan parquet [k#1L] Batched: true, Location: PreparedDeltaFileIndex(1 paths)[s3://b/t...", "lost {Predicates:1 Joins:0 Writes:0}\n"},
		{"Iceberg", "BatchScan lake.d.t[k#1L] lake.d.t (branch=null) [filters=k > 5, groupedBy=] RuntimeFilters: []", "scan iceberg lake.d.t gt(k \"5\")\n"},
		{"Iceberg, no name of its own", "BatchScan[k#1L] lake.d.t [filters=k > 5] RuntimeFilters: []", "scan iceberg lake.d.t gt(k \"5\")\n"},
		{"Iceberg's metadata", "BatchScan lake.d.t.files[k#1L] lake.d.t.files (branch=null) [filters=, groupedBy=] RuntimeFilters: []", ""},
		{"V2 files", "BatchScan parquet file:/lake/t[k#1L] ParquetScan DataFilters: [], Format: parquet, Location: InMemoryFileIndex(1 paths)[file:/lake/t], PartitionFilters: [], PushedFilters: [IsNotNull(k)], ReadSchema: struct<k:bigint> RuntimeFilters: []",
			"scan parquet file:/lake/t not_null(k)\n"},
		{"Hive", "Scan hive d.t [k#1L], HiveTableRelation [`d`.`t`, org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe, Data Cols: [k#1L], Partition Cols: []]", "scan hive d.t -\n"},
		{"JDBC", "Scan JDBCRelation(t) [numPartitions=1] [k#1L] PushedFilters: [*IsNotNull(k)], ReadSchema: struct<k:bigint>", ""},
		{"Delta's log", "FileScan json [k#1L] Batched: false, Location: DeltaLogFileIndex(1 paths)[file:/lake/t/_delta_log]", ""},
		{"rows in memory", "LocalTableScan [k#1L]", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, spellDigest(digestOf(op(test.simple)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A cached table's plan is shown under every reader and ran once.
func TestTrapOfCachedTables(t *testing.T) {
	cached := func(columns string) *eventlog.PlanNode {
		return op("InMemoryTableScan ["+columns+"]", op("SortMergeJoin [a#1L], [c#3L], Inner", scanOf("d.x", "a#1L,b#2"), scanOf("d.y", "c#3L,d#4")))
	}
	d := digestOf(op("SortMergeJoin [a#11L], [a#21L], Inner", cached("a#11L, b#12"), cached("a#21L")))
	want := "join inner SortMergeJoin d.x.a=d.x.a; join inner SortMergeJoin d.x.a=d.y.c"
	if got := spelt(d); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The plan of the start may never have run: the last one did, and what only the first shows
// was removed.
func TestTrapOfFirstPlans(t *testing.T) {
	x, y := scanOf("d.x", "a#1L"), scanOf("d.y", "c#3L")
	first := plan{info: op("SortMergeJoin [a#1L], [c#3L], Inner", x, y)}
	last := plan{info: op("BroadcastHashJoin [a#1L], [c#3L], Inner, BuildLeft, false", x, y)}
	if got, want := spelt(digestPlans(first, last, zones{})), "join inner BroadcastHashJoin d.x.a=d.y.c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := spelt(digestPlans(first, plan{info: op("LocalTableScan <empty>, [a#1L]")}, zones{})), "join inner  d.x.a=d.y.c"; got != want {
		t.Errorf("removed: %s, want %s", got, want)
	}
}

// A tree thousands of nodes deep is read without a stack of its own.
func TestTrapOfDeepTrees(t *testing.T) {
	const depth = 5_000
	deep := scanOf("d.x", "a#1L")
	for range depth {
		deep = op("Filter (a#1L > 1)", deep)
	}
	if got, want := spelt(digestOf(op("SortMergeJoin [a#1L], [c#3L], Inner", deep, scanOf("d.y", "c#3L")))), "join inner SortMergeJoin d.x.a=d.y.c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
