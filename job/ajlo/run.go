package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/report"
)

type runCommand struct {
	evidenceOptions
	engineOptions
	DryRun       bool         `help:"Stop before anything is changed."`
	JSON         bool         `help:"Print the run as JSON."`
	NoChangeCode job.ExitCode `placeholder:"N" help:"Exit code where the night changed no table and nothing went wrong; Airflow skips on 99. Default: 0."`
}

// Run is one night.
func (c runCommand) Run(ctx context.Context, w world) (err error) {
	night, err := c.night(w)
	if err == nil {
		err = c.give(&night, w)
	}
	if err != nil {
		return err
	}
	if c.DryRun {
		night.Mode = job.DryRun
	}
	closeState, err := night.Open(ctx)
	if err != nil {
		return err
	}
	defer closing(closeState, &err)
	result, err := night.Run(ctx)
	err = printed(w.out, result, c.JSON, err)
	if err == nil && c.NoChangeCode != 0 && !result.Changed() {
		return unchanged(c.NoChangeCode)
	}
	return err
}

// unchanged ends the program with the code that was asked for where nothing was changed.
type unchanged job.ExitCode

func (unchanged) Error() string { return "no table was changed" }

// night puts a run together from config and options; the caller opens the state.
func (o logOptions) night(w world) (job.Night, error) {
	c, err := o.load()
	if err != nil {
		return job.Night{}, err
	}
	span, err := o.window(w.clock, c.Window)
	if err != nil {
		return job.Night{}, err
	}
	signals, err := newSignals(c, w)
	if err != nil {
		return job.Night{}, err
	}
	catalogs, err := newCatalogs(c)
	if err != nil {
		return job.Night{}, err
	}
	engine, err := newEngine(c, w)
	if err != nil {
		return job.Night{}, err
	}
	return job.Night{
		Config: c, Catalogs: catalogs, Signals: signals, Window: span, Mode: job.Execute, Engine: engine, Own: newReturner(c, w, catalogs), Folders: bucket.Open, Log: w.log,
		Progress: newProgress(w), ID: uuid.NewString(), Version: version, Clock: w.clock,
	}, nil
}

func closing(c func() error, err *error) {
	if failed := c(); failed != nil && *err == nil {
		*err = failed
	}
}

// printed renders a result; the run's own error comes first.
func printed(out io.Writer, r job.Result, asJSON bool, runErr error) error {
	if r.Run == "" {
		return runErr
	}
	if err := render(out, r, asJSON); err != nil && runErr == nil {
		return err
	}
	return runErr
}

func printJSON(out io.Writer, value any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

func render(out io.Writer, r job.Result, asJSON bool) error {
	if asJSON {
		return printJSON(out, r)
	}
	page := report.Run{
		ID: r.Run, Night: r.Night, Outcome: r.Outcome.String(), Earlier: r.Earlier, Plan: r.Decision.Plan,
		Effects: r.Effects, Verdicts: r.Decision.Judgements, PlanFile: r.PlanFile, ScriptFile: r.ScriptFile,
	}
	if r.AwaitsApproval {
		page.Awaits = r.Decision.PlanHash
	}
	for _, s := range r.Steps {
		page.Steps = append(page.Steps, stepOf(s))
	}
	return page.Write(out)
}

func stepOf(s job.Step) report.Step {
	return report.Step{
		Table: string(s.Table), Status: string(s.Status), Err: s.Err, Changed: s.Result.Changed, FilesRemoved: s.Result.FilesRemoved,
		FilesAdded: s.Result.FilesAdded, Rows: s.Result.Added.Rows, Version: s.Result.Version,
	}
}
