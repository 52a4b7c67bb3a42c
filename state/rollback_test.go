package state

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/plan"
)

// A rollback is told of what the run changed, keeps what it does about it, and leaves it open
// whether the night is done, and which plan is in force.
func TestRollbackIsNoNight(t *testing.T) {
	s, c := newStore(t)
	first := begin(t, s, beginning("r1", 1))
	must(t, first.RecordGraph(t.Context(), graph(1)))
	recordPlan(t, first, 1)
	must(t, applyStep(t.Context(), first, 0, "/lake/lineitem"))
	must(t, first.StepRefused(t.Context(), 1, errors.New("no")))
	finish(t, first, AppliedInPart)

	ended, err := s.Ended(t.Context(), "r1")
	must(t, err)
	if diff := cmp.Diff([]int{0}, ended.Changed); diff != "" || ended.Window != night(1) || ended.Purpose != ForNight || len(ended.PlanJSON) == 0 || ended.PlanHash == "" {
		t.Errorf("%+v\n%s", ended, diff)
	}
	c.advance(time.Minute)
	b := beginning("r2", 1)
	b.Undoes = "r1"
	back := begin(t, s, b)
	recordPlan(t, back, 1)
	until := time.Date(2026, 12, 7, 0, 0, 0, 0, time.UTC)
	must(t, back.RecordReturns(t.Context(), "r1", []plan.Return{
		{Of: 0, Way: plan.PutBack, Reason: "so", Step: &plan.Step{Back: &plan.Back{Until: until}}},
		{Of: 1, Way: plan.NoWay, Reason: "rows would be lost"},
	}))
	must(t, applyStep(t.Context(), back, 0, "/lake/lineitem"))
	finish(t, back, Applied)
	want := "of_step | way | reason | open_until | status\n" +
		"0 | put_back | so | 2026-12-07T00:00:00Z | applied\n" +
		"1 | none | rows would be lost | <nil> | refused\n"
	if diff := cmp.Diff(want, answerOf(t, s, `SELECT of_step, way, reason, open_until, status FROM audit_rollbacks WHERE run = 'r2' AND of_run = 'r1'`)); diff != "" {
		t.Error(diff)
	}
	begin(t, s, beginning("r3", 1)) // the night is not done by it
	if in, err := s.InForce(t.Context(), "2026-12-01"); err != nil || in != nil {
		t.Errorf("the rollback's plan is in force: %v, %v", in, err)
	}
}

func TestUnknownRunIsNamed(t *testing.T) {
	s, _ := newStore(t)
	if _, err := s.Ended(t.Context(), "r9"); !errors.Is(err, ErrNoRun) {
		t.Errorf("got %v", err)
	}
}
