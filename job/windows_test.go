package job_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ajlo/job"
	"ajlo/job/delta"
	"ajlo/job/drift"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/sparktest/shift"
	"ajlo/job/unit"
	"ajlo/job/verify"
	"ajlo/state"
)

// only keeps the queries of the given labels and drops all others of the workload.
func only(labels ...string) map[string]int {
	kept := map[string]int{}
	for _, label := range strings.Fields("Q01 Q02 Q03 Q04 Q05 Q06 Q07 Q08 Q09 Q10 J11 J12 J13 J14 J15 J16 J17 J18 J19 J20 J21 J22 T03 T05 T17 T18 T21 D31 D34 B42 M52") {
		kept[label] = 0
	}
	for _, label := range labels {
		kept[label] = 4
	}
	return kept
}

// Keys that a week of date filters asked for harm the key look-ups that come back: the verdict
// says so by the bounds kept of before, and the table goes back to its former keys although
// nothing has drifted.
func TestHarmedTableGoesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("runs four nights")
	}
	l := newLake(t, "tpch.lineitem")
	l.config.Delta, l.config.FirstSeen = 1, "weigh" // drift never triggers
	byKey, byDate := only("Q01", "Q02"), only("Q08", "Q10", "J12")
	l.readFrom(shifted(t, shift.Change{Repeat: byKey}))
	first := l.mustRun(t, firstNight, job.Execute, state.Applied)

	l.config.Horizon = 20 // a config that changed is what makes the second night plan
	l.readFrom(shifted(t, shift.Change{By: day, Repeat: byDate}))
	second := l.mustRun(t, firstNight.Add(day), job.Execute, state.Applied)
	if len(second.Decision.Judgements) != 1 {
		t.Fatalf("judgements of night 2: %+v", second.Decision.Judgements)
	}

	l.readFrom(shifted(t, shift.Change{By: 2 * day, Repeat: byKey}))
	third := l.mustRun(t, firstNight.Add(2*day), job.Execute, state.Applied)
	if third.Decision.Trigger.Fired || len(third.Decision.Judgements) != 1 || len(third.Steps) != 1 {
		t.Fatalf("trigger %q, judgements %+v, steps %+v", third.Decision.Trigger.Reason, third.Decision.Judgements, third.Steps)
	}
	j, s := third.Decision.Judgements[0], third.Decision.Plan.Steps[0]
	t.Logf("%s", j)
	if j.Verdict != verify.Harmed || j.Read <= j.Would {
		t.Errorf("verdict %s: read %s instead of %s", j.Verdict, j.Read, j.Would)
	}
	if was := first.Decision.Plan.Steps[0].Layout; s.Layout.String() != was.String() || s.Layout.Cuts != was.Cuts {
		t.Errorf("goes to %s, want back to %s", s.Layout, was)
	}
	if !strings.HasPrefix(s.Reason, "goes back: since it was laid so") {
		t.Error(s.Reason)
	}

	l.readFrom(shifted(t, shift.Change{By: 3 * day, Repeat: byKey}))
	fourth := l.mustRun(t, firstNight.Add(3*day), job.Execute, state.NoDrift)
	if len(fourth.Decision.Judgements) != 1 || fourth.Decision.Judgements[0].Verdict != verify.Helped {
		t.Errorf("judgements of night 4: %+v", fourth.Decision.Judgements)
	}
}

