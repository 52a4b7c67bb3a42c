package fact

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
)

// treeOf draws a plan's tree: each line an operator, two blanks a level, "Name | line".
func treeOf(t *testing.T, text string) *eventlog.PlanNode {
	t.Helper()
	var path []*eventlog.PlanNode
	for line := range strings.Lines(strings.TrimSpace(text)) {
		level := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		name, simple, _ := strings.Cut(strings.TrimSpace(line), " | ")
		if simple == "" {
			simple = name
		}
		n := &eventlog.PlanNode{Name: name, Simple: simple}
		if level > len(path) {
			t.Fatalf("%s is too deep", line)
		}
		if level > 0 {
			path[level-1].Children = append(path[level-1].Children, n)
		}
		path = append(path[:level], n)
	}
	return path[0]
}

// A reused exchange stands for an aggregate without functions, which puts out its keys: the
// keys keep their tables where only the tree says so.
const distinctReused = `
SortMergeJoin | SortMergeJoin [k#1L], [k#2L], Inner
  Sort | Sort [k#1L ASC NULLS FIRST], false, 0
    HashAggregate | HashAggregate(keys=[k#1L], functions=[])
      ShuffleQueryStage | ShuffleQueryStage 0
        Exchange | Exchange hashpartitioning(k#1L, 2), ENSURE_REQUIREMENTS, [plan_id=9]
          HashAggregate | HashAggregate(keys=[k#1L], functions=[])
            Scan parquet spark_catalog.d.a | FileScan parquet spark_catalog.d.a[k#1L] Batched: true, PushedFilters: [], ReadSchema: struct<k:bigint>
  Sort | Sort [k#2L ASC NULLS FIRST], false, 0
    HashAggregate | HashAggregate(keys=[k#2L], functions=[])
      ShuffleQueryStage | ShuffleQueryStage 2
        ReusedExchange | ReusedExchange [k#2L], Exchange hashpartitioning(k#1L, 2), ENSURE_REQUIREMENTS, [plan_id=9]
          Exchange | Exchange hashpartitioning(k#1L, 2), ENSURE_REQUIREMENTS, [plan_id=9]
            HashAggregate | HashAggregate(keys=[k#1L], functions=[])
              Scan parquet spark_catalog.d.a | FileScan parquet spark_catalog.d.a[k#1L] Batched: true, PushedFilters: [], ReadSchema: struct<k:bigint>
`

func TestDistinctBelowAReusedExchange(t *testing.T) {
	p := plan{info: treeOf(t, distinctReused)}
	want := []string{"inner SortMergeJoin d.a.k=d.a.k"}
	if d := digestPlans(p, p, zones{}); gocmp.Diff(want, spellFound(d.joins)) != "" || d.lost != (Lost{}) {
		t.Errorf("joins %v, lost %+v; want %v", spellFound(d.joins), d.lost, want)
	}
}

func spellFound(found []foundJoin) []string {
	var joins []Join
	for _, j := range found {
		joins = append(joins, j.Join)
	}
	return spellJoins(joins)
}

// A join that was read in one of the two plans only is one join.
func TestJoinReadInOnePlanOnly(t *testing.T) {
	whole := plan{info: treeOf(t, distinctReused)}
	unread := plan{info: treeOf(t, strings.ReplaceAll(distinctReused, "[k#1L], [k#2L], Inner", "[k#1L, ... 1 more fields], [k#2L, ... 1 more fields], Inner"))}
	for name, plans := range map[string][2]plan{"first": {whole, unread}, "last": {unread, whole}} {
		if d := digestPlans(plans[0], plans[1], zones{}); len(d.joins) != 1 || d.joins[0].Strategy != SortMergeJoin {
			t.Errorf("read in the %s plan: %d joins, want 1 that ran: %+v", name, len(d.joins), d.joins)
		}
	}
}

