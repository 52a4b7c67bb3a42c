package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"ajlo/job/execute"
)

// stepStatus is where a step of a plan stands.
type stepStatus string

const (
	stepPending stepStatus = "pending"
	stepRunning stepStatus = "running"
	stepApplied stepStatus = "applied"
	stepFailed  stepStatus = "failed"
	stepRefused stepStatus = "refused"
	stepSkipped stepStatus = "skipped"
)

// StepStarted says that the engine is about to carry out a step; steps count from 0.
func (r *Run) StepStarted(ctx context.Context, step int) error {
	return r.move(ctx, step, stepRunning, []stepStatus{stepPending}, nil, `started_us = ?`, micros(r.store.now()))
}

// StepApplied stores the engine's answer. Its files are part of the table from here on; other
// files that the step named belonged to attempts that lost, and the engine took them away.
func (r *Run) StepApplied(ctx context.Context, step int, answer execute.Result) error {
	const set = `finished_us = ?, answer = ?, changed = ?, version = ?, files_removed = ?, files_added = ?,
		bytes_removed = ?, bytes_added = ?, row_count = ?, attempts = ?, took_us = ?`
	a := answer
	settled := func(tx *sql.Tx) error {
		if err := settleAs(ctx, tx, r.ID, step, fileCommitted, a.Paths, r.store.now()); err != nil {
			return err
		}
		return settle(ctx, tx, r.ID, step, fileSwept, r.store.now())
	}
	return r.move(ctx, step, stepApplied, []stepStatus{stepRunning}, settled, set, micros(r.store.now()), jsonOf(a), a.Changed, a.Version,
		a.FilesRemoved, a.FilesAdded, int64(a.BytesRemoved), int64(a.BytesAdded), a.Added.Rows, a.Attempts, a.Took.Microseconds())
}

// UndoIs replaces the way back of a step by the one that its commit allows.
func (r *Run) UndoIs(ctx context.Context, step int, undo string) error {
	return r.write(ctx, fmt.Sprintf("step %d: recording its undo", step), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE steps SET undo = ? WHERE run_id = ? AND step = ?`, undo, r.ID, step)
		return err
	})
}

// StepFailed stores why a step did not happen. Files that it named stay on the write-ahead
// list until they are swept.
func (r *Run) StepFailed(ctx context.Context, step int, cause error) error {
	return r.end(ctx, step, stepFailed, []stepStatus{stepPending, stepRunning}, textOf(cause))
}

// StepRefused stores why an engine would not do a step; nothing was written.
func (r *Run) StepRefused(ctx context.Context, step int, cause error) error {
	return r.end(ctx, step, stepRefused, []stepStatus{stepPending, stepRunning}, textOf(cause))
}

// StepSkipped stores why a step was left undone on purpose.
func (r *Run) StepSkipped(ctx context.Context, step int, why string) error {
	return r.end(ctx, step, stepSkipped, []stepStatus{stepPending}, why)
}

func (r *Run) end(ctx context.Context, step int, to stepStatus, from []stepStatus, why string) error {
	return r.move(ctx, step, to, from, nil, `finished_us = ?, note = ?`, micros(r.store.now()), why)
}

// move takes a step from one of the statuses it may have to another; also, where not nil, is
// done in the same transaction.
func (r *Run) move(ctx context.Context, step int, to stepStatus, from []stepStatus, also func(*sql.Tx) error, set string, args ...any) error {
	return r.write(ctx, fmt.Sprintf("step %d: recording that it is %s", step, to), func(tx *sql.Tx) error {
		if err := mayMove(ctx, tx, r.ID, step, from); err != nil {
			return err
		}
		args := append([]any{to}, append(args, r.ID, step)...)
		if _, err := tx.ExecContext(ctx, `UPDATE steps SET status = ?, `+set+` WHERE run_id = ? AND step = ?`, args...); err != nil {
			return err
		}
		if also != nil {
			return also(tx)
		}
		return nil
	})
}

func mayMove(ctx context.Context, tx *sql.Tx, run string, step int, from []stepStatus) error {
	var have stepStatus
	err := tx.QueryRowContext(ctx, `SELECT status FROM steps WHERE run_id = ? AND step = ?`, run, step).Scan(&have)
	if errors.Is(err, sql.ErrNoRows) {
		return errors.New("the recorded plan has no such step: record the plan first")
	}
	if err != nil {
		return err
	}
	words := make([]string, len(from))
	for i, f := range from {
		if f == have {
			return nil
		}
		words[i] = string(f)
	}
	return fmt.Errorf("the step is %s, not %s", have, strings.Join(words, " or "))
}

// Effect is one thing measured about what a step did. A figure is nil where it is not known.
type Effect struct {
	Step     int
	Measure  string // "scanned_bytes", "overlap_depth", …
	Subject  string // a column or a query class; empty for the whole table
	Unit     string // "bytes", "files", …
	Before   *float64
	Foretold *float64
	After    *float64
}

// RecordEffects stores what was measured of steps; measuring again replaces.
func (r *Run) RecordEffects(ctx context.Context, effects []Effect) error {
	const query = `INSERT OR REPLACE INTO effects (run_id, step, measure, subject, unit, before, foretold, after, recorded_us)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	now := micros(r.store.now())
	return r.write(ctx, "recording effects", func(tx *sql.Tx) error {
		return execAll(ctx, tx, query, len(effects), func(i int) []any {
			e := effects[i]
			return []any{r.ID, e.Step, e.Measure, e.Subject, e.Unit, e.Before, e.Foretold, e.After, now}
		})
	})
}
