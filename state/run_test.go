package state

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/drift"
)

func TestOneRunHoldsTheLease(t *testing.T) {
	s, c := newStore(t)
	first := begin(t, s, beginning("r1", 1))
	_, err := s.Begin(t.Context(), beginning("r2", 1))
	var held *LeaseHeld
	if !errors.As(err, &held) {
		t.Fatalf("got %v, want a held lease", err)
	}
	want := &LeaseHeld{Run: "r1", Holder: "edge-1 process 42", Until: twoInTheMorning.Add(lease)}
	if diff := cmp.Diff(want, held); diff != "" {
		t.Error(diff)
	}
	c.advance(time.Minute)
	finish(t, first, Failed)
	second := begin(t, s, beginning("r2", 1))
	if second.Attempt != 2 || second.Night != "2026-12-01" || len(second.Interrupted) != 0 {
		t.Errorf("%+v", second)
	}
}

func TestADeadRunIsInterruptedByTheNext(t *testing.T) {
	s, c := newStore(t)
	dead := begin(t, s, beginning("r1", 1))
	recordPlan(t, dead, 1)
	must(t, applyStep(t.Context(), dead, 0, "/lake/lineitem"))
	must(t, dead.StepStarted(t.Context(), 1))
	c.advance(lease - time.Microsecond)
	if _, err := s.Begin(t.Context(), beginning("r2", 1)); err == nil {
		t.Fatal("the lease is taken before it ran out")
	}
	c.advance(time.Microsecond)
	next := begin(t, s, beginning("r2", 1))
	if diff := cmp.Diff([]string{"r1"}, next.Interrupted); diff != "" {
		t.Error(diff)
	}
	if got := cell(t, s, `SELECT outcome || ' ' || error FROM runs WHERE id = 'r1'`); !strings.HasPrefix(got, "interrupted its lease ran out") {
		t.Errorf("the dead run reads %q", got)
	}
	if got := cell(t, s, `SELECT group_concat(status) FROM (SELECT status FROM steps WHERE run_id = 'r1' ORDER BY step)`); got != "applied,failed" {
		t.Errorf("its steps are %s", got)
	}
}

