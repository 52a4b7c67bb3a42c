package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/report"
)

type stateCommand struct {
	Backup  backupCommand  `cmd:"" help:"Copy the state, as it is at one moment, to a place where nothing is yet, and read the copy back."`
	Restore restoreCommand `cmd:"" help:"Put a backup in the place of the state; what was there is kept beside it."`
	Check   checkCommand   `cmd:"" help:"Hold the state against what must be true of every state. Ends with 6 where something is not."`
	Prune   pruneCommand   `cmd:"" help:"Take the detail of old runs that changed nothing out of the state; without --yes only say what would go."`
	Rebuild rebuildCommand `cmd:"" help:"Write a lost state anew from what runs left in the tables' own histories and from the plans beside the state."`
}

// stateOptions say which state is meant.
type stateOptions struct {
	Config string `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file, which names the state."`
	State  place  `placeholder:"URL" help:"The state, a file or a URL of object storage, instead of the config's."`
}

func (o stateOptions) file() (job.StateFile, error) {
	at := job.StateFile{Location: string(o.State), Open: bucket.Open}
	if at.Location != "" {
		return at, nil
	}
	conf, err := logOptions{Config: o.Config}.load()
	if errUsage := new(job.UsageError); errors.As(err, &errUsage) {
		return at, &job.UsageError{Text: "no state: name one with --state, or a config with --config"}
	}
	at.Location = conf.State
	return at, err
}

type backupCommand struct {
	To place `arg:"" placeholder:"FILE|URL" help:"Where to: a file on this machine or a URL."`
	stateOptions
	JSON bool `help:"Print as JSON."`
}

// Run copies.
func (c backupCommand) Run(ctx context.Context, w world) error {
	at, err := c.file()
	if err != nil {
		return err
	}
	b, err := job.MakeBackup(ctx, at, string(c.To))
	if err != nil {
		return err
	}
	return show(w.out, c.JSON, b, [][2]string{
		{"state", b.State}, {"backup", b.Place}, {"holds", held(b.Runs, b.Newest)}, {"size", fmt.Sprintf("%d bytes, format %d", b.Bytes, b.Format)}, {"SHA-256", b.SHA256},
	})
}

func held(runs int, newest string) string {
	if runs == 0 {
		return "no run"
	}
	return fmt.Sprintf("%d runs, the last of night %s", runs, newest)
}

// show prints a value as JSON, or the lines that say the same to a person.
func show(out io.Writer, asJSON bool, value any, lines [][2]string) error {
	if asJSON {
		return printJSON(out, value)
	}
	return report.Lines(out, lines)
}

type restoreCommand struct {
	From place `arg:"" placeholder:"FILE|URL" help:"The backup; or the URL of another state in object storage, whose newest version is taken."`
	stateOptions
	Replace bool `help:"Also where the state knows of runs that the backup does not; it is kept beside all the same."`
	Upgrade bool `help:"Also a backup of an older format, brought up to date."`
	JSON    bool `help:"Print as JSON."`
}

// Run puts a backup back.
func (c restoreCommand) Run(ctx context.Context, w world) error {
	at, err := c.file()
	if err != nil {
		return err
	}
	r, err := job.Restore(ctx, at, string(c.From), job.Restoring{Replace: c.Replace, Upgrade: c.Upgrade}, w.clock)
	if err != nil {
		return err
	}
	lines := [][2]string{{"state", r.State}, {"from", r.From}, {"holds", held(r.Runs, r.Newest)}}
	if r.SHA256 == "" {
		lines = append(lines, [2]string{"SHA-256", "none stood beside the backup: it was only read whole"})
	} else {
		lines = append(lines, [2]string{"SHA-256", r.SHA256 + ", as it stood beside the backup"})
	}
	if r.Aside != "" {
		lines = append(lines, [2]string{"kept", "what was there before: " + r.Aside})
	}
	return show(w.out, c.JSON, r, lines)
}

type checkCommand struct {
	From place `arg:"" optional:"" placeholder:"FILE|URL" help:"A state or a backup; default: the config's state."`
	stateOptions
	JSON bool `help:"Print as JSON."`
}

