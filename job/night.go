package job

import (
	"context"
	"log/slog"
	"time"

	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/signal"
	"ajlo/job/unit"
	"ajlo/job/window"
	"ajlo/state"
)

// Mode says how far a run goes.
type Mode string

// The modes: all the way, or up to the plan and its script.
const (
	Execute Mode = "execute"
	DryRun  Mode = "dry-run"
)

// Night is one run with everything it depends on. All fields are set before Run.
type Night struct {
	Config config.Config
	Window window.Window
	Mode   Mode
	// Facts are folders of facts that are read beside, or instead of, the config's sources.
	Facts []config.Source
	// FactsOf are the sources that Facts have to be of.
	FactsOf []config.Source
	// Strict ends the run before it decides anything where an application cannot be read.
	Strict bool
	// Approval is a person's leave for the plan that Apply is given; nil for none.
	Approval *Approval
	Store    *state.Store
	Engine   execute.Engine
	// Own is the engine in Go, which puts files back that any engine took out; a rollback takes it.
	Own Returner
	// Folders is how tables' folders are opened; object.Open, which knows local ones only, where
	// nil.
	Folders object.Opener
	// Catalogs are asked where tables are that nothing else places.
	Catalogs []Locator
	Log      *slog.Logger
	// Progress is told how far the step of a table is; it may be nil.
	Progress func(step string, done, total unit.Bytes)
	// Signals tell others what the run does; nil for nobody.
	Signals *signal.Sender
	// ID names the run; it is unique over all runs.
	ID string
	// Version is that of the program, kept with the run.
	Version string
	// Clock is the time now, for the lease and for how long things take; decisions never
	// see it.
	Clock func() time.Time
}

// Returner is an engine that can put the files of before a step back in the place of the step's.
type Returner interface {
	execute.Engine
	WayBack(ctx context.Context, step plan.Step) (plan.Back, error)
}

// opener is Folders or what stands for it.
func (n Night) opener() object.Opener {
	if n.Folders == nil {
		return object.Open
	}
	return n.Folders
}

// observe reads what the window's logs say.
func (n Night) observe(ctx context.Context) (Observed, error) {
	o := Observer{Sources: n.Config.Sources, Open: n.opener(), Facts: n.Facts, FactsOf: n.FactsOf, Cache: n.Config.Cache, Log: n.Log, Clock: n.Clock,
		Histories: &Histories{Config: n.Config, Open: n.opener(), Catalogs: n.Catalogs, Log: n.Log}}
	observed, err := o.Observe(ctx, n.Window)
	if err == nil {
		err = observed.Uncovered
	}
	if err == nil && n.Strict {
		err = observed.Strictly()
	}
	return observed, err
}
