// Package byhand stands for a person who runs the night's script, on a platform that ajlo does
// not reach.
//
// In comes a step of a plan; nothing comes out: every step is refused, since the script is what
// carries it out. What always holds: nothing is read but to say whether there is a table, and
// nothing is ever written.
package byhand

import (
	"context"
	"fmt"

	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// Name is the engine's name in config, plan and state.
const Name = "script"

// Engine is the engine that does nothing.
type Engine struct{ Open object.Opener }

// Name is the constant Name.
func (Engine) Name() string { return Name }

var _ execute.Engine = Engine{}

// Unsupported is empty for every table that can be read: what a platform does not do it says
// itself.
func (e Engine) Unsupported(ctx context.Context, location table.Location) ([]string, error) {
	store, err := e.Open(string(location))
	if err == nil {
		_, err = lake.Open(ctx, store, table.Name(location), location)
	}
	if err != nil {
		return nil, fmt.Errorf("look at table %s: %w", location, err)
	}
	return nil, nil
}

// Check refuses: a person runs the script.
func (Engine) Check(_ context.Context, step plan.Step) error { return byPerson(step) }

// Apply refuses as Check does.
func (Engine) Apply(_ context.Context, step plan.Step, _ execute.Recorder) (execute.Result, error) {
	return execute.Result{}, byPerson(step)
}

// Sweep finds nothing, as nothing was written.
func (Engine) Sweep(context.Context, execute.Leftover) (execute.Swept, error) {
	return execute.Swept{}, nil
}

func byPerson(step plan.Step) error {
	return execute.Refuse(step, "the config has engine: {kind: script}: run the night's script on its platform, or name an engine that ajlo may run")
}
