package job_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"ajlo/job"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/state"
)

// The bytes of a rewritten table's files are foretold by trial, within a per cent; what was
// tried once is kept.
func TestTrialForetellsFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs two nights")
	}
	l := newLake(t, "tpch.lineitem")
	dry := l.mustRun(t, firstNight, job.DryRun, state.DryRun)
	kept, err := os.Stat(filepath.Join(l.config.Cache, "samples", "trials.json"))
	if err != nil {
		t.Fatal(err)
	}
	result := l.mustRun(t, firstNight, job.Execute, state.Applied)
	foretold, now := bytesOfChosen(t, result.Decision.Plan, "tpch.lineitem")
	made := result.Steps[0].Result.BytesAdded
	t.Logf("%s were foretold, %s made of %s", foretold, made, now)
	if off := math.Abs(float64(foretold)/float64(made) - 1); off > 0.01 {
		t.Errorf("%d bytes foretold, %d made: %.1f %% off", foretold, made, 100*off)
	}
	if math.Abs(float64(made)/float64(now)-1) < 0.02 {
		t.Errorf("the files' bytes hardly changed: %d, before %d", made, now)
	}
	again, err := os.Stat(filepath.Join(l.config.Cache, "samples", "trials.json"))
	if err != nil || !again.ModTime().Equal(kept.ModTime()) {
		t.Errorf("what was kept was written again: %v", err)
	}
	if dry.Decision.PlanHash != result.Decision.PlanHash {
		t.Error("the plan of kept trials is another than that of fresh ones")
	}
}

// bytesOfChosen is what a table's files were foretold to have, and what they had.
func bytesOfChosen(t *testing.T, p plan.Plan, name table.Name) (foretold, now unit.Bytes) {
	t.Helper()
	for _, decided := range p.Tables {
		for i, c := range decided.Candidates {
			if decided.Table == name && i > 0 && c.Layout.String() == decided.Chosen.String() && c.Layout.Cuts == decided.Chosen.Cuts {
				return c.Bytes, decided.Bytes
			}
		}
	}
	t.Fatalf("%s: no candidate was chosen", name)
	return 0, 0
}
