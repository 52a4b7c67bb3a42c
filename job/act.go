package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/verify"
	"ajlo/state"
)

// execute carries out the steps of the plan. Every step is checked before the first is
// applied; those that the engine refuses are left out. The first step that fails ends the
// work: the rest stay pending for the night's next run. The error is one of recording; what
// became of the steps is in them.
func (n Night) execute(ctx context.Context, d Decision, l Lake, r *record) ([]Step, error) {
	steps := make([]Step, len(d.Plan.Steps))
	for i, s := range d.Plan.Steps {
		steps[i] = Step{Table: s.Table, Kind: s.Kind, Status: StepPending}
		if err := n.check(ctx, d, l, s); err != nil {
			if err := n.recordFailure(ctx, r, i, &steps[i], err); err != nil {
				return steps, err
			}
		}
	}
	purse := newPurse(n.settings())
	for i := range steps {
		if steps[i].Status != StepPending {
			continue
		}
		if err := n.apply(ctx, r, d, l, purse, i, &steps[i]); err != nil {
			return steps, err
		}
		if steps[i].Status == StepFailed {
			break
		}
	}
	return steps, nil
}

// check refuses what lies outside write: and a table whose keys or owner are not as planned,
// before it asks the engine (rule 3).
func (n Night) check(ctx context.Context, d Decision, l Lake, s plan.Step) error {
	if !n.Config.MayWrite(s.Table, s.Location) {
		return &execute.Refusal{Table: s.Table, Reason: "it is not under write: in the config"}
	}
	if found, ok := l.find(s.Table); ok {
		if why := withheld(ctx, n.Catalogs, found.Names); len(why) > 0 {
			return &execute.Refusal{Table: s.Table, Reason: strings.Join(why, "; ")}
		}
	}
	if s.Kind == plan.Rollback { // what it was planned for is looked up in the table's history
		if _, reason := placed(l, s); reason != "" {
			return &execute.Refusal{Table: s.Table, Reason: reason}
		}
		return n.engineFor(s).Check(ctx, s)
	}
	if reason := stale(d.Plan, l, s); reason != "" {
		return &execute.Refusal{Table: s.Table, Reason: reason}
	}
	if said, ok := n.settings().StatementOf(d.Plan, s); n.Engine.Name() != plan.EmbeddedEngine && (!ok || said != s.Statement) {
		return &execute.Refusal{Table: s.Table, Reason: "its statement is not what its layout makes: make a new plan"}
	}
	return n.Engine.Check(ctx, s)
}

// engineFor is the night's engine; files that are put back are ajlo's own commit, whatever engine
// took them out.
func (n Night) engineFor(s plan.Step) execute.Engine {
	if s.Back != nil {
		return n.Own
	}
	return n.Engine
}

// stale says how a table's place, keys or owner differ from what was planned; empty where they
// do not, or where the step is done already.
func stale(p plan.Plan, l Lake, s plan.Step) string {
	now, reason := placed(l, s)
	if reason != "" {
		return reason
	}
	at := slices.IndexFunc(p.Tables, func(t plan.Table) bool { return t.Table == s.Table && t.Location == s.Location })
	switch {
	case at < 0:
		return "the plan has a step for it and no decision: make a new plan"
	case now.Owner == delta.OwnerUs && layout.SameKeys(now.Layout, s.Layout):
		return ""
	case !layout.SameKeys(now.Layout, p.Tables[at].Current):
		return fmt.Sprintf("its keys are %s, the plan found %s: make a new plan", now.Layout, p.Tables[at].Current)
	case now.Owner != p.Tables[at].Owner:
		return fmt.Sprintf("its keys belong to %q, the plan found %q: make a new plan", now.Owner, p.Tables[at].Owner)
	}
	return ""
}

// placed is a step's table where logs and config have it; the plan's own word for a place is not
// taken.
func placed(l Lake, s plan.Step) (now lake.Snapshot, reason string) {
	found, ok := l.find(s.Table)
	switch now = found.Snapshot; {
	case !ok:
		return now, "it is not found by the logs of the window, by lake.tables or by lake.roots: place it in the config"
	case found.Unreadable != "":
		return now, "it cannot be read: " + found.Unreadable
	case now.Location != s.Location:
		return now, fmt.Sprintf("the plan has it at %s, logs and config at %s: make a new plan", s.Location, now.Location)
	}
	return now, ""
}

// apply does one step. What the table has become is recorded even where the run is told to
// stop meanwhile.
func (n Night) apply(ctx context.Context, r *record, d Decision, l Lake, purse *purse, number int, step *Step) error {
	s := d.Plan.Steps[number]
	if err := n.quiet(s); err != nil {
		return n.recordFailure(ctx, r, number, step, err)
	}
	if err := r.run.StepStarted(ctx, number); err != nil {
		return err
	}
	r.told.stepBegan(ctx, number, s)
	defer func() { r.told.stepEnded(ctx, number, s, *step) }()
	if s.Back == nil {
		n.Log.Info("rewriting", "table", s.Table, "layout", s.Layout.String(), "bytes", s.Expected.Rewrite)
	} else {
		n.Log.Info("putting files back", "table", s.Table, "version", s.Back.Version, "files", s.Back.Files)
	}
	result, err := n.engineFor(s).Apply(ctx, s, stepRecorder{
		run: r.run, number: number, step: s, purse: purse, quiet: n.quiet,
		stamp:    r.stamp(n, d, number),
		progress: n.progressOf(s),
	})
	if err != nil {
		return n.recordFailure(ctx, r, number, step, err)
	}
	for _, warning := range result.Warnings {
		n.Log.Warn(warning, "table", s.Table, "version", result.Version)
	}
	if s.Back == nil {
		purse.take(s, result.BytesRemoved)
	}
	own, cancel := settling(ctx)
	defer cancel()
	if err := verify.Rows(result); err != nil {
		return errors.Join(r.run.Committed(own, number), n.recordFailure(ctx, r, number, step, err))
	}
	step.Status, step.Result = StepApplied, result
	err = r.run.StepApplied(own, number, result)
	if err == nil && result.Changed {
		// The plan's own way back leads to the version it saw; others may have written since.
		err = errors.Join(r.run.UndoIs(own, number, n.settings().UndoOf(d.Plan, s, result.Previous)), n.keepBounds(own, r, l, number, s))
	}
	return err
}

