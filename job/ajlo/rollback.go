package main

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/report"
)

type rollbackCommand struct {
	engineOptions
	RunID  string `arg:"" name:"run" help:"The run to take back, as its last line or audit_runs names it."`
	Config string `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file."`
	DryRun bool   `help:"Print in full what would be done and until when, and do none of it."`
	JSON   bool   `help:"Print as JSON."`
	approvalOptions
}

// Run takes back what a run changed, as far as no row is lost by it.
func (c rollbackCommand) Run(ctx context.Context, w world) (err error) {
	night, err := c.night(w)
	if err != nil {
		return err
	}
	open := night.Open
	if c.DryRun {
		night.Mode, open = job.DryRun, night.OpenToRead
	}
	closeState, err := open(ctx)
	if err != nil {
		return err
	}
	defer closing(closeState, &err)
	result, err := night.Rollback(ctx, c.RunID)
	if result.Of == "" {
		return err
	}
	if failed := c.print(w, result); failed != nil && err == nil {
		return failed
	}
	return err
}

func (c rollbackCommand) night(w world) (job.Night, error) {
	conf, err := logOptions{Config: c.Config}.load()
	if err != nil {
		return job.Night{}, err
	}
	engine, err := newEngine(conf, w)
	if err != nil {
		return job.Night{}, err
	}
	catalogs, err := newCatalogs(conf)
	if err != nil {
		return job.Night{}, err
	}
	n := job.Night{
		Config: conf, Mode: job.Execute, Engine: engine, Own: newReturner(conf, w, catalogs), Folders: bucket.Open, Log: w.log,
		Progress: newProgress(w), ID: uuid.NewString(), Version: version, Clock: w.clock,
	}
	if n.Approval, err = c.approval(); err != nil {
		return job.Night{}, err
	}
	if n.Signals, err = newSignals(conf, w); err != nil {
		return job.Night{}, err
	}
	return n, c.give(&n, w)
}

func (c rollbackCommand) print(w world, r job.Rollback) error {
	if c.JSON {
		enc := json.NewEncoder(w.out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	page := report.Rollback{ID: r.Run, Of: r.Of, Night: r.Night, Outcome: r.Outcome.String(), PlanHash: r.PlanHash, Returns: r.Returns}
	for _, s := range r.Steps {
		page.Steps = append(page.Steps, stepOf(s))
	}
	return page.Write(w.out)
}
