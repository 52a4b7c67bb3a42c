package plan_test

import (
	"slices"
	"strings"
	"testing"

	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// joinedIceberg are two Iceberg tables whose join on a takes half of the window's task time.
func joinedIceberg() plan.Input {
	in := input(grid("t"), grid("u"))
	for i := range in.Tables {
		in.Tables[i].Snapshot.Format = lake.Iceberg
	}
	in.Graph.Edges = []joingraph.Edge{{
		Key: "t(a) = u(a)", Left: "t", Right: "u", Pairs: []joingraph.Pair{{Left: "a", Right: "a"}}, CostShare: 0.5, F: 4,
	}}
	return in
}

// Buckets are advised for heavy joins of what was tried, and for nothing else; they are no step.
func TestBucketsAreAdvised(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(in *plan.Input)
		want bool
	}{
		{"both sides", func(*plan.Input) {}, true},
		{"a light join", func(in *plan.Input) { in.Graph.Edges[0].CostShare = 0.05 }, false},
		{"one table with itself", func(in *plan.Input) { in.Graph.Edges[0].Self, in.Graph.Edges[0].Right = true, "t" }, false},
		{"an expression", func(in *plan.Input) { in.Graph.Edges[0].Expression = true }, false},
		{"one side of Delta", func(in *plan.Input) { in.Tables[1].Snapshot.Format = lake.Delta }, false},
		{"one side in partitions", func(in *plan.Input) { in.Tables[1].Snapshot.Layout.Partition = []table.Column{"day(b)"} }, false},
		{"a table that was not found", func(in *plan.Input) { in.Graph.Edges[0].Right = "gone" }, false},
		{"tables of one file", func(in *plan.Input) { in.Settings.TargetFile = 1 << 30 }, false},
		{"a type that has no buckets", func(in *plan.Input) { retype(in, "double", 0, 1) }, false},
		{"two types", func(in *plan.Input) { retype(in, "integer", 1) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := joinedIceberg()
			in.Settings.Writable = func(table.Name, table.Location) bool { return false }
			tt.set(&in)
			p := decide(t, in)
			if len(p.Steps) != 0 || (len(p.Advice) == 1) != tt.want {
				t.Fatalf("advice %q, steps %+v", p.Advice, p.Steps)
			}
			if tt.want && (!strings.Contains(p.Advice[0], "t(a) = u(a) take 50 %") || !strings.Contains(p.Advice[0], "bucket(")) {
				t.Error(p.Advice[0])
			}
		})
	}
}

// retype gives column a of some tables another type.
func retype(in *plan.Input, kind string, tables ...int) {
	for _, i := range tables {
		columns := slices.Clone(in.Tables[i].Snapshot.Columns)
		for c := range columns {
			if columns[c].Name == "a" {
				columns[c].Type = kind
			}
		}
		in.Tables[i].Snapshot.Columns = columns
	}
}
