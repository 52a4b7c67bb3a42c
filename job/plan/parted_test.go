package plan_test

import (
	"strings"
	"testing"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/plan"
	"ajlo/job/predicate"
)

// withParts is grid with a column p of so many values, spread over all files.
func withParts(values int64) plan.TableInput {
	t := grid("t")
	t.Snapshot.Columns = append(t.Snapshot.Columns, lake.Column{Name: "p", Type: "long"})
	column := make([]predicate.Value, t.Sample.Len())
	for i := range column {
		column[i] = predicate.IntValue(int64(i) % values)
	}
	for i := range t.Snapshot.Files {
		b := t.Snapshot.Files[i].Bounds["a"]
		b.Min, b.Max = predicate.IntValue(0), predicate.IntValue(values-1)
		t.Snapshot.Files[i].Bounds["p"] = b
	}
	t.Sample.Columns, t.Sample.Values = append(t.Sample.Columns, "p"), append(t.Sample.Values, column)
	return t
}

// partitioned is what a plan says of partitioning by p; empty where it says nothing.
func partitioned(t *testing.T, engine string, values int64) (reason string) {
	t.Helper()
	in := input(withParts(values))
	in.Settings.Engine, in.Settings.Dialect = engine, dialect.SparkDelta{MayRaiseProtocol: dialect.RaiseProtocol}
	for i := range in.Queries {
		both := append(between("a", 0, 48).Args, predicate.Predicate{Op: predicate.Eq, Column: "p", Values: []predicate.Value{predicate.IntValue(2)}})
		in.Queries[i].Scans[0].Predicate = predicate.Conjunction(both)
	}
	got := decide(t, in).Tables[0]
	if len(got.Chosen.Partition) > 0 {
		t.Errorf("chose %s", got.Chosen)
	}
	for _, c := range got.Candidates {
		if len(c.Layout.Partition) > 0 {
			reason = c.Reason
		}
	}
	return reason
}

// What partitions would read is told, and never done: they make another table.
func TestPartitionsAreAdvice(t *testing.T) {
	cases := []struct {
		engine string
		values int64
		want   string
	}{
		{"sparksql", 5, "advice alone: 5 partitions would read"},
		{"embedded", 5, "5 partitions read no less than cuts("},
		{"sparksql", 21, ""}, // each would be less than a file
	}
	for _, c := range cases {
		if got := partitioned(t, c.engine, c.values); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s, %d values: %q, want %q", c.engine, c.values, got, c.want)
		}
	}
}
