package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/report"
)

type configCommand struct {
	Check configCheckCommand `cmd:"" help:"Try what the config names: logs, tables, state and engine. Nothing is changed."`
	Init  configInitCommand  `cmd:"" help:"Look at logs and a lake, write a first config with comments, and say what would be gained. Nothing else is changed."`
}

type configCheckCommand struct {
	logOptions
	JSON bool `help:"Print as JSON."`
}

// Run ends with 2 where a run would fail.
func (c configCheckCommand) Run(ctx context.Context, w world) error {
	night, err := c.night(w)
	if err != nil {
		return err
	}
	checks := night.Check(ctx)
	if c.JSON {
		err = printJSON(w.out, checks)
	} else {
		err = checks.Write(w.out)
	}
	if n := checks.Faults(); n > 0 && err == nil {
		err = &job.UsageError{Text: fmt.Sprintf("a run by this config would fail on %d of %d things: mend what is marked as fault", n, len(checks))}
	}
	return err
}

type configInitCommand struct {
	Logs  []place `required:"" placeholder:"URL" help:"Folders of event logs."`
	Lake  []place `required:"" placeholder:"URL" help:"Folders that hold tables as db.db/table or db/table."`
	Out   string  `type:"path" default:"ajlo.yaml" help:"The file to write; one that is there is left alone."`
	Since string  `default:"" placeholder:"TIME|DURATION|all" help:"Start of the window that is looked at. Default: 7d before its end."`
	Now   string  `default:"" placeholder:"TIME" help:"End of the window. Default: the clock."`
}

// Run writes the file, and prints the advice that it gives.
func (c configInitCommand) Run(ctx context.Context, w world) (err error) {
	if _, err := os.Lstat(c.Out); err == nil {
		return &job.UsageError{Text: fmt.Sprintf("%s is there already: name another file with --out", c.Out)}
	}
	for _, p := range c.Lake {
		if err := p.isFolder(); err != nil {
			return &job.UsageError{Text: fmt.Sprintf("--lake: %v: name the folder that holds the tables", err)}
		}
	}
	night, err := c.night(w)
	if err != nil {
		return err
	}
	proposal, err := night.Propose(ctx, filepath.Dir(c.Out))
	if err != nil {
		return err
	}
	if err := writeNew(c.Out, proposal.Text); err != nil {
		return err
	}
	w.log.Info("a config was written: look it over, then: ajlo run --config "+c.Out, "file", c.Out)
	for _, name := range proposal.Missing {
		w.log.Warn("a table of the logs was not found: place it under lake.tables", "table", name)
	}
	return c.advise(ctx, w, night, proposal.Config)
}

// night looks at what was named, and keeps nothing.
func (c configInitCommand) night(w world) (job.Night, error) {
	text := "sources: [" + quoted(c.Logs, "{logs: %q}") + "]\nlake: {roots: [" + quoted(c.Lake, "%q") + "]}\nbudget: {rewrite: 1GB}\ncache: none\n"
	conf, err := config.Parse([]byte(text), filepath.Dir(c.Out))
	if err != nil {
		return job.Night{}, err
	}
	span, err := logOptions{Since: c.Since, Now: c.Now}.window(w.clock, conf.Window)
	return job.Night{Config: conf, Window: span, Engine: newEmbedded(conf, w), Folders: bucket.Open, Log: w.log, Version: version, Clock: w.clock}, err
}

func quoted(places []place, form string) string {
	texts := make([]string, len(places))
	for i, p := range places {
		texts[i] = fmt.Sprintf(form, string(p))
	}
	return strings.Join(texts, ", ")
}

func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// advise plans as a dry run by the new config would, and keeps nothing.
func (c configInitCommand) advise(ctx context.Context, w world, night job.Night, conf config.Config) (err error) {
	night.Config = conf
	night.Config.Cache = ""
	past, closePast, err := job.OpenPast(ctx, night.StateFile())
	if err != nil {
		return err
	}
	defer closing(closePast, &err)
	decision, err := night.Decide(ctx, past, job.PlanAnyway)
	if err != nil {
		return err
	}
	return errors.Join(report.Plan(w.out, decision.Plan), decision.Refused())
}
