package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// dimension is a table d of keys 0 to 99 in one file, each with the name of its tens.
func dimension() plan.TableInput {
	s := lake.Snapshot{
		Table: "d", Location: "/lake/d", Format: lake.Delta, Owner: "none", Layout: layout.Unordered(),
		Columns: []lake.Column{{Name: "k", Type: "long"}, {Name: "name", Type: "string"}},
		Files:   []lake.File{{Path: "d", Bytes: 100, Rows: 100}},
	}
	sample := lake.Sample{Columns: []table.Column{"k", "name"}, Values: make([][]predicate.Value, 2), Population: 100}
	for i := range int64(100) {
		sample.Values[0] = append(sample.Values[0], predicate.IntValue(i))
		sample.Values[1] = append(sample.Values[1], predicate.StringValue(strings.Repeat("x", int(i/10))))
	}
	return plan.TableInput{Snapshot: s, Sample: sample, Names: []table.Name{"d"}}
}

// filteredBy is an input in which four executions join t on a column with those of d whose name is
// that of the given tens; change alters each.
func filteredBy(t plan.TableInput, column table.Column, tens int, change func(*fact.Query)) plan.Input {
	in := input(t, dimension())
	in.Queries = nil
	for i := range int64(4) {
		q := scan("q", "t", nil)
		q.Execution = i
		q.Scans = append(q.Scans, fact.Scan{Table: "d", Format: "delta", Measured: true, Predicate: &predicate.Predicate{
			Op: predicate.Eq, Column: "name", Values: []predicate.Value{predicate.StringValue(strings.Repeat("x", tens))}}})
		q.Joins = []fact.Join{{
			Left: []table.Ref{{Table: "t", Column: column}}, Right: []table.Ref{{Table: "d", Column: "k"}},
			Type: fact.Inner, Strategy: fact.BroadcastHashJoin, Build: fact.RightSide,
		}}
		change(&q)
		in.Queries = append(in.Queries, q)
	}
	in.Reach = plan.NewReach(in)
	return in
}

// A filtered dimension prunes a table's partitions at run time, for every reader, where the
// plan that ran shows it and the join may drop rows.
func TestPartitionsPrunedAtRunTime(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*fact.Query)
		now    unit.Bytes
		reason string
	}{
		{"the plan shows it", func(q *fact.Query) { q.Scans[0].RunTime = []table.Column{"p"} }, 4 * 4_000, "counted: oss-spark leaves partitions unread"},
		{"the plan shows none", func(*fact.Query) {}, 4 * 20_000, "not counted: its plan shows no pruning"},
		{"the table's side is kept whole", func(q *fact.Query) {
			q.Scans[0].RunTime, q.Joins[0].Type = []table.Column{"p"}, fact.LeftOuter
		}, 4 * 20_000, ""},
		{"the dimension is read whole", func(q *fact.Query) {
			q.Scans[0].RunTime, q.Scans[1].Predicate = []table.Column{"p"}, nil
		}, 4 * 20_000, ""},
		{"the dimension is scanned whole beside", func(q *fact.Query) {
			q.Scans = append(q.Scans, fact.Scan{Table: "d", Format: "delta"})
			q.Scans[0].RunTime = []table.Column{"p"}
		}, 4 * 20_000, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fine := dimension() // tens of p: the key is p's ten-fold
			in := filteredBy(partedGrid("t"), "p", 2, tc.change)
			for i := range fine.Sample.Values[0] {
				fine.Sample.Values[0][i] = predicate.IntValue(int64(i / 10))
			}
			in.Tables[1] = fine
			in.Reach = plan.NewReach(in)
			got := decide(t, in).Tables[1]
			if got.ScannedBytesNow != tc.now {
				t.Errorf("reads %s a window, want %s", got.ScannedBytesNow, tc.now)
			}
			if tc.reason == "" && len(got.RunTime) > 0 || tc.reason != "" && (len(got.RunTime) != 1 || !strings.HasPrefix(got.RunTime[0].Reason, tc.reason)) {
				t.Errorf("run time: %+v, want %q", got.RunTime, tc.reason)
			}
			measured, err := in.Reach.ScannedBytes(in.Tables[0].Snapshot, []table.Name{"t"}, in.Queries)
			if err != nil || measured != tc.now {
				t.Errorf("measured %s, foretold %s, %v", measured, tc.now, err)
			}
		})
	}
}

