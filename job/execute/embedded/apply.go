package embedded

import (
	"context"
	"errors"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/iceberg"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// Apply rewrites the table and commits, or leaves it as it was. A step whose layout the
// table has already changes nothing.
func (e *Engine) Apply(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	attempt := e.attempt
	if step.Back != nil {
		attempt = e.attemptBack
	}
	retry := execute.Retry{Pause: firstPause, Now: e.o.Now, Random: e.o.Random, Wait: e.o.Wait}
	return retry.Do(ctx, step.Table, conflicts, func() (execute.Result, error) { return attempt(ctx, step, rec) })
}

func conflicts(err error) bool {
	var conflict *delta.Conflict
	return errors.As(err, &conflict) || errors.Is(err, iceberg.ErrMoved)
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
	if err := e.checkStorage(ctx, step, t.store); err != nil {
		return execute.Result{}, err
	}
	s, err := t.scope(step)
	if err != nil {
		return execute.Result{}, err
	}
	e.promises.drop(step.Location)
	if err := e.checkRoom(step, t.store, wanted{files: execute.RoomFor(execute.SizeOf(s.files))}); err != nil {
		return execute.Result{}, err
	}
	if err := rec.Spend(execute.SizeOf(s.files)); err != nil {
		return execute.Result{}, err
	}
	out, err := s.rewrite(ctx, rewrite.Options{
		Memory: e.o.Memory, Spill: e.o.Spill, Parallel: e.o.Parallel, NewID: e.o.NewID, Run: rec.Stamp().Run, Progress: rec.Progress,
		Intend: func(ctx context.Context, paths []string) error { return rec.Intend(ctx, step.Location, paths) },
	}, func(spilled, left unit.Bytes) error {
		return e.checkRoom(step, t.store, wanted{files: execute.RoomFor(left), spilled: spilled})
	})
	if err != nil {
		return execute.Result{}, t.refusal(err)
	}
	if len(out.Files) == 0 { // not a row in any file: no order to put them in
		return execute.Result{Version: t.lake.Version}, nil
	}
	// An empty intent asks whether this run still holds its lease: files of one that lost it may
	// be swept by the next, so they must not be committed.
	if err := rec.Intend(ctx, step.Location, nil); err != nil {
		return execute.Result{}, errors.Join(err, rewrite.Discard(context.WithoutCancel(ctx), t.store, out.Paths()))
	}
	return e.commit(ctx, t, s, out, e.change(step, t, s, out, rec.Stamp()))
}

// commit makes the change part of the table, or takes the new files away again.
func (e *Engine) commit(ctx context.Context, t opened, s scope, out made, c delta.Change) (execute.Result, error) {
	done, err := execute.Commit(ctx, t.store, t.delta, c)
	if errors.Is(err, delta.ErrOutcomeUnknown) {
		return execute.Result{}, err
	}
	if err != nil {
		return execute.Result{Attempts: 1}, err
	}
	r := execute.Result{
		Changed: true, Version: done.Version, Previous: done.Version - 1, FilesRemoved: len(s.files), FilesAdded: len(out.Files),
		BytesRemoved: execute.SizeOf(s.files), Removed: out.Removed, Added: out.Added, Attempts: done.Attempts, Paths: out.Paths(),
		Warnings: execute.NoCheckpoint(done),
	}
	for _, f := range out.Files {
		r.BytesAdded += f.Bytes
	}
	return r, nil
}
