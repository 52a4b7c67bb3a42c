package job_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ajlo/job"
	"ajlo/job/sparktest/shift"
	"ajlo/state"
)

const day = 24 * time.Hour

// shifted makes the fixture's log into one of a later day.
func shifted(t testing.TB, c shift.Change) string {
	t.Helper()
	logs := filepath.Join(t.TempDir(), "eventlogs")
	if err := shift.Logs(logs, fixture+"/eventlogs", c); err != nil {
		t.Fatal(err)
	}
	return logs
}

// A slower or busier cluster runs the same workload: no drift, whatever its task times.
func TestSlowerClusterIsNoDrift(t *testing.T) {
	l := newLake(t, "tpch.lineitem")
	l.mustRun(t, firstNight, job.Execute, state.Applied)

	l.readFrom(shifted(t, shift.Change{By: day, TaskTime: 2.6}))
	second := l.mustRun(t, firstNight.Add(day), job.Execute, state.NoDrift)
	for _, s := range second.Decision.Scores {
		if s.Score == nil || *s.Score > 0.0005 {
			t.Errorf("drift from %s is %v, want 0.000", s.Reference, s.Score)
		}
		if s.SpeedFactor < 2.5 || s.SpeedFactor > 2.7 {
			t.Errorf("speed factor from %s is %v, want about 2.6", s.Reference, s.SpeedFactor)
		}
	}
}

// New joins are drift: the first window lacks three queries that the second runs twice.
func TestNewJoinsAreDrift(t *testing.T) {
	l := newLake(t, "tpch.lineitem")
	l.readFrom(shifted(t, shift.Change{Repeat: map[string]int{"J11": 0, "J19": 0, "T17": 0}}))
	l.mustRun(t, firstNight, job.Execute, state.Applied)

	l.readFrom(shifted(t, shift.Change{By: day, Repeat: map[string]int{"J11": 2, "J19": 2, "T17": 2}}))
	second, err := l.night(t, firstNight.Add(day), job.DryRun)
	if err != nil {
		t.Fatal(err)
	}
	d := second.Decision
	if !d.Trigger.Fired {
		t.Fatalf("the new joins do not trigger: %s", d.Trigger.Reason)
	}
	if len(d.Plan.Tables) == 0 || len(d.Plan.Tables[0].Candidates) == 0 {
		t.Error("nothing was planned")
	}
	first := ""
	for _, key := range d.Trigger.First {
		first += string(key) + "\n"
	}
	for _, want := range []string{"tpch.partsupp(", "tpch.part("} {
		if !strings.Contains(first, want) {
			t.Errorf("no edge first seen names %s in:\n%s", want, first)
		}
	}
}
