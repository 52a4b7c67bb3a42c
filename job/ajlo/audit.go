package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"ajlo/job"
	"ajlo/job/report"
)

type auditCommand struct {
	View string `arg:"" optional:"" enum:",changes,runs,steps,drift,edges,candidates,untouched,verdicts" default:"" help:"One view as a table: changes, runs, steps, drift, edges, candidates, untouched or verdicts. Without one: what was changed and why, night by night, and what never was."`
	stateOptions
	Since   string `placeholder:"DATE" help:"The first night that is wanted."`
	Table   string `placeholder:"NAME" help:"One table alone."`
	CSV     bool   `xor:"form" help:"Print the view as CSV."`
	JSON    bool   `xor:"form" help:"Print as JSON."`
	Parquet string `type:"path" placeholder:"FILE" xor:"form" help:"Write the view into a Parquet file."`
}

// Run reads the state and changes nothing.
func (c auditCommand) Run(ctx context.Context, w world) error {
	at, err := c.state()
	if err != nil {
		return err
	}
	if c.View == "" {
		return c.summary(ctx, w, at)
	}
	l, err := job.AuditView(ctx, at, c.View, c.asked())
	if err != nil {
		return err
	}
	switch {
	case c.CSV:
		return l.WriteCSV(w.out)
	case c.JSON:
		return printJSON(w.out, l)
	case c.Parquet != "":
		return writeParquet(c.Parquet, l)
	}
	return l.Write(w.out)
}

func (c auditCommand) summary(ctx context.Context, w world, at job.StateFile) error {
	if c.CSV || c.Parquet != "" {
		return &job.UsageError{Text: "audit: CSV and Parquet hold one view: name one of " + strings.Join(job.AuditViews(), ", ")}
	}
	a, err := job.Audit(ctx, at, c.asked())
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(w.out, a)
	}
	return a.Write(w.out)
}

func (c auditCommand) asked() job.Asked { return job.Asked{Since: c.Since, Table: c.Table} }

// state is the one to read.
func (c auditCommand) state() (job.StateFile, error) {
	if c.Since != "" {
		if _, err := time.Parse(time.DateOnly, c.Since); err != nil {
			return job.StateFile{}, &job.UsageError{Text: "--since " + c.Since + ": want the date of a night, such as 2026-11-30"}
		}
	}
	return c.file()
}

func writeParquet(path string, l report.Listing) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return l.WriteParquet(f)
}
