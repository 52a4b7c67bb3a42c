package main

import (
	"context"
	"fmt"
	"time"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/pause"
	"ajlo/job/report"
	"ajlo/job/schedule"
)

type scheduleCommand struct {
	engineOptions
	Config string `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file; it is read anew each night."`
	Cron   string `required:"" placeholder:"EXPRESSION" help:"When nights are due: minute, hour, day, month and day of the week, such as '30 2 * * *'. Further firings of a date try a night again that failed, and change nothing of one that is done."`
	Zone   string `default:"UTC" help:"The zone of the expression and of nights' dates, such as Europe/Berlin."`
	DryRun bool   `help:"Stop each night before anything is changed."`
	JSON   bool   `help:"Print each run as JSON."`
}

// Run keeps running nights until the process is told to stop. A night that fails is logged, and
// the next one is run all the same.
func (c scheduleCommand) Run(ctx context.Context, w world) error {
	keeper, err := c.keeper(w)
	if err != nil {
		return err
	}
	next := keeper.Schedule.Next(w.clock())
	w.log.Info("waiting for the next night", "night", next.Night(), "at", next.At)
	return keeper.Keep(ctx)
}

func (c scheduleCommand) keeper(w world) (schedule.Keeper, error) {
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		return schedule.Keeper{}, &job.UsageError{Text: fmt.Sprintf("--zone %s: %v: want a name such as Europe/Berlin", c.Zone, err)}
	}
	s, err := schedule.Parse(c.Cron, zone)
	if err != nil {
		return schedule.Keeper{}, &job.UsageError{Text: "--cron: " + err.Error()}
	}
	conf, err := logOptions{Config: c.Config}.load()
	if err != nil {
		return schedule.Keeper{}, err
	}
	return schedule.Keeper{
		Schedule: s, Clock: w.clock, Wait: pause.For,
		Missed: func(ctx context.Context, f schedule.Firing) (bool, error) {
			return job.Missed(ctx, job.StateFile{Location: conf.State, Open: bucket.Open}, f.Night(), w.clock)
		},
		Run: func(ctx context.Context, f schedule.Firing) { c.night(ctx, w, f) },
	}, nil
}

// night is one run, as ajlo run does it.
func (c scheduleCommand) night(ctx context.Context, w world, f schedule.Firing) {
	w.log.Info("the night is due", "night", f.Night(), "at", f.At)
	run := runCommand{engineOptions: c.engineOptions, DryRun: c.DryRun, JSON: c.JSON}
	run.Config, run.Now = c.Config, f.End.Format(time.RFC3339Nano)
	if err := run.Run(ctx, w); err != nil {
		w.log.Error("the night did not end well", "night", f.Night(), "code", job.CodeOf(err), "err", report.Printable(err.Error()))
	}
}