func TestWhoLostTheLeaseRecordsNothing(t *testing.T) {
	s, c := newStore(t)
	slow := begin(t, s, beginning("r1", 1))
	recordPlan(t, slow, 1)
	c.advance(2 * lease)
	must(t, slow.StepStarted(t.Context(), 0)) // run out, but nobody took it
	c.advance(lease)
	begin(t, s, beginning("r2", 1))
	ctx := t.Context()
	for name, write := range map[string]func() error{
		"Extend":          func() error { return slow.Extend(ctx) },
		"Intend":          func() error { return slow.Intend(ctx, 0, "/lake/lineitem", []string{"x"}) },
		"Intend nothing":  func() error { return slow.Intend(ctx, 0, "/lake/lineitem", nil) },
		"StepApplied":     func() error { return slow.StepApplied(ctx, 0, answer) },
		"StepFailed":      func() error { return slow.StepFailed(ctx, 0, errors.New("x")) },
		"Committed":       func() error { return slow.Committed(ctx, 0) },
		"RecordGraph":     func() error { return slow.RecordGraph(ctx, graph(1)) },
		"RecordSnapshots": func() error { return slow.RecordSnapshots(ctx, snapshots()) },
		"RecordEffects":   func() error { return slow.RecordEffects(ctx, []Effect{{}}) },
		"RecordDrift":     func() error { return slow.RecordDrift(ctx, nil, drift.Trigger{}) },
		"Finish":          func() error { return slow.Finish(ctx, Applied, nil) },
	} {
		if err := write(); !errors.Is(err, ErrLeaseLost) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if got := cell(t, s, `SELECT outcome FROM runs WHERE id = 'r1'`); got != "interrupted" {
		t.Errorf("outcome %s", got)
	}
}

func TestRecordingRenewsTheLease(t *testing.T) {
	s, c := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	for _, write := range []func() error{
		func() error { return r.Extend(t.Context()) },
		func() error { return r.RecordSnapshots(t.Context(), snapshots()) },
		func() error { return r.RecordGraph(t.Context(), graph(1)) },
	} {
		c.advance(lease - time.Second)
		must(t, write())
		var held *LeaseHeld
		if _, err := s.Begin(t.Context(), beginning("r2", 1)); !errors.As(err, &held) || !held.Until.Equal(c.at.Add(lease)) {
			t.Errorf("got %v, want a lease until %v", err, c.at.Add(lease))
		}
	}
}

func TestWhenANightIsDone(t *testing.T) {
	for _, c := range []struct {
		outcome       Outcome
		ended, wanted string // what kind of run ended so, what kind begins
		done          bool
	}{
		{NoDrift, "run", "run", true},
		{NothingToDo, "run", "run", true},
		{Applied, "run", "run", true},
		{NoEvidence, "run", "run", false},
		{AppliedInPart, "run", "run", false},
		{Failed, "run", "run", false},
		{Refused, "run", "run", false},
		{VerificationFailed, "run", "run", false},
		{Interrupted, "run", "run", false},
		{DryRun, "dry run", "run", false},
		{NoDrift, "dry run", "run", false},
		{NothingToDo, "dry run", "run", false},
		{Applied, "run", "dry run", false},
	} {
		t.Run(c.ended+" "+c.outcome.String()+" then "+c.wanted, func(t *testing.T) {
			s, _ := newStore(t)
			first := beginning("r1", 1)
			first.DryRun = c.ended == "dry run"
			finish(t, begin(t, s, first), c.outcome)
			second := beginning("r2", 1)
			second.DryRun = c.wanted == "dry run"
			_, err := s.Begin(t.Context(), second)
			var done *AlreadyDone
			switch {
			case errors.As(err, &done) != c.done:
				t.Errorf("got %v, done is to be %v", err, c.done)
			case c.done:
				if diff := cmp.Diff(&AlreadyDone{Night: "2026-12-01", Run: "r1", Outcome: c.outcome}, done); diff != "" {
					t.Error(diff)
				}
				if got := cell(t, s, `SELECT count(*) || (SELECT count(*) FROM lease) FROM runs`); got != "10" {
					t.Errorf("runs and leases are %s, want 10: the second run changes nothing", got)
				}
			case err != nil:
				t.Error(err)
			}
		})
	}
}

func TestAPlanIsCarriedOutOnce(t *testing.T) {
	s, _ := newStore(t)
	advice := beginning("advice", 1)
	advice.DryRun = true
	r := begin(t, s, advice)
	hash := recordPlan(t, r, 1)
	finish(t, r, DryRun)

	for _, c := range []struct {
		id      string
		outcome Outcome
	}{{"a1", Failed}, {"a2", AppliedInPart}, {"a3", Applied}} {
		b := beginning(c.id, 1)
		b.PlanHash = hash
		r := begin(t, s, b)
		if got := recordPlan(t, r, 1); got != hash {
			t.Fatalf("the plan has hash %s, then %s", hash, got)
		}
		finish(t, r, c.outcome)
	}
	b := beginning("a4", 1)
	b.PlanHash = hash
	var done *AlreadyDone
	if _, err := s.Begin(t.Context(), b); !errors.As(err, &done) || done.Run != "a3" {
		t.Errorf("got %v, want the plan to be done by a3", err)
	}
	b.PlanHash = "another plan"
	finish(t, begin(t, s, b), Failed)
}

func TestBeginRefuses(t *testing.T) {
	s, _ := newStore(t)
	finish(t, begin(t, s, beginning("r1", 1)), Failed)
	for name, change := range map[string]func(*Beginning){
		"no id":            func(b *Beginning) { b.ID = "" },
		"no lease":         func(b *Beginning) { b.LeaseFor = 0 },
		"an id used twice": func(b *Beginning) { b.ID = "r1" },
		"an empty window":  func(b *Beginning) { b.Window.Start = b.Window.End },
	} {
		b := beginning("r2", 1)
		change(&b)
		if _, err := s.Begin(t.Context(), b); err == nil {
			t.Errorf("%s: it begins", name)
		}
	}
	if got := cell(t, s, `SELECT count(*) || (SELECT count(*) FROM lease) FROM runs`); got != "10" {
		t.Errorf("runs and leases are %s, want 10: a refused run leaves nothing", got)
	}
}

func TestFinish(t *testing.T) {
	s, c := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	if err := r.Finish(t.Context(), "splendid", nil); err == nil {
		t.Error("an unknown outcome is taken")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Finish(gone, Failed, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	c.advance(90 * time.Second)
	must(t, r.Finish(t.Context(), Failed, errors.New("disk gone")))
	if err := r.Finish(t.Context(), Applied, nil); err == nil {
		t.Error("it finishes twice")
	}
	const query = `SELECT outcome || '|' || error || '|' || started || '|' || finished || '|' || seconds FROM audit_runs`
	const want = "failed|disk gone|2026-11-29T02:00:00.123456Z|2026-11-29T02:01:30.123456Z|90.0"
	if got := cell(t, s, query); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOutcomesParseBack(t *testing.T) {
	for _, o := range outcomes {
		got, err := ParseOutcome(o.String())
		if got != o || err != nil {
			t.Errorf("%s parses as %s, %v", o, got, err)
		}
		s, _ := newStore(t)
		finish(t, begin(t, s, beginning("r1", 1)), o) // the schema knows it too
	}
	if _, err := ParseOutcome("fine"); err == nil {
		t.Error("an unknown outcome parses")
	}
}

// A night is missed where the state was in use before it and no run of it came to rest.
func TestMissed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		night int
		ended []Outcome // of the runs of night 3
		want  bool
	}{
		{"an empty state", 3, nil, false},
		{"a night without a run", 4, []Outcome{Applied}, true},
		{"a night before all runs", 2, []Outcome{Applied}, false},
		{"a night that was run", 3, []Outcome{Applied}, false},
		{"advice", 3, []Outcome{DryRun}, false},
		{"a night that failed", 3, []Outcome{Failed}, true},
		{"a night that was killed", 3, []Outcome{Interrupted}, true},
		{"a night that failed and was run", 3, []Outcome{Failed, NoDrift}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newStore(t)
			for i, outcome := range tt.ended {
				finish(t, begin(t, s, beginning(fmt.Sprint("run ", i), 3)), outcome)
			}
			got, err := s.Missed(t.Context(), night(tt.night).Night())
			if err != nil || got != tt.want {
				t.Errorf("missed %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}
