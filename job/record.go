package job

import (
	"context"
	"errors"
	"time"

	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/state"
)

// leaseFor is how long a run may go without a sign of life before another may take over; a
// run gives one at each record and at every third of that time.
const leaseFor = 5 * time.Minute

// finishWithin bounds the last record of a run that was told to stop: its own context is
// gone by then.
const finishWithin = 30 * time.Second

// record writes the run's story into the state as it happens.
type record struct {
	run       *state.Run
	heartbeat func() // stops the sign of life and waits for it to end
	told      story  // what signals tell of it
	undoes    string // the run that this one takes back; empty for a night
	undone    []int  // the step of it that each step of this run takes back
}

// stamp is what commits of a step leave in its table's history.
func (r *record) stamp(n Night, d Decision, step int) execute.Stamp {
	s := execute.Stamp{Run: n.ID, Step: step, PlanHash: d.PlanHash, Steps: len(d.Plan.Steps), Night: n.Window.Night(), Undoes: r.undoes}
	if r.undoes != "" {
		s.UndoesStep = r.undone[step]
	}
	return s
}

// begin takes the lease and opens the run. done is set where the night has come to its end
// already, or, for a plan that is brought along, where that very plan was carried out:
// nothing is to be done then.
//
// The context that it returns is the run's: it ends when the lease is lost to another run.
func (n Night) begin(ctx context.Context, planHash string) (own context.Context, r *record, done *state.AlreadyDone, err error) {
	return n.beginAs(ctx, n.beginning(planHash))
}

// beginAs is begin with what the run is given.
func (n Night) beginAs(ctx context.Context, b state.Beginning) (own context.Context, r *record, done *state.AlreadyDone, err error) {
	run, err := n.Store.Begin(ctx, b)
	if errors.As(err, &done) && b.PlanHash == "" && n.asksForMore(ctx) {
		n.Log.Info("the night is done, and the config asks for something else since", "run", done.Run)
		b.Again = true
		done = nil
		run, err = n.Store.Begin(ctx, b)
	}
	if done != nil {
		return ctx, nil, done, nil
	}
	if err != nil {
		return ctx, nil, nil, err
	}
	for _, dead := range run.Interrupted {
		n.Log.Warn("an earlier run never came to its end; what it left is looked at first", "run", dead)
	}
	own, stop := n.keepAlive(ctx, run)
	r = &record{run: run, heartbeat: stop, told: n.story(b), undoes: b.Undoes}
	r.told.began(own)
	return own, r, nil, nil
}

func (n Night) beginning(planHash string) state.Beginning {
	return state.Beginning{
		ID: n.ID, Window: n.Window, ConfigHash: n.Config.Hash(), CodeVersion: n.Version, Engine: n.Engine.Name(),
		Holder: holderName(), Dead: holderDead, DryRun: n.advises() || planHash == "" && n.asks(), LeaseFor: leaseFor,
		PlanHash: planHash, Approval: n.leave(planHash),
	}
}

// asksForMore reports whether the config wants or allows something else than the plan in
// force was made for. A past that cannot be read is told by the run itself.
func (n Night) asksForMore(ctx context.Context) bool {
	then, err := n.recall(ctx, n.Store)
	return err == nil && then.graph != nil && then.plan.Policy != n.policy()
}

// keepAlive renews the lease while stages work without recording anything, and ends the
// run's context where another run has taken it.
func (n Night) keepAlive(ctx context.Context, run *state.Run) (own context.Context, stop func()) {
	own, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(leaseFor / 3)
		defer tick.Stop()
		for {
			select {
			case <-own.Done():
				return
			case <-tick.C:
				if err := run.Extend(own); errors.Is(err, state.ErrLeaseLost) {
					cancel(err)
				} else if err != nil && own.Err() == nil {
					n.Log.Warn("the lease could not be renewed", "err", err)
				}
			}
		}
	}()
	return own, func() { cancel(nil); <-ended }
}

// decision stores the window's graph, the drift, the tables as found and the plan.
func (r *record) decision(ctx context.Context, d Decision, l Lake) error {
	snapshots := make([]lake.Snapshot, len(l.Tables))
	for i, f := range l.Tables {
		snapshots[i] = f.Snapshot
	}
	if err := r.run.RecordGraph(ctx, d.Graph); err != nil {
		return err
	}
	if err := r.run.RecordScoring(ctx, scoringVersion()); err != nil {
		return err
	}
	if err := r.run.RecordSeen(ctx, d.Plan.Coverage.Applications); err != nil {
		return err
	}
	if err := r.run.RecordDrift(ctx, d.Scores, d.Trigger); err != nil {
		return err
	}
	if err := r.run.RecordSnapshots(ctx, snapshots); err != nil {
		return err
	}
	if err := r.run.RecordVerdicts(ctx, d.Judgements); err != nil {
		return err
	}
	return r.run.RecordPlan(ctx, d.Plan, d.PlanJSON, d.PlanHash)
}

// end closes the run and gives the lease back, whatever happened to the run's own context.
func (r *record) end(result Result, cause error) error {
	r.heartbeat()
	ctx, cancel := context.WithTimeout(context.Background(), finishWithin)
	defer cancel()
	outcome := result.Outcome
	switch {
	case outcome != state.Failed:
	case errors.Is(cause, context.Canceled):
		outcome = state.Interrupted
	case CodeOf(cause) == ExitRefused: // before anything was decided
		outcome = state.Refused
	}
	err := r.run.Finish(ctx, outcome, cause)
	result.Outcome = outcome
	r.told.ended(result, errors.Join(cause, err))
	return err
}

// stepRecorder is what an engine is given for one step.
type stepRecorder struct {
	run      *state.Run
	number   int
	step     plan.Step
	purse    *purse
	quiet    func(plan.Step) error
	stamp    execute.Stamp
	progress func(done, total unit.Bytes)
}

// Intend keeps the names of files before they are created.
func (s stepRecorder) Intend(ctx context.Context, location table.Location, paths []string) error {
	return s.run.Intend(ctx, s.number, location, paths)
}

// Spend asks what is left of the run's budgets, and whether an attempt may begin by now.
func (s stepRecorder) Spend(bytes unit.Bytes) error {
	if err := s.quiet(s.step); err != nil {
		return err
	}
	return s.purse.ask(s.step, bytes)
}

// Progress hands on how far the step is.
func (s stepRecorder) Progress(done, total unit.Bytes) {
	if s.progress != nil {
		s.progress(done, total)
	}
}

// Stamp names the run, step and plan in the table's own history.
func (s stepRecorder) Stamp() execute.Stamp { return s.stamp }