// A table that had no keys gets its files back once the ones it was given harm: nothing is written.
func TestHarmedTableGetsItsFilesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("runs two nights")
	}
	l := newLake(t, "tpch.lineitem")
	l.config.Delta, l.config.FirstSeen = 1, "weigh" // drift never triggers
	before := liveFiles(t, l.table("lineitem"))
	l.readFrom(shifted(t, shift.Change{Repeat: only("Q01", "Q02")}))
	l.mustRun(t, firstNight, job.Execute, state.Applied)
	l.readFrom(shifted(t, shift.Change{By: day, Repeat: only("Q08", "Q10", "J12")}))
	second := l.mustRun(t, firstNight.Add(day), job.Execute, state.Applied)
	s, p := second.Steps[0], second.Decision.Plan.Steps[0]
	if second.Decision.Trigger.Fired || s.Kind != plan.Rollback || p.Back == nil || !strings.HasPrefix(p.Reason, "goes back: since it was laid so") {
		t.Fatalf("%+v: %s", s, p.Reason)
	}
	if s.Result.Removed != s.Result.Added || s.Result.FilesAdded != len(before) || second.Decision.Plan.Rewrite != 0 {
		t.Errorf("%+v", s.Result)
	}
	if live := liveFiles(t, l.table("lineitem")); !slices.Equal(before, live) {
		t.Errorf("%d files, want the %d of before", len(live), len(before))
	}
}

// Windows of a workload that changes in ways that are hard to see: what each triggers, and what
// comes of it. Creep is small from night to night and is caught by the plan in force.
func TestWindowsThatChange(t *testing.T) {
	if os.Getenv("AJLO_SOAK") == "" {
		t.Skip("takes minutes: scripts/soak runs it")
	}
	l := newLake(t, "tpch.*")
	without := func(repeat map[string]int) map[string]int {
		for _, label := range []string{"J11", "J19", "T17"} {
			if _, given := repeat[label]; !given {
				repeat[label] = 0
			}
		}
		return repeat
	}
	var rewritten, saved unit.Bytes
	caught := false
	for i, w := range []struct {
		name   string
		repeat map[string]int
	}{
		{"the base, without three joins", without(map[string]int{})},
		{"frequencies only", without(map[string]int{"Q08": 3, "Q09": 3, "J21": 2})},
		{"creep, a little", without(map[string]int{"Q08": 3, "Q09": 3, "J21": 2, "Q03": 2, "J12": 2})},
		{"creep, a little more", without(map[string]int{"Q08": 3, "Q09": 3, "J21": 2, "Q03": 3, "J12": 4})},
		{"creep, more again", without(map[string]int{"Q08": 3, "Q09": 3, "J21": 2, "Q03": 4, "J12": 6, "T05": 2})},
		{"new join columns", map[string]int{"J11": 3, "J19": 3, "T17": 3}},
		{"joins that vanished", map[string]int{"J11": 0, "J19": 0, "T17": 0, "Q03": 0, "J12": 0, "T03": 0}},
	} {
		end := firstNight.Add(time.Duration(i) * day)
		l.readFrom(shifted(t, shift.Change{By: time.Duration(i) * day, Repeat: w.repeat}))
		result, err := l.night(t, end, job.Execute)
		if err != nil {
			t.Fatal(err)
		}
		d := result.Decision
		for _, s := range result.Steps {
			rewritten += s.Result.BytesRemoved
		}
		saved += d.Plan.SavedBytesPerWindow
		t.Logf("%-30s %s; drift from last %s, from plan %s: %s; %d steps rewrite %s, save %s a window, NPV %s", w.name, result.Outcome,
			score(d.Scores, drift.Last), score(d.Scores, drift.Plan), d.Trigger.Reason, len(result.Steps), d.Plan.Rewrite, d.Plan.SavedBytesPerWindow, d.Plan.NPV)
		if strings.HasPrefix(w.name, "creep") {
			caught = caught || d.Trigger.Fired
		}
		if w.name == "new join columns" && !d.Trigger.Fired {
			t.Error("new join columns do not trigger")
		}
	}
	if !caught {
		t.Error("creep was never caught")
	}
	t.Logf("rewritten %s in all, saves %s a window", rewritten, saved)
}

func score(scores []drift.Score, from drift.Reference) string {
	for _, s := range scores {
		if s.Reference == from && s.Score != nil {
			return fmt.Sprintf("%.3f", *s.Score)
		}
	}
	return "none"
}

// liveFiles are the data files of a Delta table's newest version, sorted.
func liveFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := delta.Replay(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Files {
		names = append(names, f.Path)
	}
	return names
}
