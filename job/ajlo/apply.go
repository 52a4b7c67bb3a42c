package main

import (
	"context"
	"fmt"
	"os"

	"ajlo/job"
)

type applyCommand struct {
	engineOptions
	Config string `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file."`
	Plan   string `arg:"" type:"path" help:"The plan's JSON file."`
	JSON   bool   `help:"Print the run as JSON."`
}

// Run carries out a plan that was decided before, by its own inputs.
func (c applyCommand) Run(ctx context.Context, w world) (err error) {
	night, err := logOptions{Config: c.Config}.night(w)
	if err == nil {
		err = c.give(&night, w)
	}
	if err != nil {
		return err
	}
	planJSON, err := os.ReadFile(c.Plan)
	if err != nil {
		return &job.UsageError{Text: fmt.Sprintf("the plan cannot be read: %v: name a file that plan --json wrote", err)}
	}
	closeState, err := night.Open(ctx)
	if err != nil {
		return err
	}
	defer closing(closeState, &err)
	result, err := night.Apply(ctx, planJSON)
	return printed(w.out, result, c.JSON, err)
}
