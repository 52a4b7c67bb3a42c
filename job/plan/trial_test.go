package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// What a trial finds scales what a candidate reads and costs, and may make the choice fall on
// another; a trial of another version or of no candidate says nothing.
func TestTrialsCorrectCandidates(t *testing.T) {
	in := input(grid("t"))
	in.Queries = append(in.Queries, scan("q2", "t", between("b", 0, 49)))
	w, err := plan.Weigh(in)
	if err != nil {
		t.Fatal(err)
	}
	untried, err := w.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	first := untried.Tables[0]
	of := func(l layout.Layout, bytes unit.Bytes) plan.Trial {
		return plan.Trial{Location: first.Location, Version: first.Version, Target: in.Settings.TargetFile, Layout: l, Bytes: bytes}
	}
	for _, tc := range []struct {
		name  string
		trial plan.Trial
		share float64 // of what the first choice was foretold to read; 0 where another is chosen
	}{
		{"files as now", of(first.Chosen, first.Bytes), 1},
		{"files shrink", of(first.Chosen, first.Bytes*9/10), 0.9},
		{"files grow tenfold", of(first.Chosen, 10*first.Bytes), 0},
		{"not found out", of(first.Chosen, 0), 1},
		{"a layout that is no candidate", of(layout.ClusteredBy(layout.Sort, "flag"), 1), 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := w.Plan([]plan.Trial{tc.trial})
			if err != nil {
				t.Fatal(err)
			}
			got := p.Tables[0]
			if same := layout.SameKeys(got.Chosen, first.Chosen); same != (tc.share > 0) {
				t.Fatalf("chosen %s, untried %s", got.Chosen, first.Chosen)
			}
			if want := unit.Bytes(tc.share * float64(first.ScannedBytesThen)); tc.share > 0 && got.ScannedBytesThen != want {
				t.Errorf("foretold to read %d, want %d", got.ScannedBytesThen, want)
			}
			if tc.trial.Bytes > 0 && tc.share > 0 && tc.trial.Layout.Clustering[0] != "flag" && !tc.trial.Tries(p.Steps[0]) {
				t.Errorf("the trial %+v is not of the step %+v", tc.trial, p.Steps[0])
			}
		})
	}
	again, err := w.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(untried, again); diff != "" {
		t.Errorf("asked again without trials: %s", diff)
	}
}
