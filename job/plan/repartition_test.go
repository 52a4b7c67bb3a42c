package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

// acrossPartitions is a table partitioned by p whose queries look for values of a alone: partitions
// part each of them over five files at least.
func acrossPartitions() plan.Input {
	in := input(partedGrid("t"))
	in.Queries = nil
	for from := range int64(20) {
		in.Queries = append(in.Queries, scan("q1", "t", between("a", 5*from, 5*from+4)))
	}
	return in
}

// Partitions that stand in the way of all queries go, with leave only, by the embedded engine only,
// and not from under writers that would not bear it.
func TestPartitionsGo(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(in *plan.Input)
		want string // in the reason of what would read less, empty where it is chosen
	}{
		{"with leave", func(*plan.Input) {}, ""},
		{"without leave", func(in *plan.Input) { in.Settings.Repartition = false }, "takes leave (allow: {repartition: true})"},
		{"by Spark", func(in *plan.Input) { in.Settings.Engine = "sparksql" }, "takes the embedded engine"},
		{"under a stream", func(in *plan.Input) { in.Tables[0].Snapshot.Streamed = in.Window.End }, "a streaming writer"},
		{"with a change feed", func(in *plan.Input) {
			in.Tables[0].Snapshot.Properties = map[string]string{"delta.enableChangeDataFeed": "true"}
		}, "change data feed"},
		{"overwritten", func(in *plan.Input) {
			in.Queries = append(in.Queries, fact.Query{Status: fact.Succeeded, Writes: []fact.Write{{Table: "t", Operation: fact.Overwrite}}})
		}, "the window overwrites it"},
		{"by a type of many spellings", func(in *plan.Input) {
			in.Tables[0].Snapshot.Columns[slices.IndexFunc(in.Tables[0].Snapshot.Columns, isP)].Type = "double"
		}, "not spelled in one way"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := acrossPartitions()
			in.Settings.Repartition = true
			tt.set(&in)
			p := decide(t, in)
			got := p.Tables[0]
			if tt.want != "" {
				advised := func(c plan.Candidate) bool {
					return len(c.Layout.Partition) == 0 && strings.HasPrefix(c.Reason, "advice alone: ") && strings.Contains(c.Reason, tt.want)
				}
				if !slices.ContainsFunc(got.Candidates, advised) || !slices.Equal(got.Chosen.Partition, got.Current.Partition) {
					t.Errorf("chose %s: %+v", got.Chosen, got.Candidates)
				}
				return
			}
			if diff := cmp.Diff(layout.ClusteredBy(layout.Sort, "a"), got.Chosen); diff != "" {
				t.Fatal(diff)
			}
			if s := p.Steps[0]; !s.Repartition || !strings.HasPrefix(s.Statement, "CREATE OR REPLACE TABLE `t` USING delta AS SELECT") || got.Rewrite != got.Bytes {
				t.Errorf("%+v", s)
			}
			if !strings.Contains(got.Reason, "would replace all rows") {
				t.Errorf("reason: %s", got.Reason)
			}
		})
	}
}

func isP(c lake.Column) bool { return c.Name == "p" }

// cells are queries for one value of p and so many values of a beside it.
func cells(leave bool, wide int64) plan.Input {
	in := input(withParts(5))
	in.Settings.Repartition, in.Queries = leave, nil
	for i := range int64(100) {
		both := append(between("a", i, i+wide-1).Args, predicate.Predicate{Op: predicate.Eq, Column: "p", Values: []predicate.Value{predicate.IntValue(i % 5)}})
		in.Queries = append(in.Queries, scan("q1", "t", predicate.Conjunction(both)))
	}
	return in
}

// Partitions come with leave only, and where they spare notably more than keys do.
func TestPartitionsCome(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave bool
		wide  int64
		want  string // in the reason of the partitions, empty where they are chosen
	}{
		{"without leave", false, 5, "takes leave"},
		{"for little", true, 5, "under a tenth"},
		{"for nothing", true, 20, "read no less than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := decide(t, cells(tt.leave, tt.wide))
			got := p.Tables[0]
			at := slices.IndexFunc(got.Candidates, func(c plan.Candidate) bool { return slices.Equal(c.Layout.Partition, []table.Column{"p"}) })
			if at < 0 {
				t.Fatalf("%+v", got.Candidates)
			}
			chosen := slices.Equal(got.Chosen.Partition, []table.Column{"p"})
			if chosen != (tt.want == "") || !strings.Contains(got.Candidates[at].Reason, tt.want) {
				t.Errorf("chose %s; of partitions: %s", got.Chosen, got.Candidates[at].Reason)
			}
			if chosen && (!p.Steps[0].Repartition || !strings.Contains(p.Steps[0].Statement, "PARTITIONED BY (`p`)")) {
				t.Errorf("%+v", p.Steps[0])
			}
		})
	}
}

// Files keep no bounds of a boolean that would prune; partitions by it do.
func TestPartitionsByWhatIsNoKey(t *testing.T) {
	for _, leave := range []bool{true, false} {
		in := input(grid("t"))
		in.Settings.Repartition, in.Queries = leave, nil
		flags := make([]predicate.Value, in.Tables[0].Sample.Len())
		for i := range flags {
			flags[i] = predicate.BoolValue(i%2 == 0)
		}
		sample := &in.Tables[0].Sample
		sample.Columns, sample.Values = append(sample.Columns, "flag"), append(sample.Values, flags)
		for i := range int64(100) {
			both := append(between("a", i, i+9).Args, predicate.Predicate{Op: predicate.Eq, Column: "flag", Values: []predicate.Value{predicate.BoolValue(i%3 == 0)}})
			in.Queries = append(in.Queries, scan("q1", "t", predicate.Conjunction(both)))
		}
		if columns, err := plan.Columns(in.Tables[0], in); err != nil || slices.Contains(columns, "flag") != leave {
			t.Errorf("leave %t: samples %v, %v", leave, columns, err)
		}
		p := decide(t, in)
		if got := p.Tables[0].Chosen.Partition; slices.Equal(got, []table.Column{"flag"}) != leave {
			t.Errorf("leave %t: chose %s of %+v", leave, p.Tables[0].Chosen, p.Tables[0].Candidates)
			continue
		}
		if leave && (!p.Steps[0].Repartition || !strings.Contains(p.Steps[0].Statement, "PARTITIONED BY (`flag`)")) {
			t.Errorf("%+v", p.Steps[0])
		}
	}
}
