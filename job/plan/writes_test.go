package plan_test

import (
	"testing"

	"ajlo/job/fact"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// changing is a query that changes t, having removed so many files.
func changing(op fact.Operation, removed int64, q fact.Query, keys ...table.Column) fact.Query {
	q.Writes = []fact.Write{{Table: "t", Operation: op, Keys: keys, FilesRemoved: &removed, FilesAdded: &removed}}
	return q
}

func weighedAs(t *testing.T, p plan.Plan, layoutText string) plan.Candidate {
	t.Helper()
	for _, c := range p.Tables[0].Candidates {
		if c.Layout.String() == layoutText {
			return c
		}
	}
	t.Fatalf("%s was not weighed", layoutText)
	return plan.Candidate{}
}

// The table has 20 files of 1000 bytes in order of b; a change of a few a touches all of them,
// and one of them once it is sorted by a.
func TestChangesCountUnderEachLayout(t *testing.T) {
	tests := []struct {
		name     string
		query    fact.Query
		now, byA unit.Bytes
	}{
		{"an update by a", changing(fact.Update, 20, scan("w", "t", between("a", 10, 14))), 20_000, 1_000},
		{"a delete that found rows in half the files", changing(fact.Delete, 10, scan("w", "t", between("a", 10, 14))), 10_000, 500},
		{"a delete by b", changing(fact.Delete, 1, scan("w", "t", between("b", 10, 14))), 1_000, 20_000},
		{"a merge on a without constants", changing(fact.Merge, 20, scan("w", "t", nil), "a"), 20_000, 1_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input(grid("t"))
			in.Queries = append(in.Queries, tt.query)
			p := decide(t, in)
			if got := p.Tables[0].WrittenBytesNow; got != tt.now {
				t.Errorf("rewrites %d now, want %d", got, tt.now)
			}
			if got := weighedAs(t, p, "sort(a)").WrittenBytes; got != tt.byA {
				t.Errorf("rewrites %d by a, want %d", got, tt.byA)
			}
		})
	}
}

// What changes save or cost is part of the NPV.
func TestChangesWeighInTheNPV(t *testing.T) {
	in := input(grid("t"))
	before := weighedAs(t, decide(t, in), "sort(a)").NPV
	in.Queries = append(in.Queries, changing(fact.Update, 20, scan("w", "t", between("a", 10, 14))))
	after := weighedAs(t, decide(t, in), "sort(a)")
	if after.NPV <= before || after.WrittenBytes == 0 {
		t.Errorf("NPV %d with an update that touches fewer files, %d without", after.NPV, before)
	}
}

// Delta's clustering on Spark rewrites the open cube whole after an append; the embedded engine
// what was appended.
func TestAppendsCostAtTheNextUpkeep(t *testing.T) {
	for engine, want := range map[string]unit.Bytes{plan.EmbeddedEngine: 2_000, "connect": 22_000} {
		in := input(grid("t"))
		in.Settings.Engine = engine
		in.Queries = append(in.Queries, changing(fact.Append, 2, fact.Query{Fingerprint: "w", Status: fact.Succeeded}))
		p := decide(t, in)
		if got := weighedAs(t, p, "sort(a)").Upkeep; got != want {
			t.Errorf("%s: an append of two files costs %d, want %d", engine, got, want)
		}
		if got := p.Tables[0].Candidates[0]; got.Upkeep != 0 || got.Layout.Order != layout.None {
			t.Errorf("%s: as it arrives costs %d", engine, got.Upkeep)
		}
	}
}