// Run checks and changes nothing.
func (c checkCommand) Run(ctx context.Context, w world) error {
	if c.From != "" {
		c.State = c.From
	}
	at, err := c.file()
	if err != nil {
		return err
	}
	found, err := job.CheckState(ctx, at)
	if err != nil {
		return err
	}
	return errors.Join(show(w.out, c.JSON, found, c.lines(found)), found.Faulty())
}

func (checkCommand) lines(c job.Checked) [][2]string {
	lines := [][2]string{{"state", c.State}, {"holds", held(c.Runs, c.Newest)}}
	for _, f := range c.Findings {
		word := "note"
		if f.Fault {
			word = "fault"
		}
		lines = append(lines, [2]string{word, f.Rule + ": " + f.What})
	}
	if c.Faulty() == nil {
		lines = append(lines, [2]string{"good", "the file is whole, and what must be true of it is"})
	}
	return lines
}

type pruneCommand struct {
	stateOptions
	OlderThan string `required:"" placeholder:"DURATION" help:"How old a night is whose detail may go, such as 400d."`
	Yes       bool   `help:"Do it; wants --backup."`
	Backup    place  `placeholder:"FILE|URL" help:"Where a copy of the whole state goes first."`
	JSON      bool   `help:"Print as JSON."`
}

// Run prunes, or says what it would.
func (c pruneCommand) Run(ctx context.Context, w world) error {
	age, err := config.ParseAge(c.OlderThan)
	if err != nil {
		return &job.UsageError{Text: fmt.Sprintf("--older-than: %v", err)}
	}
	if c.Yes && c.Backup == "" {
		return &job.UsageError{Text: "prune --yes: name with --backup where a copy of the whole state goes first"}
	}
	at, err := c.file()
	if err != nil {
		return err
	}
	before := w.clock().Add(-age)
	var p job.Pruned
	if c.Yes {
		p, err = job.Prune(ctx, at, before, string(c.Backup), w.clock)
	} else {
		p, err = job.Prunable(ctx, at, before)
	}
	if err != nil {
		return err
	}
	return show(w.out, c.JSON, p, c.lines(p))
}

func (pruneCommand) lines(p job.Pruned) [][2]string {
	verb := "would go"
	if p.Done {
		verb = "gone"
	}
	lines := [][2]string{{"state", p.State}, {"before", p.Before}}
	for _, r := range p.Runs {
		lines = append(lines, [2]string{verb, fmt.Sprintf("night %s, run %s, %s: %d rows of detail and a plan of %d bytes", r.Night, r.Run, r.Outcome, r.Rows, r.Plan)})
	}
	rows, bytes := p.Rows()
	lines = append(lines, [2]string{"together", fmt.Sprintf("%d runs, %d rows, %d bytes of plans; runs that changed a table, and those the next night stands on, stay whole", len(p.Runs), rows, bytes)})
	switch {
	case p.Backup != nil:
		lines = append(lines, [2]string{"backup", p.Backup.Place + ", SHA-256 " + p.Backup.SHA256})
	case len(p.Runs) > 0:
		lines = append(lines, [2]string{"next", "nothing was changed: --yes --backup PLACE does it"})
	}
	return lines
}

type rebuildCommand struct {
	Config string `short:"c" type:"path" required:"" env:"AJLO_CONFIG" help:"The config file, which says where tables and state are."`
	JSON   bool   `help:"Print as JSON."`
}

// Run rebuilds into the config's state, which must have no run.
func (c rebuildCommand) Run(ctx context.Context, w world) (err error) {
	night, err := logOptions{Config: c.Config}.night(w)
	if err != nil {
		return err
	}
	closeState, err := night.Open(ctx)
	if err != nil {
		return err
	}
	defer closing(closeState, &err)
	r, err := night.Rebuild(ctx)
	if err != nil {
		return err
	}
	lines := [][2]string{
		{"state", r.State},
		{"looked at", fmt.Sprintf("%d tables", r.Tables)},
		{"rebuilt", fmt.Sprintf("%d runs with %d steps, %d of the runs rollbacks, %d with their plans", r.Runs, r.Steps, r.Rollbacks, r.Plans)},
		{"lost", "nights that changed nothing, drift, effects and what later queries said"},
	}
	for _, at := range r.Unreadable {
		lines = append(lines, [2]string{"unreadable", at})
	}
	return show(w.out, c.JSON, r, lines)
}