// quiet refuses to begin a rewrite of a table in its quiet hours. A step that is under way goes on
// to its commit; one that lost to another writer is not begun again.
func (n Night) quiet(s plan.Step) error { return Quiet(n.Config, s.Table, s.Location, n.Clock()) }

// Quiet refuses to begin a change of a table in its quiet hours.
func Quiet(c config.Config, name table.Name, location table.Location, now time.Time) error {
	until, ok := c.QuietUntil(name, location, now)
	if !ok {
		return nil
	}
	if until.IsZero() {
		return &execute.Refusal{Table: name, Reason: "its quiet hours never end: leave it some under quiet:"}
	}
	return &execute.Refusal{Table: name, Reason: fmt.Sprintf("its quiet hours last until %s: run it again after that", until.Format(time.RFC3339))}
}

// keepBounds keeps what later queries are judged by: the table as it was before new keys.
func (n Night) keepBounds(ctx context.Context, r *record, l Lake, number int, s plan.Step) error {
	before, ok := l.find(s.Table)
	if !ok || s.Kind != plan.Rekey || len(before.Snapshot.Files) > mostKept {
		return nil
	}
	return r.run.KeepBounds(ctx, number, before.Snapshot)
}

// mostKept is the greatest number of files whose bounds are kept: about ten megabytes in the
// state.
const mostKept = 50_000

// settling is a context for recording what has happened: it outlives the run's own.
func settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
}

// recordFailure keeps why a step did not happen: an engine's refusal, or a failure.
func (n Night) recordFailure(ctx context.Context, r *record, number int, step *Step, cause error) error {
	own, cancel := settling(ctx)
	defer cancel()
	var refused *execute.Refusal
	if errors.As(cause, &refused) {
		step.fail(StepRefused, cause)
		return r.run.StepRefused(own, number, cause)
	}
	step.fail(StepFailed, cause)
	return r.run.StepFailed(own, number, cause)
}

func (s *Step) fail(status StepStatus, err error) {
	s.Status, s.err, s.Err = status, err, err.Error()
}

func (n Night) progressOf(s plan.Step) func(done, total unit.Bytes) {
	if n.Progress == nil {
		return nil
	}
	return func(done, total unit.Bytes) { n.Progress(string(s.Table), done, total) }
}

// sweep looks at what dead attempts left: a step that did commit is recorded as such, and of
// one that did not only the files of its own list are deleted.
func (n Night) sweep(ctx context.Context) error {
	leftovers, err := n.Store.Leftovers(ctx)
	if err != nil {
		return err
	}
	for _, l := range leftovers {
		if n.mayStillWrite(l) {
			n.Log.Warn("files of a run that was given up are left for a later night: its process may only be stalled, or what it sent be on its way", "run", l.Run, "location", l.Location)
			continue
		}
		if l.Engine != n.Engine.Name() {
			n.Log.Warn("what a run of another engine left is looked at when that engine runs again", "run", l.Run, "engine", l.Engine, "location", l.Location)
			continue
		}
		swept, err := n.Engine.Sweep(ctx, execute.Leftover{Run: l.Run, Location: l.Location, Paths: l.Paths})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // of one table; the others have their night
			n.Log.Warn("what a dead run left cannot be looked at and stays until it can", "run", l.Run, "location", l.Location, "err", err)
			continue
		}
		for _, path := range swept.Foreign {
			n.Log.Warn("a file that the state has for one of a dead run is left alone: it does not say that the run wrote it", "run", l.Run, "location", l.Location, "file", path)
		}
		if swept.Committed {
			n.Log.Warn("a step of a dead run had committed", "run", l.Run, "step", l.Step, "location", l.Location, "version", swept.Version)
			err = n.Store.FoundCommitted(ctx, l, swept.Version, slices.Concat(swept.Gone, swept.Foreign))
		} else {
			n.Log.Warn("what a dead run left was taken away", "run", l.Run, "location", l.Location, "files", len(swept.Gone))
			err = n.Store.Swept(ctx, l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// giveUpFor is how long the files of a run are left alone whose process nobody can be sure
// is gone: one that was stalled, not dead, must not commit files that were swept. An engine
// asks for its lease right before it commits, so any pause longer than that moment is enough.
// Nor is it known of a commit that was sent to a storage whether it arrives after its sender's end.
const giveUpFor = time.Hour

func (n Night) mayStillWrite(l state.Leftover) bool {
	return n.Clock().Sub(l.EndedAt) < giveUpFor && (!object.IsLocal(string(l.Location)) || l.Interrupted && !holderDead(l.Holder))
}
