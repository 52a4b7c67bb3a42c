package job

import (
	"log/slog"
	"time"

	"ajlo/job/config"
	"ajlo/job/execute"
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
	Store  *state.Store
	Engine execute.Engine
	Log    *slog.Logger
	// Progress is told how far the step of a table is; it may be nil.
	Progress func(step string, done, total unit.Bytes)
	// ID names the run; it is unique over all runs.
	ID string
	// Version is that of the program, kept with the run.
	Version string
	// Clock is the time now, for the lease and for how long things take; decisions never
	// see it.
	Clock func() time.Time
}