// Files of a clustered column are left unread at run time by Trino and, of big tables, by
// Databricks; open-source Spark reads them all, so that such a key is worth nothing to it.
func TestClusteredFilesPrunedAtRunTime(t *testing.T) {
	big := func(bytes unit.Bytes) plan.TableInput {
		g := grid("t")
		for i := range g.Snapshot.Files {
			g.Snapshot.Files[i].Bytes = bytes
		}
		return g
	}
	sortMerge := func(q *fact.Query) { q.Joins[0].Strategy, q.Joins[0].Build = fact.SortMergeJoin, fact.NoSide }
	for _, tc := range []struct {
		name   string
		reader prune.Reader
		file   unit.Bytes
		change func(*fact.Query)
		chosen string
		reason string
	}{
		{"open-source Spark", prune.OSSSpark, unit.GB, func(*fact.Query) {}, "as it arrives", "not counted: at run time oss-spark leaves only whole partitions unread"},
		{"Fabric", prune.Fabric, unit.GB, func(*fact.Query) {}, "as it arrives", "not counted: at run time fabric leaves only"},
		{"Databricks", prune.Databricks, unit.GB, func(*fact.Query) {}, "sort(a)", "counted: databricks leaves files unread"},
		{"Databricks, small", prune.Databricks, unit.MB, func(*fact.Query) {}, "as it arrives", "not counted: databricks leaves files unread at run time only of tables of 10 GB"},
		{"Databricks, sort-merge", prune.Databricks, unit.GB, sortMerge, "as it arrives", ""},
		{"Trino", prune.Trino, unit.MB, func(*fact.Query) {}, "sort(a)", "counted: trino leaves files unread"},
		{"Trino joins by hash whatever Spark did", prune.Trino, unit.MB, sortMerge, "sort(a)", "counted: trino leaves files unread"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := filteredBy(big(tc.file), "a", 3, tc.change)
			in.Readers = func(string) prune.Reader { return tc.reader }
			in.Settings.Budget, in.Settings.Storage, in.Settings.TargetFile = unit.TB, unit.TB, tc.file
			in.Reach = plan.NewReach(in)
			got := decide(t, in).Tables[1]
			if got.Chosen.String() != tc.chosen {
				t.Errorf("chosen %s, want %s: %s", got.Chosen, tc.chosen, got.Reason)
			}
			// a is 30 to 39, a tenth of the table's files
			if tc.chosen != "as it arrives" && got.ScannedBytesThen != 4*2*tc.file {
				t.Errorf("reads %s then, want %s", got.ScannedBytesThen, 4*2*tc.file)
			}
			if tc.reason == "" && len(got.RunTime) > 0 || tc.reason != "" && (len(got.RunTime) != 1 || !strings.HasPrefix(got.RunTime[0].Reason, tc.reason)) {
				t.Errorf("run time: %+v, want %q", got.RunTime, tc.reason)
			}
		})
	}
}

// What cannot be known of the values that are left is said, and nothing is promised for it.
func TestValuesThatAreNotKnown(t *testing.T) {
	trino := func(string) prune.Reader { return prune.Trino }
	for _, tc := range []struct {
		name   string
		change func(*plan.Input)
		want   string
	}{
		{"not sampled", func(in *plan.Input) { in.Tables[1].Sample = lake.Sample{} }, "not counted: the values of d.k were not sampled"},
		{"sampled in part", func(in *plan.Input) { in.Tables[1].Sample.Population = 1_000 }, "not counted: only 100 of 1000 rows of d were sampled"},
		{"made of bounds", func(in *plan.Input) { in.Sketched = true }, "not counted: the values of d.k may not be read"},
		{"none is left", func(in *plan.Input) {
			in.Tables[1].Sample.Values[1] = make([]predicate.Value, 100)
		}, "not counted: the predicates on d leave none"},
		{"two scans", func(in *plan.Input) {
			for i := range in.Queries {
				in.Queries[i].Scans = append(in.Queries[i].Scans, in.Queries[i].Scans[0])
			}
		}, "not counted: the query scans the table more than once"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := filteredBy(grid("t"), "a", 3, func(*fact.Query) {})
			in.Readers = trino
			tc.change(&in)
			in.Reach = plan.NewReach(in)
			got := decide(t, in).Tables[1]
			if len(got.RunTime) != 1 || !strings.HasPrefix(got.RunTime[0].Reason, tc.want) || got.RunTime[0].Counted {
				t.Errorf("%+v, want %q", got.RunTime, tc.want)
			}
			if got.Chosen.String() != "as it arrives" {
				t.Errorf("chosen %s", got.Chosen)
			}
		})
	}
}

// A plan asks for the values of a dimension however small it is, and of the keys that a reader
// prunes by.
func TestColumnsOfRunTime(t *testing.T) {
	in := filteredBy(grid("t"), "a", 3, func(*fact.Query) {})
	in.Reach = plan.Reach{} // columns are asked for before
	for _, tc := range []struct {
		reader prune.Reader
		want   [][]table.Column
	}{
		{prune.OSSSpark, [][]table.Column{nil, {"k", "name"}}},
		{prune.Trino, [][]table.Column{{"a"}, {"k", "name"}}},
	} {
		in.Readers = func(string) prune.Reader { return tc.reader }
		for i, want := range tc.want {
			got, err := plan.Columns(in.Tables[i], in)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s, table %d: %s %v", tc.reader, i, diff, err)
			}
		}
	}
}
