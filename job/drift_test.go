package job_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job"
	"ajlo/job/sparktest/shift"
	"ajlo/job/unit"
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
	weighed := 0
	for _, table := range d.Plan.Tables {
		for _, c := range table.Candidates[1:] {
			if !c.Refused {
				weighed++
			}
		}
	}
	if weighed == 0 {
		t.Error("no layout was weighed")
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

// A budget that holds one table a night lays one a night, until all are done.
func TestNightsGoOnWhereTheBudgetStopped(t *testing.T) {
	l := newLake(t, "tpch.orders, tpch.lineitem")
	l.config.Budget.Rewrite, l.config.Budget.Storage = 11*unit.MB, 11*unit.MB
	var laid []string
	for night := range 2 {
		l.readFrom(shifted(t, shift.Change{By: time.Duration(night) * day}))
		result := l.mustRun(t, firstNight.Add(time.Duration(night)*day), job.Execute, state.Applied)
		for _, s := range result.Steps {
			laid = append(laid, string(s.Table))
		}
	}
	slices.Sort(laid)
	if diff := cmp.Diff([]string{"tpch.lineitem", "tpch.orders"}, laid); diff != "" {
		t.Fatal(diff)
	}
	l.readFrom(shifted(t, shift.Change{By: 2 * day}))
	l.mustRun(t, firstNight.Add(2*day), job.Execute, state.NoDrift)
}

// A night that is done is done for the config it ran with: one that allows more is carried
// out the same night, and then that is done.
func TestChangedConfigIsCarriedOutTheSameNight(t *testing.T) {
	l := newLake(t, "tpch.lineitem")
	l.mustRun(t, firstNight, job.Execute, state.Applied)
	l.config.Write = append(l.config.Write, "tpch.orders")
	second := l.mustRun(t, firstNight, job.Execute, state.Applied)
	if len(second.Steps) != 1 || second.Steps[0].Table != "tpch.orders" {
		t.Errorf("steps %+v, want tpch.orders alone", second.Steps)
	}
	third := l.mustRun(t, firstNight, job.Execute, state.Applied)
	if third.Earlier != second.Run || len(third.Steps) != 0 {
		t.Errorf("a third run did something: %+v", third.Steps)
	}
}

// The budget holds for what a step would really rewrite: a table that grew since its plan is
// refused.
func TestBudgetHoldsForATableThatGrew(t *testing.T) {
	l := newLake(t, "tpch.orders")
	dry := l.mustRun(t, firstNight, job.DryRun, state.DryRun)
	l.config.Budget.Rewrite = dry.Decision.Plan.Rewrite + 1
	folder := l.table("orders")
	commit := []byte(`{"add":{"path":"grown.parquet","partitionValues":{},"size":2000000,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":1}"}}` + "\n")
	if err := os.WriteFile(filepath.Join(folder, "_delta_log", "00000000000000000002.json"), commit, 0o644); err != nil {
		t.Fatal(err)
	}
	if steps := len(dry.Decision.Plan.Steps); steps != 1 {
		t.Fatalf("%d steps planned, want 1", steps)
	}
	result, err := l.apply(t, dry.Decision.PlanJSON)
	if result.Outcome != state.Refused || err == nil || job.CodeOf(err) != job.ExitRefused {
		t.Errorf("outcome %s, error %v", result.Outcome, err)
	}
}
