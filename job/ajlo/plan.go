package main

import (
	"context"

	"ajlo/job"
	"ajlo/job/joingraph"
	"ajlo/job/report"
	"ajlo/state"
)

type planCommand struct {
	evidenceOptions
	Force  bool `help:"Plan although the workload has not drifted."`
	JSON   bool `xor:"form" help:"Print the plan as JSON, as apply takes it."`
	Script bool `xor:"form" help:"Print the script."`
}

// Run decides and prints; nothing is changed.
func (c planCommand) Run(ctx context.Context, w world) (err error) {
	night, err := c.night(w)
	if err != nil {
		return err
	}
	past, closePast, err := openPast(ctx, night.Config.State)
	if err != nil {
		return err
	}
	defer func() {
		if failed := closePast(); failed != nil && err == nil {
			err = failed
		}
	}()
	decision, err := night.Decide(ctx, past, c.force())
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		_, err = w.out.Write(decision.PlanJSON)
	case c.Script:
		_, err = w.out.Write([]byte(decision.Script))
	default:
		err = report.Plan(w.out, decision.Plan)
	}
	return err
}

func (c planCommand) force() job.Triggering {
	if c.Force {
		return job.PlanAnyway
	}
	return job.PlanOnDrift
}

// openPast opens the state to read; a state that is not there yet is an empty past.
func openPast(ctx context.Context, path string) (job.Past, func() error, error) {
	store, err := state.OpenReadOnly(ctx, path)
	if missing(err) {
		return noPast{}, func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// noPast is the past of an installation that has not run yet.
type noPast struct{}

func (noPast) LastGraph(context.Context, string) (*joingraph.Graph, error) { return nil, nil }

func (noPast) InForce(context.Context, string) (*state.InForce, error) { return nil, nil }
