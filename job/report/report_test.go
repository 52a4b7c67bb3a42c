package report_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/drift"
	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/report"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/verify"
	"ajlo/job/window"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name + ".txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func number(f float64) *float64 { return &f }

func examplePlan() plan.Plan {
	keys := layout.ClusteredBy(layout.Hilbert, "a", "b")
	return plan.Plan{
		Window:    window.Ending(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), 7*24*time.Hour),
		Threshold: 0.1, Trigger: "drift 0.310 from last", Budget: 20 * unit.GB, Rewrite: unit.GB,
		SavedBytesPerWindow: 3 * unit.GB, NPV: 20 * unit.GB, UpperBound: 20 * unit.GB,
		Drift: []drift.Score{
			{Reference: drift.Last, Score: number(0.31), ScorePaper: number(0.5), SpeedFactor: 1.2},
			{Reference: drift.Plan},
		},
		Coverage: plan.Coverage{Applications: 2, Queries: 9, Succeeded: 8, Failed: 1, Scans: 12, ScannedBytes: 5 * unit.GB,
			UnresolvedBytes: unit.MB, UnresolvedTables: []string{"tmp.x\x1b[31m"}, Unreadable: []string{"part 2: cut off"}, LostPredicates: 3},
		Tables: []plan.Table{
			{Table: "sales.orders", Current: layout.Unordered(), Chosen: keys, Bytes: unit.GB, Rewrite: unit.GB,
				ScannedBytesNow: 4 * unit.GB, ScannedBytesThen: unit.GB, Reason: "reads less",
				Candidates: []plan.Candidate{
					{Layout: layout.Unordered(), Reason: "not kept: reads less"}, {Layout: keys, Reason: "chosen: reads less"},
					{Layout: layout.ClusteredBy(layout.Sort, "a"), Reason: "worth less"},
				}},
			{Table: "sales.day", Current: layout.Unordered(), Chosen: layout.Unordered(), Bytes: unit.KB, Reason: "kept: fits one file"},
		},
		Steps: []plan.Step{{Table: "sales.orders", Kind: plan.Rekey, Layout: keys, Expected: plan.Expected{Files: 16, Rewrite: unit.GB}}},
	}
}

func TestPlan(t *testing.T) {
	var page bytes.Buffer
	if err := report.Plan(&page, examplePlan()); err != nil {
		t.Fatal(err)
	}
	golden(t, "plan", page.String())
}

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		name string
		run  report.Run
	}{
		{"run", report.Run{ID: "r1", Night: "2026-11-30", Outcome: "applied_in_part", Plan: examplePlan(),
			Steps: []report.Step{
				{Table: "sales.orders", Status: "applied", Changed: true, FilesRemoved: 3, FilesAdded: 16, Rows: 100, Version: 8},
				{Table: "sales.part", Status: "refused", Err: "its schema changed"},
				{Table: "sales.same", Status: "applied"},
				{Table: "sales.late", Status: "pending"},
			},
			Effects: []verify.Effect{
				{Table: "sales.orders", Measure: verify.ScannedBytes, Before: number(4e9), Foretold: number(1e9), After: number(1.1e9)},
				{Table: "sales.orders", Measure: verify.OverlapDepth, Subject: "a", Before: number(3), After: number(1.5)},
				{Table: "sales.orders", Measure: verify.LookupShare, Subject: "a", Before: number(1), After: number(0.09)},
			},
			PlanFile: "plans/p.json", ScriptFile: "plans/p.sql"}},
		{"run-done", report.Run{ID: "r2", Night: "2026-11-30", Outcome: "applied", Earlier: "r1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var page bytes.Buffer
			if err := tc.run.Write(&page); err != nil {
				t.Fatal(err)
			}
			golden(t, tc.name, page.String())
		})
	}
}

func TestFacts(t *testing.T) {
	queries := []fact.Query{{
		App: "local-1", Execution: 7, Fingerprint: "00ff", Start: time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC),
		Query: "a description that is longer than a line shows", Status: fact.Succeeded, TaskMS: 12,
		Scans: []fact.Scan{{Table: "t", FilesRead: 2, BytesRead: 2000, Predicate: &predicate.Predicate{Op: predicate.Eq, Column: "a", Values: []predicate.Value{predicate.IntValue(1)}}}},
		Joins: []fact.Join{
			{Left: []table.Ref{{Table: "t", Column: "a"}}, Right: []table.Ref{{Table: "u", Column: "b"}}, Type: fact.Inner, Strategy: fact.SortMergeJoin},
			{Type: fact.Cross, Strategy: fact.CartesianProduct},
		},
	}}
	var page bytes.Buffer
	if err := report.Facts(&page, queries); err != nil {
		t.Fatal(err)
	}
	golden(t, "facts", page.String())
	page.Reset()
	if err := report.FactsByQuery(&page, queries); err != nil {
		t.Fatal(err)
	}
	golden(t, "factsbyquery", page.String())
}

func TestInspect(t *testing.T) {
	s := lake.Snapshot{Table: "t", Location: "/lake/t", Format: lake.Delta, Version: 4, Owner: "none", Layout: layout.Unordered(),
		Columns: []lake.Column{{Name: "a", Type: "long"}, {Name: "note", Type: "binary"}},
		Files: []lake.File{
			{Bytes: 1000, Rows: 5, Bounds: map[table.Column]prune.Bounds{"a": {Min: predicate.IntValue(1), Max: predicate.IntValue(5), Rows: 5}}},
			{Bytes: 1000, Rows: 5, Bounds: map[table.Column]prune.Bounds{"a": {Min: predicate.IntValue(4), Max: predicate.IntValue(9), Rows: 5}}},
		}}
	var page bytes.Buffer
	if err := report.Inspect(s, []string{"feature deletionVectors"}).Write(&page); err != nil {
		t.Fatal(err)
	}
	golden(t, "inspect", page.String())
}

// A name from a log cannot steer the reader's terminal.
func TestControlCharactersAreNotPrinted(t *testing.T) {
	var page bytes.Buffer
	p := examplePlan()
	p.Tables[0].Table, p.Tables[0].Reason = "a\x1b]0;owned\x07b", "x\r\ny\u009b31m"
	p.Trigger = "edge t(\x1b[2J) = u(b)"
	p.Tables[0].Chosen = layout.ClusteredBy(layout.Sort, "c\x07\r")
	p.Steps[0].Table, p.Steps[0].Layout = "s\x1b", p.Tables[0].Chosen
	p.Tables[0].Candidates[2].Layout, p.Tables[0].Candidates[2].Reason = layout.ClusteredBy(layout.Sort, "d\x1b"), "e\x07"
	if err := report.Plan(&page, p); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(page.String(), "\x1b\x07\r\u009b") {
		t.Errorf("control characters in %q", page.String())
	}
}
