package main

import (
	"context"
	"fmt"
	"os"

	"ajlo/job"
	"ajlo/state"
)

type applyCommand struct {
	logOptions
	Plan string `arg:"" type:"path" help:"The plan's JSON file."`
	JSON bool   `help:"Print the run as JSON."`
}

// Run carries out a plan that was decided before, by its own inputs.
func (c applyCommand) Run(ctx context.Context, w world) (err error) {
	night, err := c.night(w)
	if err != nil {
		return err
	}
	planJSON, err := os.ReadFile(c.Plan)
	if err != nil {
		return &job.UsageError{Text: fmt.Sprintf("the plan cannot be read: %v: name a file that plan --json wrote", err)}
	}
	night.Store, err = state.Open(ctx, night.Config.State, w.clock)
	if err != nil {
		return err
	}
	defer closing(night.Store, &err)
	result, err := night.Apply(ctx, planJSON)
	return printed(w.out, result, c.JSON, err)
}
