package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// partedGrid is grid with a partition column p of five values, four files each.
func partedGrid(name table.Name) plan.TableInput {
	t := grid(name)
	t.Snapshot.Layout.Partition = []table.Column{"p"}
	t.Snapshot.Columns = append(t.Snapshot.Columns, lake.Column{Name: "p", Type: "long"})
	for i := range t.Snapshot.Files {
		p := predicate.IntValue(int64(i / 4))
		t.Snapshot.Files[i].Bounds["p"] = prune.Bounds{Min: p, Max: p, Rows: 500}
	}
	t.Sample.Columns = append(t.Sample.Columns, "p")
	values := make([]predicate.Value, t.Sample.Len())
	for i := range values {
		values[i] = predicate.IntValue(int64(i / 2_000)) // a file has 500 rows
	}
	t.Sample.Values = append(t.Sample.Values, values)
	return t
}

// A table keeps its partitions whatever keys it gets, and a what-if does not forget that they
// prune.
func TestKeysInsidePartitions(t *testing.T) {
	in := input(partedGrid("t"))
	for i := range in.Queries { // a in one partition of five, in four files of a sixteenth each
		both := append(between("a", 10, 14).Args, predicate.Predicate{Op: predicate.Eq, Column: "p", Values: []predicate.Value{predicate.IntValue(2)}})
		in.Queries[i].Scans[0].Predicate = predicate.Conjunction(both)
	}
	got := decide(t, in)
	want := layout.ClusteredBy(layout.Sort, "a")
	want.Partition = []table.Column{"p"}
	if diff := cmp.Diff(want, got.Tables[0].Chosen); diff != "" {
		t.Fatal(diff)
	}
	if now, then := got.Tables[0].ScannedBytesNow, got.Tables[0].ScannedBytesThen; now != 16_000 || then != 4_000 {
		t.Errorf("four scans of one partition read %d now and %d then, want 16000 and 4000", now, then)
	}
	columns, err := plan.Columns(in.Tables[0], in)
	if diff := cmp.Diff([]table.Column{"a", "p"}, columns); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// Spark refuses CLUSTER BY on a partitioned table, with leave or without.
func TestPartitionedTablesGetZOrder(t *testing.T) {
	in := input(partedGrid("t"))
	in.Settings.Engine, in.Settings.Dialect = "sparksql", dialect.SparkDelta{MayRaiseProtocol: dialect.RaiseProtocol}
	p := decide(t, in)
	if len(p.Steps) != 1 || !strings.HasPrefix(p.Steps[0].Statement, "OPTIMIZE `t` ZORDER BY (`a`") {
		t.Errorf("steps: %+v", p.Steps)
	}
}
