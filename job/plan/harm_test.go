package plan_test

import (
	"strings"
	"testing"

	"ajlo/job/drift"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// harmed is the grid, laid by b for queries that never came back: the window looks for a, by
// which it lay before. Nothing has drifted.
func harmed() plan.Input {
	in := input(grid("t"))
	in.Trigger = drift.Trigger{Reason: "drift 0.01"}
	t := &in.Tables[0]
	t.Snapshot.Owner, t.Snapshot.Layout = "us", layout.ClusteredBy(layout.Sort, "b")
	t.Harmed = &plan.Harm{Before: layout.ClusteredBy(layout.Sort, "a"), Executions: 4, Would: 4000, Read: 80_000, Version: 3}
	return in
}

func TestHarmedTablesGoBack(t *testing.T) {
	p := decide(t, harmed())
	if p.Triggered || len(p.Steps) != 1 || p.Steps[0].Layout.String() != "sort(a)" || p.Steps[0].Kind != plan.Rekey {
		t.Fatalf("triggered %v, steps %+v", p.Triggered, p.Steps)
	}
	if got := p.Steps[0].Reason; !strings.HasPrefix(got, "goes back: since it was laid so, 4 scans read 80.0 kB instead of 4.00 kB by sort(a)") {
		t.Error(got)
	}
}

// A table without keys of before goes back by its files, where they can come back; that takes no
// budget.
func TestHarmedTablesGetTheirFilesBack(t *testing.T) {
	in := harmed()
	in.Settings.Budget = 10
	h := in.Tables[0].Harmed
	h.Before, h.Back = layout.Unordered(), &plan.Back{Version: 2, Files: 3, Replaced: 5}
	p := decide(t, in)
	if len(p.Steps) != 1 || p.Steps[0].Kind != plan.Rollback || p.Steps[0].Back == nil || p.Steps[0].Statement != "RESTORE TABLE `t` TO VERSION AS OF 2;" {
		t.Fatalf("steps %+v", p.Steps)
	}
	got := p.Tables[0]
	if want := "goes back: since it was laid so, 4 scans read 80.0 kB instead of 4.00 kB by as it arrives; 3 files of version 2 come back in the place of 5"; !strings.HasPrefix(got.Reason, want) {
		t.Error(got.Reason)
	}
	if got.ScannedBytesThen != got.ScannedBytesNow/20 || got.Rewrite != 0 {
		t.Errorf("%s then of %s, a rewrite of %s", got.ScannedBytesThen, got.ScannedBytesNow, got.Rewrite)
	}
	in.Settings.Writable = func(table.Name, table.Location) bool { return false }
	if p := decide(t, in); len(p.Steps) != 0 {
		t.Errorf("not under write, and still: %+v", p.Steps)
	}
}

func TestHarmedTablesThatStay(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*plan.Input)
		want   string
	}{
		{"no budget", func(in *plan.Input) { in.Settings.Budget = 10 }, "harmed: since it was laid so, 4 scans read 80.0 kB instead of 4.00 kB by sort(a); not undone: kept: the budget of 10 B is too small"},
		{"no keys before", func(in *plan.Input) { in.Tables[0].Harmed.Before = layout.Unordered() }, "RESTORE to version 2 would undo it while nothing else is written"},
		{"no keys before, and others wrote", func(in *plan.Input) {
			in.Tables[0].Harmed.Before, in.Tables[0].Harmed.Later = layout.Unordered(), true
		}, "RESTORE would lose what was written since"},
		{"no keys before, and files that cannot come back", func(in *plan.Input) {
			in.Tables[0].Harmed.Before, in.Tables[0].Harmed.Closed = layout.Unordered(), "rows were changed"
		}, "its files of before cannot come back: rows were changed"},
		{"a key that is gone", func(in *plan.Input) { in.Tables[0].Harmed.Before = layout.ClusteredBy(layout.Sort, "gone") }, "its key gone of before: refused: the table has no such column"},
		{"cuts nobody knows", func(in *plan.Input) {
			in.Tables[0].Harmed.Before = layout.Layout{Clustering: in.Tables[0].Harmed.Before.Clustering, Order: layout.LearntCuts, Cuts: "c"}
		}, "the cut points of before are not known"},
		{"not under write", func(in *plan.Input) { in.Settings.Writable = func(table.Name, table.Location) bool { return false } }, "not undone: kept: not under write:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := harmed()
			tc.change(&in)
			p := decide(t, in)
			if len(p.Steps) != 0 {
				t.Fatalf("steps %+v", p.Steps)
			}
			if got := p.Tables[0].Reason; !strings.Contains(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// What was learnt is applied to what is foretold, not to what is.
func TestCorrectionOfWhatIsForetold(t *testing.T) {
	in := input(grid("t"))
	in.Tables[0].Correction = 1.5
	got := decide(t, in).Tables[0]
	if got.ScannedBytesNow != 80_000 || got.ScannedBytesThen != 6_000 || got.Correction != 1.5 {
		t.Errorf("reads %d now and %d then, corrected by %v; want 80000, 1.5 × 4000, 1.5", got.ScannedBytesNow, got.ScannedBytesThen, got.Correction)
	}
}
