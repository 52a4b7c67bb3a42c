package job

import (
	"context"
	"fmt"

	"ajlo/job/lake"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/state"
)

// verify holds the tables as they are now against what they were and what was foretold, and
// records both.
func (n Night) verify(ctx context.Context, o Observed, result Result, before Lake, r *record) ([]verify.Effect, error) {
	effects := []verify.Effect{}
	for i, step := range result.Steps {
		if step.Status != StepApplied || !step.Result.Changed {
			continue
		}
		planned := result.Decision.Plan.Steps[i]
		then, ok := before.find(planned.Table)
		if !ok {
			continue
		}
		now, err := lake.Open(ctx, then.store, planned.Table, planned.Location)
		if err != nil {
			return effects, fmt.Errorf("verify %s after step %d: %w", planned.Table, i+1, err)
		}
		if err := r.run.RecordSnapshots(ctx, []lake.Snapshot{now}); err != nil {
			return effects, err
		}
		measured, err := measure(o, result.Decision.Reach, i, planned, then, now)
		if err != nil {
			return effects, err
		}
		effects = append(effects, measured...)
	}
	if err := r.run.RecordCalibration(ctx, calibrations(calibratedFor(n.readers()), result.Decision.Plan, effects)); err != nil {
		return effects, err
	}
	return effects, r.run.RecordEffects(ctx, stored(effects))
}

// measure gives the bytes that the window's queries would scan, where they are known, and
// the overlap of the keys.
func measure(o Observed, reach plan.Reach, step int, planned plan.Step, before Found, now lake.Snapshot) ([]verify.Effect, error) {
	bounds := verify.Bounds(step, before.Snapshot, now, planned.Layout.Clustering)
	if o.Queries == nil {
		return bounds, nil
	}
	scanned, err := reach.ScannedBytes(now, before.Names, o.Queries)
	if err != nil {
		return nil, err
	}
	return append([]verify.Effect{verify.Scanned(step, planned.Table, planned.Expected, scanned)}, bounds...), nil
}

// calibrations are what the measured steps that gave new keys teach.
func calibrations(reader string, p plan.Plan, effects []verify.Effect) (list []state.Calibration) {
	for _, e := range effects {
		if s := p.Steps[e.Step]; e.Measure == verify.ScannedBytes && s.Kind == plan.Rekey && e.Foretold != nil && e.After != nil {
			list = append(list, calibrate(reader, p, s, *e.Foretold, *e.After))
		}
	}
	return list
}

func (l Lake) find(name table.Name) (Found, bool) {
	at, ok := l.names[name]
	if !ok {
		return Found{}, false
	}
	return l.Tables[at], true
}

func stored(effects []verify.Effect) []state.Effect {
	list := make([]state.Effect, len(effects))
	for i, e := range effects {
		list[i] = state.Effect{Step: e.Step, Measure: string(e.Measure), Subject: e.Subject, Unit: e.Unit,
			Before: e.Before, Foretold: e.Foretold, After: e.After}
	}
	return list
}
