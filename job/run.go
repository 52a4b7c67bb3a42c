package job

import (
	"context"
	"errors"

	"ajlo/state"
)

// Run is one night from the event logs to the record of what was done. Its result is whole
// whether or not the error is nil; the error says what went wrong and what to do next. A
// night that another run brought to its end changes nothing.
func (n Night) Run(ctx context.Context) (Result, error) {
	ctx, record, done, err := n.begin(ctx, "")
	if err != nil || done != nil {
		return n.alreadyDone(done), err
	}
	result, err := n.night(ctx, record)
	return result, errors.Join(err, record.end(result, err))
}

// night is the pipeline: each value feeds the next.
func (n Night) night(ctx context.Context, record *record) (Result, error) {
	result := n.started()
	if err := n.sweep(ctx); err != nil {
		return result, err
	}
	observed, err := n.observe(ctx)
	if err != nil {
		return result, err
	}
	lake := n.look(ctx, observed)
	result.Decision, err = n.decide(ctx, observed, lake, n.Store, PlanOnDrift)
	if err != nil {
		return result, err
	}
	if err := record.decision(ctx, result.Decision, lake); err != nil {
		return result, err
	}
	if result.Decision.Trigger.Fired || len(result.Decision.Plan.Steps) > 0 {
		if result.PlanFile, result.ScriptFile, err = n.keep(ctx, result.Decision); err != nil {
			return result, err
		}
	}
	if outcome, stop := n.stopsAt(result.Decision); stop {
		result.Outcome = outcome
		result.AwaitsApproval = outcome == state.DryRun && n.asks() && len(n.Config.Write) > 0 && len(result.Decision.Plan.Steps) > 0
		return result, result.Decision.Refused()
	}
	return n.act(ctx, result, observed, lake, record)
}

// act is the half of a run that changes tables: steps, then what they did.
func (n Night) act(ctx context.Context, result Result, o Observed, l Lake, record *record) (Result, error) {
	var err error
	result.Steps, err = n.execute(ctx, result.Decision, l, record)
	result.Outcome = outcomeOf(result.Steps)
	if err != nil {
		result.Outcome = notWhole(result.Outcome)
	}
	own, cancel := settling(ctx)
	defer cancel()
	measured, unmeasured := n.verify(own, o, result, l, record)
	result.Effects = append(result.Effects, measured...)
	if unmeasured != nil {
		result.Outcome = state.VerificationFailed
	}
	return result, errors.Join(problem(result), err, unmeasured)
}

// stopsAt says whether the night ends with the plan, and how.
func (n Night) stopsAt(d Decision) (state.Outcome, bool) {
	switch {
	case d.Plan.Coverage.Blind():
		return state.Refused, true
	case !d.Graph.HasEvidence():
		return state.NoEvidence, true
	case !d.Trigger.Fired && len(d.Plan.Steps) == 0:
		return state.NoDrift, true
	case n.advises() || n.asks() && len(d.Plan.Steps) > 0:
		return state.DryRun, true
	case len(d.Plan.Steps) == 0:
		return state.NothingToDo, true
	}
	return "", false
}
