package fact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
	"ajlo/job/table"
)

func TestTargetOf(t *testing.T) {
	tests := []struct {
		name, arguments string
		table           table.Name
		location        table.Location
	}{
		{"Delta's MERGE", "SubqueryAlias u, SubqueryAlias t, `spark_catalog`.`d`.`t`, Delta[version=1, file:/lake/d.db/t], (a#1L = b#2L), []", "d.t", "/lake/d.db/t"},
		{"Delta's DELETE", "org.apache.spark.sql.delta.DeltaLog@47cc3770, `spark_catalog`.`d`.`t`, (a#1L = 5)", "d.t", ""},
		{"by path", "Delta[version=2, s3://lake/t], [touched], (a#1L = 5)", "s3://lake/t", "s3://lake/t"},
		{"Delta's CTAS", "org.apache.spark.sql.delta.catalog.DeltaCatalog@33577d94, d.t, Aggregate [a#1L], [a#1L], TableSpec(Map()), true", "d.t", ""},
		{"Iceberg", "org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy$$Lambda$1@6, IcebergWrite(table=lake.d.t, format=PARQUET)", "lake.d.t", ""},
		{"nobody", "Sort [a#1 ASC NULLS FIRST], false", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if name, location := targetOf(test.arguments); name != test.table || location != test.location {
				t.Errorf("%q at %q, want %q at %q", name, location, test.table, test.location)
			}
		})
	}
}

