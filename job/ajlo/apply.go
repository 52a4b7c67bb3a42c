package main

import (
	"context"
	"fmt"
	"strings"

	"ajlo/job"
)

type applyCommand struct {
	engineOptions
	Config string `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file."`
	Plan   place  `arg:"" help:"The plan's JSON file, or its URL."`
	JSON   bool   `help:"Print the run as JSON."`
	approvalOptions
}

// approvalOptions are a person's leave.
type approvalOptions struct {
	ApprovedPlan  string `placeholder:"SHA256" help:"The plan that a person approved, by its SHA-256; with --approved-by and --approved-until."`
	ApprovedBy    string `placeholder:"NAME" help:"Who approved it."`
	ApprovedUntil string `placeholder:"TIME" help:"From when on the approval does not hold any more, RFC 3339 or a date in UTC."`
}

// maxName is how many bytes the name of a person has at most.
const maxName = 200

// approval is nil where none was given.
func (o approvalOptions) approval() (*job.Approval, error) {
	if o == (approvalOptions{}) {
		return nil, nil
	}
	until, err := parseTime(o.ApprovedUntil)
	if err != nil {
		return nil, &job.UsageError{Text: "--approved-until " + o.ApprovedUntil + ": want a time such as 2026-11-30T06:00:00Z or a date"}
	}
	if o.ApprovedPlan == "" || strings.TrimSpace(o.ApprovedBy) == "" || len(o.ApprovedBy) > maxName {
		return nil, &job.UsageError{Text: "an approval names the plan, a person and until when it holds: give --approved-plan, --approved-by and --approved-until"}
	}
	return &job.Approval{Plan: strings.ToLower(o.ApprovedPlan), By: o.ApprovedBy, Until: until}, nil
}

// Run carries out a plan that was decided before, by its own inputs.
func (c applyCommand) Run(ctx context.Context, w world) (err error) {
	night, err := logOptions{Config: c.Config}.night(w)
	if err == nil {
		err = c.give(&night, w)
	}
	if err == nil {
		night.Approval, err = c.approval()
	}
	if err != nil {
		return err
	}
	planJSON, err := c.Plan.read(ctx)
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
