package job_test

import (
	"testing"
	"time"

	"ajlo/job"
	"ajlo/job/drift"
	"ajlo/job/sparktest/shift"
)

// Creep that is too slow to be seen from one night to the next: some queries of many come
// once more every night. The window before never tells; the plan in force does, alone.
func TestSlowCreepIsCaughtByThePlanAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("runs six nights")
	}
	l := newLake(t, "tpch.region") // of one file: nights decide and rewrite nothing
	caught := -1
	for night := range 6 {
		l.readFrom(shifted(t, shift.Change{By: time.Duration(night) * day, Repeat: creeping(night)}))
		result, err := l.night(t, firstNight.Add(time.Duration(night)*day), job.Execute)
		if err != nil {
			t.Fatal(err)
		}
		d := result.Decision
		t.Logf("night %d: %s; drift from last %s, from plan %s: %s", night, result.Outcome, score(d.Scores, drift.Last), score(d.Scores, drift.Plan), d.Trigger.Reason)
		if night == 0 {
			continue
		}
		crept := false
		for _, s := range d.Scores {
			if s.Reference == drift.Last && *s.Score >= l.config.Delta {
				t.Errorf("night %d: drift %.3f from the last window, the creep is not slow", night, *s.Score)
			}
			crept = crept || s.Reference == drift.Plan && *s.Score >= l.config.Delta
		}
		if crept && caught < 0 {
			caught = night
		}
		if d.Trigger.Fired != crept {
			t.Errorf("night %d: triggered %v: %s", night, d.Trigger.Fired, d.Trigger.Reason)
		}
	}
	if caught < 2 {
		t.Errorf("caught in night %d, want one after the second", caught)
	}
}

// creeping is how often queries come on a night.
func creeping(night int) map[string]int {
	repeat := map[string]int{"Q08": 14} // more than any of those that creep, so that these alone move
	for _, label := range []string{"J12", "J14", "J17", "J19", "J21", "T05"} {
		repeat[label] = 6 + night
	}
	return repeat
}
