package main

import (
	"context"
	"errors"

	"ajlo/job"
	"ajlo/job/report"
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
	past, closePast, err := job.OpenPast(ctx, night.StateFile())
	if err != nil {
		return err
	}
	defer closing(closePast, &err)
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
	return errors.Join(decision.Refused(), err)
}

func (c planCommand) force() job.Triggering {
	if c.Force {
		return job.PlanAnyway
	}
	return job.PlanOnDrift
}