func TestEqualities(t *testing.T) {
	a := attribute{name: "a", id: 1, long: true}
	b := attribute{name: "b", id: 2, long: true}
	d := attribute{name: "d", id: 4}
	e := attribute{name: "e", id: 5}
	tests := []struct {
		name, arguments string
		want            [][2]attribute
	}{
		{"one", "x, (a#1L = b#2L), [Update]", [][2]attribute{{a, b}}},
		{"two and a literal", "(((a#1L = b#2L) AND (d#4 = e#5)) AND (d#4 > 1992-01-01)), []", [][2]attribute{{a, b}, {d, e}}},
		{"an OR joins nothing", "((a#1L = b#2L) OR (d#4 = e#5))", nil},
		{"expressions", "((a#1L + 1) = b#2L)", nil},
		{"none", "true, []", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, equalities(test.arguments), cmp.AllowUnexported(attribute{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What real statements of Spark 4.0.2 on Delta 4.0.1 write, in the mode extended; the
// sources of M57 and M58 were put down by Delta before they were joined.
func TestWrites(t *testing.T) {
	const orders = "tpch.orders"
	found := byLabel(readLog(t, "spark402-extended").Queries)
	tests := []struct {
		label     string
		table     table.Name
		operation Operation
		keys      []table.Column
		counted   bool
		joins     []string
	}{
		{"M51", orders, Merge, []table.Column{"o_orderkey"}, true, []string{"inner SortMergeJoin tpch.orders.o_orderkey=tpch.orders.o_orderkey"}},
		{"M52", "tpch.lineitem", Delete, nil, true, []string{}},
		{"M53", "tpch.cust_totals", CTAS, nil, false, []string{"inner SortMergeJoin tpch.customer.c_custkey=tpch.orders.o_custkey"}},
		{"M54", orders, Update, nil, true, []string{}},
		{"M55", orders, Append, nil, false, []string{}},
		{"M56", "tpch.nation", Overwrite, nil, false, []string{}},
		{"M57", orders, Merge, []table.Column{"o_orderkey"}, true, []string{"inner SortMergeJoin tpch.lineitem.l_orderkey=tpch.orders.o_orderkey"}},
		{"M58", orders, Merge, []table.Column{"o_orderkey"}, true, []string{"inner SortMergeJoin tpch.orders.o_orderkey=tpch.orders.o_orderkey"}},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			q := found[test.label]
			if len(q.Writes) != 1 {
				t.Fatalf("%d writes, want 1", len(q.Writes))
			}
			w := q.Writes[0]
			if w.Table != test.table || w.Operation != test.operation || (w.FilesAdded != nil) != test.counted || (w.FilesRemoved != nil) != test.counted {
				t.Errorf("%+v, want %s of %s, files counted: %v", w, test.operation, test.table, test.counted)
			}
			if diff := cmp.Diff(test.keys, w.Keys); diff != "" {
				t.Errorf("keys (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.joins, spellJoins(q.Joins)); diff != "" {
				t.Errorf("joins (-want +got)\n%s", diff)
			}
		})
	}
}

// The mode codegen prints no command's arguments, so nothing there names the table.
func TestWriteThatNothingNamesIsLost(t *testing.T) {
	merge := &eventlog.PlanNode{Name: "Execute MergeIntoCommand", Simple: "Execute MergeIntoCommand"}
	for text, want := range map[string]Lost{
		"Found 0 WholeStageCodegen subtrees.\n": {Writes: 1},
		"== Physical Plan ==\nExecute MergeIntoCommand\n   +- MergeIntoCommand `spark_catalog`.`d`.`t`, (a#1 = b#2)\n": {},
	} {
		x := newExtractor()
		x.take(eventlog.ExecutionStart{Execution: 1, Root: 1, Plan: merge, PlanText: text})
		x.take(eventlog.ExecutionEnd{Execution: 1, Told: true})
		f := x.facts()
		if len(f.Queries) != 1 || f.Queries[0].Lost != want || len(f.Queries[0].Writes) != 1-want.Writes {
			t.Errorf("%s: %+v, want %+v lost", text, f.Queries, want)
		}
	}
}

// Row-level statements of Spark 4.0.2 on Iceberg 1.10.1 as their plans print them, shortened:
// a write that marks rows names no table, its scan does.
func TestRowLevelWritesOfIceberg(t *testing.T) {
	const (
		marks  = "WriteDelta (4)\n+- %s (2)\n   +- BatchScan lake.d.t (1)\n\n\n"
		scan   = "(1) BatchScan lake.d.t\nOutput [4]: [k#1L, v#2, _file#3, _pos#4L]\nlake.d.t (branch=null) [filters=, groupedBy=]\n\n"
		write  = "(4) WriteDelta\nInput [3]: [__row_operation#5, _file#3, _pos#4L]\nArguments: org.apache.iceberg.spark.source.SparkPositionDeltaWrite@6ba1c034\n\n"
		anew   = "ReplaceData (4)\n+- Project (2)\n   +- BatchScan lake.d.t (1)\n\n\n"
		writes = "(4) ReplaceData\nInput [5]: [__row_operation#5, k#1L, v#2, _file#3, _pos#4L]\nArguments: IcebergWrite(table=lake.d.t, format=PARQUET)\n\n"
	)
	tests := []struct {
		name, plan string
		want       []Write
	}{
		{"a delete that marks", fmt.Sprintf(marks, "Project") + scan +
			"(2) Project\nOutput [3]: [1 AS __row_operation#5, _file#3, _pos#4L]\nInput [4]: [k#1L, v#2, _file#3, _pos#4L]\n\n" + write,
			[]Write{{Table: "lake.d.t", Operation: Delete}}},
		{"an update that marks", fmt.Sprintf(marks, "Expand") + scan +
			"(2) Expand\nInput [4]: [k#1L, v#2, _file#3, _pos#4L]\nArguments: [[1, null, _file#3, _pos#4L], [4, 7, null, null]], [__row_operation#5, v#6, _file#7, _pos#8L]\n\n" + write,
			[]Write{{Table: "lake.d.t", Operation: Update}}},
		{"a merge that marks", fmt.Sprintf(marks, "MergeRows") + scan +
			"(2) MergeRows\nInput [4]: [k#1L, v#2, _file#3, _pos#4L]\nArguments: true, true\n\n" + write,
			[]Write{{Table: "lake.d.t", Operation: Merge}}},
		{"a delete that writes anew", anew + scan +
			"(2) Project\nOutput [5]: [6 AS __row_operation#5, k#1L, v#2, _file#3, _pos#4L]\nInput [4]: [k#1L, v#2, _file#3, _pos#4L]\n\n" + writes,
			[]Write{{Table: "lake.d.t", Operation: Delete}}},
		{"an update that writes anew", anew + scan +
			"(2) Project\nOutput [5]: [6 AS __row_operation#5, k#1L, if ((k#1L > 5)) 7 else v#2 AS v#6, _file#3, _pos#4L]\nInput [4]: [k#1L, v#2, _file#3, _pos#4L]\n\n" + writes,
			[]Write{{Table: "lake.d.t", Operation: Update}}},
		{"nothing reads rows' places", fmt.Sprintf(marks, "Project") + strings.Replace(scan, ", _pos#4L", "", 1) +
			"(2) Project\nOutput [1]: [1 AS __row_operation#5]\nInput [3]: [k#1L, v#2, _file#3]\n\n" + write, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			facts, err := Extract(stream(eventlog.ExecutionStart{Execution: 1, Root: 1, PlanText: "== Physical Plan ==\n" + tt.plan}, end(1, 1500)))
			if err != nil || len(facts.Queries) != 1 {
				t.Fatalf("%+v, %v", facts.Queries, err)
			}
			if diff := cmp.Diff(tt.want, facts.Queries[0].Writes); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if lost := facts.Queries[0].Lost.Writes; lost != 1-len(tt.want) {
				t.Errorf("%d writes are lost", lost)
			}
		})
	}
}
