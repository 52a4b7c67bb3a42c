package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// write runs do in a transaction, if the run still holds the lease, and renews the lease.
func (r *Run) write(ctx context.Context, what string, do func(*sql.Tx) error) error {
	return r.store.inTx(ctx, "run "+r.ID+": "+what, func(tx *sql.Tx) error {
		if err := r.renew(ctx, tx); err != nil {
			return err
		}
		return do(tx)
	})
}

// renew is the fence: a lease that ran out but that nobody took is still ours.
func (r *Run) renew(ctx context.Context, tx *sql.Tx) error {
	until := micros(r.store.now().Add(r.leaseFor))
	result, err := tx.ExecContext(ctx, `UPDATE lease SET until_us = max(until_us, ?) WHERE run_id = ?`, until, r.ID)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrLeaseLost)
	}
	return nil
}

// Extend renews the lease while a long piece of work records nothing, and tells whether it
// is still held: an engine that is about to commit after such work asks here first.
func (r *Run) Extend(ctx context.Context) error {
	return r.write(ctx, "renewing the lease", func(*sql.Tx) error { return nil })
}

// Finish ends the run and gives the lease back. cause is the error that the outcome comes
// from, nil for none; its text is stored. A run that was told to stop calls it with a context
// of its own, since the cancelled one writes nothing.
func (r *Run) Finish(ctx context.Context, outcome Outcome, cause error) error {
	if _, err := ParseOutcome(string(outcome)); err != nil {
		return fmt.Errorf("run %s: finishing: %w", r.ID, err)
	}
	return r.write(ctx, "finishing as "+outcome.String(), func(tx *sql.Tx) error {
		if err := endRun(ctx, tx, r.ID, outcome, textOf(cause), r.store.now()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM lease WHERE run_id = ?`, r.ID)
		return err
	})
}

// endRun closes a run and those of its steps that its end decides: one that was running did
// not get to its end, and a dry run's are left undone on purpose.
func endRun(ctx context.Context, tx *sql.Tx, id string, outcome Outcome, why string, now time.Time) error {
	const run = `UPDATE runs SET outcome = ?, finished_us = ?, error = nullif(?, '') WHERE id = ? AND outcome IS NULL`
	if _, err := tx.ExecContext(ctx, run, outcome, micros(now), why, id); err != nil {
		return err
	}
	const broken = `UPDATE steps SET status = ?, finished_us = ?, note = ? WHERE run_id = ? AND status = ?`
	_, err := tx.ExecContext(ctx, broken, stepFailed, micros(now), "the run ended before this step did", id, stepRunning)
	if err != nil || outcome != DryRun {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE steps SET status = ? WHERE run_id = ? AND status = ?`, stepSkipped, id, stepPending)
	return err
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// execAll prepares a statement once and runs it with each of n rows of arguments.
func execAll(ctx context.Context, tx *sql.Tx, query string, n int, row func(i int) []any) (err error) {
	if n == 0 {
		return nil
	}
	statement, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	for i := range n {
		if _, err := statement.ExecContext(ctx, row(i)...); err != nil {
			return err
		}
	}
	return nil
}
