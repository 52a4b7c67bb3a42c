package job

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ajlo/job/drift"
	"ajlo/job/joingraph"
	"ajlo/job/plan"
	"ajlo/job/script"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/state"
)

// Apply carries out a plan that was decided before and records it as a run of the plan's
// night. The plan says what it was made from; logs are not read again. A plan that was
// carried out before changes nothing.
func (n Night) Apply(ctx context.Context, planJSON []byte) (Result, error) {
	d, err := n.adopt(planJSON)
	if err != nil {
		return Result{}, err
	}
	n.Window = d.Plan.Window
	ctx, record, done, err := n.begin(ctx, d.PlanHash)
	if err != nil || done != nil {
		return n.alreadyDone(done), err
	}
	result, err := n.carryOut(ctx, d, record)
	return result, errors.Join(err, record.end(result, err))
}

func (n Night) carryOut(ctx context.Context, d Decision, record *record) (result Result, err error) {
	result = n.started()
	result.Decision = d
	if err := n.approved(d.PlanHash); err != nil {
		result.Outcome = state.Refused
		return result, err
	}
	if err := n.sweep(ctx); err != nil {
		return result, err
	}
	observed := n.observedAgain(ctx)
	lake := n.lookAt(ctx, d.Plan.Steps, observed)
	if err := record.decision(ctx, d, lake); err != nil {
		return result, err
	}
	if result.PlanFile, result.ScriptFile, err = n.keep(ctx, d); err != nil {
		return result, err
	}
	if len(d.Plan.Steps) == 0 {
		result.Outcome = state.NothingToDo
		return result, nil
	}
	return n.act(ctx, result, observed, lake, record)
}

// observedAgain reads the plan's window so that what a step does to it can be measured; the
// plan stands without, and logs may be gone by now.
func (n Night) observedAgain(ctx context.Context) Observed {
	observed, err := n.observe(ctx)
	if err != nil {
		n.Log.Warn("the plan's window cannot be read again: what its queries would scan is not measured", "err", err)
		return Observed{}
	}
	return observed
}

// adopt reads a plan back and refuses what the config does not stand behind.
func (n Night) adopt(planJSON []byte) (Decision, error) {
	p, err := plan.ParseKnown(planJSON)
	if err != nil {
		return Decision{}, &UsageError{err.Error() + ": give a file that plan --json wrote"}
	}
	d := Decision{
		Graph: p.Graph, Scores: p.Drift, Plan: p, PlanJSON: planJSON, PlanHash: plan.Hash(planJSON),
		Trigger: drift.Trigger{Fired: p.Triggered, Reason: p.Trigger, First: []joingraph.EdgeKey{}},
	}
	d.Script = script.Write(p, d.PlanHash)
	return d, n.mayAdopt(p)
}

// mayAdopt checks a plan against the config of today: its engine, its budgets, and that it
// holds as much as it says.
func (n Night) mayAdopt(p plan.Plan) error {
	refuse := func(format string, args ...any) error {
		return &Incomplete{state.Refused, "the plan is refused: " + fmt.Sprintf(format, args...) + ": make a new plan"}
	}
	if p.Engine != n.Engine.Name() {
		return refuse("it was made for engine %q, the config names %q", p.Engine, n.Engine.Name())
	}
	if p.Window.Start.IsZero() || !p.Window.Start.Before(p.Window.End) {
		return refuse("it names no window")
	}
	left := map[plan.Kind]unit.Bytes{plan.Rekey: n.Config.Budget.Rewrite, plan.Upkeep: n.Config.Budget.Upkeep, plan.Rollback: n.Config.Budget.Rewrite}
	for _, s := range p.Steps {
		if _, known := left[s.Kind]; !known || (s.Kind == plan.Rollback) != (s.Back != nil) {
			return refuse("step %s is of kind %q", s.Table, s.Kind)
		}
		if s.Expected.Rewrite < 0 || s.TargetFile < minTargetFile {
			return refuse("step %s makes files of %s and rewrites %s", s.Table, s.TargetFile, s.Expected.Rewrite)
		}
		if s.Expected.Rewrite > left[s.Kind] { // not added up: sums of what anybody wrote may overflow
			return refuse("step %s rewrites %s, the config's budget for %s has %s left for it", s.Table, s.Expected.Rewrite, s.Kind, left[s.Kind])
		}
		left[s.Kind] -= s.Expected.Rewrite
	}
	return nil
}

// minTargetFile is the least size of files that config and plans may ask for: smaller ones
// cost more to open than to read.
const minTargetFile = unit.KiB

// lookAt finds and opens the tables that steps speak of, where logs and config have them: the
// plan's own word for a place is not taken.
func (n Night) lookAt(ctx context.Context, steps []plan.Step, o Observed) Lake {
	search := newSearch(n)
	for _, q := range o.Queries {
		for _, scan := range q.Scans {
			if slices.ContainsFunc(steps, func(s plan.Step) bool { return s.Table == scan.Table }) {
				search.add(ctx, o.sources[q.App], scan.Table, scan.Location)
			}
		}
	}
	for _, s := range steps {
		for _, source := range n.Config.Sources {
			search.add(ctx, source, s.Table, table.Location(s.Table))
		}
	}
	return search.lake()
}
