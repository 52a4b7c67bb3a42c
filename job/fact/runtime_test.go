package fact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/table"
)

// Which side a hash join reads first is in the tree's name, or among the operator's arguments.
func TestBuildSide(t *testing.T) {
	for _, tc := range []struct {
		name string
		node *node
		want Side
	}{
		{"formatted", &node{name: "BroadcastHashJoin Inner BuildRight"}, RightSide},
		{"outer", &node{name: "ShuffledHashJoin RightOuter BuildLeft"}, LeftSide},
		{"neither is read first", &node{name: "SortMergeJoin Inner"}, NoSide},
		{"one line", describe(op("BroadcastHashJoin [a#1L], [b#2L], Inner, BuildLeft, false")), LeftSide},
		{"an accelerator's", describe(op("GpuBroadcastHashJoin [a#1L], [b#2L], Inner, GpuBuildRight")), RightSide},
	} {
		if got := buildOf(tc.node); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A filter that was planned and not worked out is "true" in the plan that ran: it prunes nothing.
func TestColumnsPrunedAtRunTime(t *testing.T) {
	scan := func(filters string) string {
		return "== Physical Plan ==\nScan parquet d.c (1)\n\n\n(1) Scan parquet d.c\nOutput [3]: [v#1L, p#2L, top p#3]\n" +
			"Location: PreparedDeltaFileIndex [file:/lake/d.db/c]\n" + filters + "\nReadSchema: struct<v:bigint>\n"
	}
	iceberg := "BatchScan lake.d.t[k#1L, p#2] lake.d.t (branch=null) [filters=, groupedBy=] RuntimeFilters: "
	for _, tc := range []struct {
		name  string
		found []foundScan
		want  []table.Column
	}{
		{"planned only", digestText(scan("PartitionFilters: [isnotnull(p#2L), dynamicpruningexpression(true)]")), nil},
		{"ran", digestText(scan("PartitionFilters: [isnotnull(p#2L), dynamicpruningexpression(p#2L IN dynamicpruning#29)]")), []table.Column{"p"}},
		{"of an expression", digestText(scan("PartitionFilters: [dynamicpruningexpression(cast(p#2L as int) IN subquery#29)]")), []table.Column{"p"}},
		{"a literal is none", digestText(scan("PartitionFilters: [(p#2L = 5)]")), nil},
		{"Iceberg", digestOp(iceberg + "[dynamicpruningexpression(p#2 IN dynamicpruning#7)]"), []table.Column{"p"}},
		{"Iceberg, nothing", digestOp(iceberg + "[]"), nil},
	} {
		if len(tc.found) != 1 {
			t.Fatalf("%s: %d scans", tc.name, len(tc.found))
		}
		if diff := cmp.Diff(tc.want, tc.found[0].RunTime); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func digestText(text string) []foundScan {
	p := plan{text: strings.TrimSpace(text)}
	return digestPlans(p, p, zones{}).scans
}

func digestOp(simple string) []foundScan {
	p := plan{info: op(simple)}
	return digestPlans(p, p, zones{}).scans
}
