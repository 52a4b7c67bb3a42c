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

// touching is a query that changes t as the table's own history has it: of the rows in the
// bytes it removed, a hundred, so many were updated and so many deleted.
func touching(op fact.Operation, removed unit.Bytes, updated, deleted int64, q fact.Query) fact.Query {
	copied := 100 - updated - deleted
	q.Writes = []fact.Write{{Table: "t", Operation: op, Touched: &fact.Touched{
		FilesRemoved: int64(removed / 1000), BytesRemoved: &removed, RowsCopied: &copied, RowsUpdated: &updated, RowsDeleted: &deleted,
	}}}
	return q
}

// What the table's history says counts by bytes and rows: rows that are only copied are what a
// layout spares, those that were updated are written under any, deleted ones under none.
func TestChangesCountAsTheTablesHistoryHasThem(t *testing.T) {
	marked := changing(fact.Delete, 7, scan("w", "t", between("a", 10, 14)))
	marked.Writes[0].Touched = &fact.Touched{FilesMarked: 7, BytesRemoved: new(unit.Bytes)}
	tests := []struct {
		name     string
		query    fact.Query
		now, byA unit.Bytes
	}{
		{"half the bytes, few rows of them", touching(fact.Update, 10_000, 1, 0, scan("w", "t", between("a", 10, 14))), 10_000, 500},
		{"half the bytes, all of their rows", touching(fact.Update, 10_000, 100, 0, scan("w", "t", between("a", 10, 14))), 10_000, 10_000},
		{"half the rows deleted", touching(fact.Delete, 20_000, 0, 50, scan("w", "t", between("a", 10, 14))), 10_000, 500},
		{"whole files deleted", touching(fact.Delete, 20_000, 0, 100, scan("w", "t", between("a", 10, 14))), 0, 0},
		{"marked by deletion vectors, whatever files the log counts", marked, 0, 0},
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
	counted := changing(fact.Append, 2, fact.Query{Fingerprint: "w", Status: fact.Succeeded})
	told := changing(fact.Append, 2, fact.Query{Fingerprint: "w", Status: fact.Succeeded})
	told.Writes[0].Touched = &fact.Touched{FilesAdded: 2, BytesAdded: 500}
	for _, tt := range []struct {
		engine string
		query  fact.Query
		want   unit.Bytes
	}{
		{plan.EmbeddedEngine, counted, 2_000}, {"connect", counted, 22_000},
		{plan.EmbeddedEngine, told, 500}, {"connect", told, 20_500},
	} {
		engine, want := tt.engine, tt.want
		in := input(grid("t"))
		in.Settings.Engine = engine
		in.Queries = append(in.Queries, tt.query)
		p := decide(t, in)
		if got := weighedAs(t, p, "sort(a)").Upkeep; got != want {
			t.Errorf("%s: an append costs %d, want %d", engine, got, want)
		}
		if got := p.Tables[0].Candidates[0]; got.Upkeep != 0 || got.Layout.Order != layout.None {
			t.Errorf("%s: as it arrives costs %d", engine, got.Upkeep)
		}
	}
}
