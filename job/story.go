package job

import (
	"context"
	"time"

	"ajlo/job/plan"
	"ajlo/job/signal"
	"ajlo/job/unit"
	"ajlo/job/verify"
	"ajlo/state"
)

// story tells a run's signals as it happens.
type story struct {
	to    *signal.Sender
	run   signal.Run
	clock func() time.Time
	steps map[int]time.Time // when each began
}

func (n Night) story(b state.Beginning) story {
	purpose := state.ForNight
	if b.Undoes != "" {
		purpose = state.ForRollback
	}
	return story{to: n.Signals, clock: n.Clock, steps: map[int]time.Time{}, run: signal.Run{
		ID: n.ID, Night: n.Window.Night(), Purpose: string(purpose), Engine: n.Engine.Name(), Started: n.Clock(),
		Window: [2]time.Time{n.Window.Start, n.Window.End}, Steps: []signal.Step{},
	}}
}

func (s story) began(ctx context.Context) { s.to.RunBegan(ctx, s.run) }

func (s story) stepBegan(ctx context.Context, number int, step plan.Step) {
	s.steps[number] = s.clock()
	s.to.StepBegan(ctx, s.run, s.step(number, step, Step{Status: StepPending}))
}

func (s story) stepEnded(ctx context.Context, number int, step plan.Step, did Step) {
	told := s.step(number, step, did)
	told.Ended = s.clock()
	s.to.StepEnded(ctx, s.run, told)
}

// step is what is told of a step: what was planned, and what became of it.
func (s story) step(number int, step plan.Step, did Step) signal.Step {
	return signal.Step{
		Number: number, Table: step.Table, Location: step.Location, Kind: string(step.Kind), Layout: step.Layout.String(), Started: s.steps[number],
		Status: string(did.Status), Error: did.Err, Changed: did.Result.Changed, Version: did.Result.Version, Rows: did.Result.Added.Rows,
		FilesRemoved: did.Result.FilesRemoved, FilesAdded: did.Result.FilesAdded, BytesRemoved: did.Result.BytesRemoved, BytesAdded: did.Result.BytesAdded,
		Scanned: [3]unit.Bytes{-1, -1, -1},
	}
}

// ended tells how the run ended, with the code that the program will end with.
func (s story) ended(result Result, cause error) {
	r := s.run
	r.Ended, r.Outcome, r.ExitCode = s.clock(), result.Outcome.String(), int(CodeOf(cause))
	if cause != nil {
		r.Error = cause.Error()
	}
	if d := result.Decision; d.PlanHash != "" {
		r.Decided = decidedOf(d, result.AwaitsApproval)
	}
	for i, did := range result.Steps {
		step := plan.Step{Table: did.Table, Kind: did.Kind}
		if i < len(result.Decision.Plan.Steps) {
			step = result.Decision.Plan.Steps[i]
		}
		told := s.step(i, step, did)
		told.Scanned = scannedBy(result.Effects, i)
		r.Steps = append(r.Steps, told)
	}
	s.to.RunEnded(context.Background(), r)
}

func decidedOf(d Decision, awaits bool) *signal.Decided {
	p := d.Plan
	told := &signal.Decided{
		PlanHash: d.PlanHash, Trigger: d.Trigger.Reason, Drift: map[string]float64{}, Applications: p.Coverage.Applications, Queries: p.Coverage.Succeeded,
		Unreadable: len(p.Coverage.Unreadable), Scanned: p.Coverage.ScannedBytes, Unresolved: p.Coverage.UnresolvedBytes,
		Budget: p.Budget, Rewrite: p.Rewrite, Saved: p.SavedBytesPerWindow, AwaitsApproval: awaits,
	}
	for _, score := range d.Scores {
		if score.Score != nil {
			told.Drift[string(score.Reference)] = *score.Score
		}
	}
	return told
}

// scannedBy are the bytes that the window's queries read of a step's table, see signal.Step.
func scannedBy(effects []verify.Effect, step int) [3]unit.Bytes {
	figures := [3]unit.Bytes{-1, -1, -1}
	for _, e := range effects {
		if e.Step != step || e.Measure != verify.ScannedBytes || e.Subject != "" {
			continue
		}
		for i, figure := range []*float64{e.Before, e.Foretold, e.After} {
			if figure != nil {
				figures[i] = unit.Bytes(*figure)
			}
		}
	}
	return figures
}
