package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// Apply rewrites the table and commits, or leaves it as it was. A step whose layout the
// table has already changes nothing.
func (e *Engine) Apply(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	start, tried := e.o.Now(), 0
	for attempt := 1; ; attempt++ {
		r, err := e.attempt(ctx, step, rec)
		tried += r.Attempts
		if err == nil {
			r.Attempts, r.Took = tried, e.o.Now().Sub(start)
			return r, nil
		}
		var conflict *delta.Conflict
		if !errors.As(err, &conflict) {
			return execute.Result{}, err
		}
		if attempt == maxAttempts {
			return execute.Result{}, fmt.Errorf("rewrite %s: others changed it during each of %d attempts, try again when it is quieter: %w",
				step.Table, maxAttempts, err)
		}
		if err := e.o.Wait(ctx, e.pause(attempt)); err != nil {
			return execute.Result{}, err
		}
	}
}

// pause grows from attempt to attempt and varies by half to either side, so that two that
// lost to each other do not meet again.
func (e *Engine) pause(attempt int) time.Duration {
	return time.Duration(float64(firstPause<<(attempt-1)) * (0.5 + e.o.Random()))
}

// attempt is one rewrite of the newest version. Its error is a *delta.Conflict where another
// attempt may succeed; Attempts is set then, too.
func (e *Engine) attempt(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	t, err := e.open(ctx, step)
	if err != nil {
		return execute.Result{}, err
	}
	if t.done(step) {
		return execute.Result{Version: t.lake.Version}, nil
	}
	s, err := t.scope(step)
	if err != nil {
		return execute.Result{}, err
	}
	if err := e.checkSpace(step, t, s); err != nil {
		return execute.Result{}, err
	}
	if err := rec.Spend(s.bytes()); err != nil {
		return execute.Result{}, err
	}
	out, err := s.rewrite(ctx, rewrite.Options{
		Memory: e.o.Memory, Spill: e.o.Spill, Parallel: e.o.Parallel, NewID: e.o.NewID, Progress: rec.Progress,
		Room:   func(bytes unit.Bytes) error { return e.checkSpill(step, bytes) },
		Intend: func(ctx context.Context, paths []string) error { return rec.Intend(ctx, step.Location, paths) },
	})
	if err != nil {
		return execute.Result{}, t.refusal(err)
	}
	if len(out.Files) == 0 { // not a row in any file: no order to put them in
		return execute.Result{Version: t.lake.Version}, nil
	}
	change, err := e.change(step, t, s, out, rec.Stamp())
	if err == nil {
		// An empty intent asks whether this run still holds its lease: files of one that lost
		// it may be swept by the next, so they must not be committed.
		err = rec.Intend(ctx, step.Location, nil)
	}
	if err != nil {
		return execute.Result{}, errors.Join(err, rewrite.Discard(context.WithoutCancel(ctx), t.store, out.Paths()))
	}
	return e.commit(ctx, t, s, out, change)
}

// commit makes the change part of the table, or takes the new files away again.
func (e *Engine) commit(ctx context.Context, t opened, s scope, out made, c delta.Change) (execute.Result, error) {
	done, err := delta.Commit(ctx, t.store, t.delta, c)
	afterwards := context.WithoutCancel(ctx)
	if errors.Is(err, delta.ErrOutcomeUnknown) {
		found, readErr := findNamed(afterwards, t.store, out.Paths())
		if readErr != nil || len(found.paths) == 0 {
			return execute.Result{}, errors.Join(fmt.Errorf("the new files are kept, the next run finds out: %w", err), readErr)
		}
		done, err = delta.Committed{Version: found.version, Attempts: 1}, nil
	}
	if err != nil {
		return execute.Result{Attempts: 1}, errors.Join(err, rewrite.Discard(afterwards, t.store, out.Paths()))
	}
	r := execute.Result{
		Changed: true, Version: done.Version, FilesRemoved: len(s.files), FilesAdded: len(out.Files),
		BytesRemoved: s.bytes(), Removed: out.Removed, Added: out.Added, Attempts: done.Attempts, Paths: out.Paths(),
	}
	for _, f := range out.Files {
		r.BytesAdded += f.Bytes
	}
	if done.Checkpoint != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("no checkpoint was written after version %d, the next one that is due makes up for it: %v", done.Version, done.Checkpoint))
	}
	return r, nil
}
