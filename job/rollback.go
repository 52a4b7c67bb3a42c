package job

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/state"
)

// Rollback is the story of a run that takes another back.
type Rollback struct {
	Run     string        `json:"run,omitempty"` // empty for a dry run, which is not kept
	Of      string        `json:"of_run"`
	Night   string        `json:"night"`
	Outcome state.Outcome `json:"outcome"`
	// PlanHash is the SHA-256 of what is to be done: where the config asks for approval, a person
	// approves this.
	PlanHash string `json:"plan_sha256"`
	// Returns say of each step that changed a table how it is taken back, the latest first.
	Returns []plan.Return `json:"returns"`
	// Steps are what became of the returns that have a step, in their order.
	Steps []Step `json:"steps"`
}

// Rollback takes back what an earlier run changed, as far as that loses no row. What it is going
// to do is decided from the tables as they are, and printed in full by a dry run.
func (n Night) Rollback(ctx context.Context, run string) (Rollback, error) {
	ended, err := n.Store.Ended(ctx, run)
	if errors.Is(err, state.ErrNoRun) {
		return Rollback{}, &UsageError{err.Error()}
	}
	if err != nil {
		return Rollback{}, err
	}
	n.Window = ended.Window
	result := Rollback{Of: run, Night: ended.Night, Outcome: state.Failed, Returns: []plan.Return{}, Steps: []Step{}}
	var d Decision
	if result.Returns, d, _, err = n.returns(ctx, ended); err != nil {
		return result, err
	}
	if result.PlanHash = d.PlanHash; n.Mode == DryRun {
		result.Outcome = state.DryRun
		return result, nil
	}
	b := n.beginning(d.PlanHash)
	b.DryRun, b.Undoes = false, run
	ctx, record, _, err := n.beginAs(ctx, b)
	if err != nil {
		return Rollback{}, err
	}
	result.Run = n.ID
	result, err = n.takeBack(ctx, result, record)
	return result, errors.Join(err, record.end(Result{Outcome: result.Outcome, Steps: result.Steps}, err))
}

// takeBack is the rollback under the lease: what dead runs left is looked at first, since their
// commits may be among those to be taken back.
func (n Night) takeBack(ctx context.Context, result Rollback, record *record) (Rollback, error) {
	if err := n.sweep(ctx); err != nil {
		return result, err
	}
	ended, err := n.Store.Ended(ctx, result.Of)
	if err != nil {
		return result, err
	}
	var d Decision
	var l Lake
	if result.Returns, d, l, err = n.returns(ctx, ended); err != nil {
		return result, err
	}
	result.PlanHash = d.PlanHash
	if len(d.Plan.Steps) > 0 {
		if err := n.approved(d.PlanHash); err != nil {
			result.Outcome = state.Refused
			return result, err
		}
	}
	if err := record.rollback(ctx, result, d); err != nil {
		return result, err
	}
	if len(d.Plan.Steps) > 0 {
		if _, _, err := n.keep(ctx, d); err != nil {
			return result, err
		}
	}
	result.Steps, err = n.execute(ctx, d, l, record)
	steps := slices.Concat(result.Steps, result.refused())
	if result.Outcome = outcomeOf(steps); len(steps) == 0 {
		result.Outcome = state.NothingToDo
		return result, err
	}
	return result, errors.Join(problem(Result{Outcome: result.Outcome, Steps: steps}), err)
}

// rollback stores what is to be done before any of it is.
func (r *record) rollback(ctx context.Context, result Rollback, d Decision) error {
	if err := r.run.RecordPlan(ctx, d.Plan, d.PlanJSON, d.PlanHash); err != nil {
		return err
	}
	for _, back := range result.Returns {
		if back.Step != nil {
			r.undone = append(r.undone, back.Of)
		}
	}
	return r.run.RecordReturns(ctx, result.Of, result.Returns)
}

// refused are the steps that cannot be taken back.
func (r Rollback) refused() (steps []Step) {
	for _, back := range r.Returns {
		if back.Way == plan.NoWay {
			s := Step{Table: back.Table, Kind: plan.Rollback}
			s.fail(StepRefused, &execute.Refusal{Table: back.Table, Reason: back.Reason})
			steps = append(steps, s)
		}
	}
	return steps
}

// returns decides how each step is taken back. The latest is the first to be, as a table may
// have been laid twice.
func (n Night) returns(ctx context.Context, ended state.Ended) ([]plan.Return, Decision, Lake, error) {
	l := Lake{names: map[table.Name]int{}}
	if len(ended.Changed) == 0 {
		d := Decision{Plan: plan.Plan{Window: ended.Window}.Rollback(ended.ID, nil, nil, n.settings())}
		return []plan.Return{}, d, l, d.render()
	}
	p, err := plan.Parse(ended.PlanJSON)
	if err != nil {
		return nil, Decision{}, l, fmt.Errorf("roll run %s back: %w", ended.ID, err)
	}
	undone := make([]plan.Undone, 0, len(ended.Changed))
	for _, step := range slices.Backward(ended.Changed) {
		if step >= len(p.Steps) {
			return nil, Decision{}, l, &Incomplete{state.Refused, fmt.Sprintf("run %s is refused: its plan was lost with an earlier state, so what it found is not known: take its tables back by hand", ended.ID)}
		}
		u, err := n.undone(ctx, p.Steps[step], delta.Stamp{Run: ended.ID, Step: step, PlanHash: ended.PlanHash})
		if err != nil {
			return nil, Decision{}, l, err
		}
		l.names[u.Now.Table] = len(l.Tables)
		undone, l.Tables = append(undone, u), append(l.Tables, Found{Snapshot: u.Now, Unreadable: u.Unreadable, Names: []table.Name{u.Now.Table}})
	}
	returns := plan.TakeBack(p, ended.ID, undone, n.settings())
	d := Decision{Plan: p.Rollback(ended.ID, returns, undone, n.settings())}
	return returns, d, l, d.render()
}

// undone looks at the table of a step. Its history has to tell of the step's commit, so that a
// place that the state names by mistake is none that is touched.
func (n Night) undone(ctx context.Context, s plan.Step, of delta.Stamp) (plan.Undone, error) {
	u := plan.Undone{Step: of.Step}
	s.Back = &plan.Back{Of: of, After: s.Version}
	found, err := n.open(ctx, s.Table, s.Location)
	if ctx.Err() != nil {
		return u, ctx.Err()
	}
	if err != nil {
		u.Unreadable, u.Closed = err.Error(), "it cannot be read"
		return u, nil
	}
	u.Now, u.Unsupported = found.Snapshot, found.Unsupported
	u.Back, err = n.Own.WayBack(ctx, s)
	var refused *execute.Refusal
	if errors.As(err, &refused) {
		u.Closed, err = refused.Reason, nil
	}
	return u, err
}