// Values cut inside a condition were pushed whole, or are lost; they never become a value.
func TestCutValues(t *testing.T) {
	for _, test := range []struct{ name, pushed, want string }{
		{"pushed whole", "In(s, [a,b])", `in(s "a" "b") {0 0 0}`},
		{"not pushed", "", `unknown(s) {1 0 0}`},
	} {
		p := plan{info: treeOf(t, fmt.Sprintf(`
Filter | Filter (isnotnull(s#1) AND s#1 INSET a, b, ... 109 more fields)
  Scan parquet spark_catalog.d.a | FileScan parquet spark_catalog.d.a[s#1] Batched: true, PushedFilters: [%s], ReadSchema: struct<s:string>`, test.pushed))}
		d := digestPlans(p, p, zones{})
		got := spellPredicate(d.scans[0].Predicate) + " " + fmt.Sprint(d.lost)
		if !strings.Contains(got, strings.Fields(test.want)[0]) || !strings.HasSuffix(got, test.want[strings.Index(test.want, "{"):]) || strings.Contains(got, "more fields") {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Iceberg says its filters whole beside a condition that was cut, its values in another order.
func TestCutValuesBesideFiltersOfIceberg(t *testing.T) {
	for _, test := range []struct{ name, filters, want string }{
		{"said whole", "k IN (3, 1, 2)", `in(k "1" "2" "3") {0 0 0}`},
		{"not said", "k IS NOT NULL", `and(not_null(k) unknown(k)) {1 0 0}`},
		{"of another column", "k IS NOT NULL, s IN ('a')", `and(not_null(k) unknown(k) in(s "a")) {1 0 0}`},
	} {
		condition := "k#1L INSET 3, ... 2 more fields"
		if test.name != "said whole" {
			condition = "(isnotnull(k#1L) AND " + condition + ")"
		}
		p := plan{info: treeOf(t, fmt.Sprintf(`
Filter | Filter %s
  BatchScan lake.d.a | BatchScan lake.d.a[k#1L, s#2] lake.d.a (branch=null) [filters=%s, groupedBy=] RuntimeFilters: []`, condition, test.filters))}
		d := digestPlans(p, p, zones{})
		if got := spellPredicate(d.scans[0].Predicate) + " " + fmt.Sprint(d.lost); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Iceberg's scans have no schema: a column that the cut list does not show is named by the
// condition right above.
func TestIcebergConditionsOnHiddenColumns(t *testing.T) {
	p := plan{info: treeOf(t, `
Filter | Filter (isnotnull(c#3L) AND (c#3L > 5))
  ColumnarToRow
    BatchScan lake.d.a | BatchScan lake.d.a[a#1L, ... 2 more fields] lake.d.a (branch=null) [filters=c IS NOT NULL, c > 5, groupedBy=] RuntimeFilters: []`)}
	d := digestPlans(p, p, zones{})
	want := `and(not_null(c) gt(c "5"))`
	if got := spellPredicate(d.scans[0].Predicate); got != want || d.lost.Predicates != 0 {
		t.Errorf("%s, lost %+v; want %s", got, d.lost, want)
	}
}

// Columns that a cut list does not show are named by the schema and by the conditions.
func TestConditionsOnHiddenColumns(t *testing.T) {
	p := plan{info: treeOf(t, `
Filter | Filter ((isnotnull(c#3L) AND (c#3L > 5)) AND (b#2 = x))
  Scan parquet spark_catalog.d.a | FileScan parquet spark_catalog.d.a[a#1L,... 2 more fields] Batched: true, PushedFilters: [IsNotNull(c), GreaterThan(c,5), EqualTo(b,x)], ReadSchema: struct<a:bigint,b:string,c:bigint>`)}
	d := digestPlans(p, p, zones{})
	want := `and(not_null(c) gt(c "5") eq(b "x"))`
	if got := spellPredicate(d.scans[0].Predicate); got != want || d.lost.Predicates != 0 {
		t.Errorf("%s, lost %+v; want %s", got, d.lost, want)
	}
}

// A cached table with a name of its own is read as any cached relation.
func TestNamedCacheByTheTreeAlone(t *testing.T) {
	p := plan{info: treeOf(t, `
SortMergeJoin | SortMergeJoin [k#1L], [c#2L], Inner
  Scan In-memory table held | Scan In-memory table held [k#1L], [isnotnull(k#1L)]
    Project | Project [o#5L AS k#4L]
      Scan parquet spark_catalog.d.a | FileScan parquet spark_catalog.d.a[o#5L] Batched: true, PushedFilters: [], ReadSchema: struct<o:bigint>
  Scan parquet spark_catalog.d.b | FileScan parquet spark_catalog.d.b[c#2L] Batched: true, PushedFilters: [], ReadSchema: struct<c:bigint>`)}
	want := []string{"inner SortMergeJoin d.a.o=d.b.c"}
	if d := digestPlans(p, p, zones{}); gocmp.Diff(want, spellFound(d.joins)) != "" || len(d.scans) != 2 || d.scans[0].cache == 0 {
		t.Errorf("joins %v, scans %+v; want %v over two scans, the first below a cache", spellFound(d.joins), d.scans, want)
	}
}

// The text draws nothing below a relation that came out empty; the tree says what ran.
func TestWhatRanBelowAnEmptyRelation(t *testing.T) {
	ran := plan{text: "== Physical Plan ==\nEmptyRelation (1)\n+- GlobalLimit (unknown)\n\n\n(1) EmptyRelation\nOutput [1]: [k#1L]\n",
		info: treeOf(t, "EmptyRelation\n"+"  LogicalQueryStage\n    "+strings.ReplaceAll(strings.TrimSpace(distinctReused), "\n", "\n    "))}
	want := []string{"inner SortMergeJoin d.a.k=d.a.k"}
	if d := digestPlans(plan{info: treeOf(t, distinctReused)}, ran, zones{}); gocmp.Diff(want, spellFound(d.joins)) != "" {
		t.Errorf("joins %v, want %v", spellFound(d.joins), want)
	}
}

// A MERGE whose source was put down joins on it, also where nothing says what the source is
// made of: such a join is lost, not none.
func TestJoinOnAnUnexplainedPutDownSource(t *testing.T) {
	source := treeOf(t, `
HashAggregate | HashAggregate(keys=[l#1L], functions=[count(1)])
  Exchange | Exchange hashpartitioning(l#1L, 2)
    HashAggregate | HashAggregate(keys=[l#1L], functions=[partial_count(1)])
      Scan parquet spark_catalog.d.lines | FileScan parquet spark_catalog.d.lines[l#1L] Batched: true, PushedFilters: [], ReadSchema: struct<l:bigint>`)
	matches := treeOf(t, `
SortMergeJoin | SortMergeJoin [k#7L], [o#8L], Inner
  Scan ExistingRDD mergeMaterializedSource | Scan ExistingRDD mergeMaterializedSource[k#7L,n#9L]
  Scan parquet spark_catalog.d.orders | FileScan parquet spark_catalog.d.orders[o#8L] Batched: true, PushedFilters: [], ReadSchema: struct<o:bigint>`)
	x := newExtractor()
	x.take(eventlog.ExecutionStart{Execution: 1, Root: 1, Plan: &eventlog.PlanNode{Name: "Execute MergeIntoCommand", Simple: "Execute MergeIntoCommand"}})
	for i, p := range []*eventlog.PlanNode{source, matches} {
		x.take(eventlog.ExecutionStart{Execution: int64(i + 2), Root: 1, Plan: p})
		x.take(eventlog.ExecutionEnd{Execution: int64(i + 2)})
	}
	x.take(eventlog.ExecutionEnd{Execution: 1})
	f := x.facts()
	if want := (Lost{Joins: 1, Writes: 1}); len(f.Queries) != 1 || f.Queries[0].Lost != want || len(f.Queries[0].Joins) != 1 {
		t.Errorf("%+v, want one query with a join, and %+v lost", f.Queries, want)
	}
}

// The mode codegen prints what an aggregate puts out, and not what that is made of: a join on
// it is lost.
func TestOutputThatNothingExplains(t *testing.T) {
	p := plan{
		text: "Found 1 WholeStageCodegen subtrees.\n== Subtree 1 / 1 (maxMethodCodeSize:1; maxConstantPoolSize:1(0.00% used); numInnerClasses:0) ==\n" +
			"*(1) HashAggregate(keys=[a#1L], functions=[sum(b#2L)], output=[k#3L, s#4L])\n\nGenerated code:\n",
		info: treeOf(t, `
SortMergeJoin | SortMergeJoin [k#3L], [c#5L], Inner
  HashAggregate | HashAggregate(keys=[a#1L], functions=[sum(b#2L)])
    Scan parquet spark_catalog.d.a | FileScan parquet spark_catalog.d.a[a#1L,b#2L] Batched: true, PushedFilters: [], ReadSchema: struct<a:bigint,b:bigint>
  Scan parquet spark_catalog.d.b | FileScan parquet spark_catalog.d.b[c#5L] Batched: true, PushedFilters: [], ReadSchema: struct<c:bigint>`)}
	if d := digestPlans(p, p, zones{}); len(d.joins) != 1 || d.lost != (Lost{Joins: 1}) {
		t.Errorf("joins %+v, lost %+v; want one, lost", d.joins, d.lost)
	}
}

// Spark 3.3 prints no join type in the formatted text but in the operator's name.
func TestJoinTypeInTheName(t *testing.T) {
	for name, want := range map[string]JoinType{"SortMergeJoin LeftSemi": LeftSemi, "BroadcastHashJoin Inner BuildRight": Inner,
		"BroadcastHashJoin ExistenceJoin(exists#1)": Existence, "CartesianProduct": Cross} {
		if got := joinTypeOf(&node{name: name, block: newBlock(name)}); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
