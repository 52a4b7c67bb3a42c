package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"ajlo/job/window"
)

// Beginning is what a run is before it has done anything.
type Beginning struct {
	ID          string // unique over all time
	Window      window.Window
	ConfigHash  string
	CodeVersion string
	Engine      string
	Holder      string // which process, for people: host and process id
	DryRun      bool
	// LeaseFor is how long the run may go without recording anything before another may
	// take over. It must be well above the longest pause of a healthy run.
	LeaseFor time.Duration
}

// Run is a run that holds the lease. Each of its methods that records something also renews
// the lease, and fails with ErrLeaseLost where another run has taken it.
type Run struct {
	ID      string
	Night   string // UTC date of the window's end
	Attempt int    // 1, 2, … within the night
	// Interrupted lists the runs found dead when this one began.
	Interrupted []string

	store    *Store
	leaseFor time.Duration
}

// Begin takes the lease and opens a run for the night of b's window. Runs that died are
// marked interrupted on the way, whatever else Begin finds. It fails with *LeaseHeld while
// another run is at work, and with *AlreadyDone where a run of the night, no dry run, has a
// final outcome and b is no dry run either: advice may be asked for at any time.
func (s *Store) Begin(ctx context.Context, b Beginning) (*Run, error) {
	if b.ID == "" || b.LeaseFor <= 0 {
		return nil, fmt.Errorf("state %s: beginning a run: want an id and a lease above zero, have %q and %v", s.path, b.ID, b.LeaseFor)
	}
	r := &Run{ID: b.ID, Night: b.Window.Night(), store: s, leaseFor: b.LeaseFor}
	var done *AlreadyDone
	err := s.inTx(ctx, "beginning run "+b.ID, func(tx *sql.Tx) (err error) {
		if err = leaseFree(ctx, tx, s.now()); err != nil {
			return err
		}
		if r.Interrupted, err = interruptDead(ctx, tx, s.now()); err != nil {
			return err
		}
		if done, err = doneBefore(ctx, tx, r.Night); err != nil {
			return err
		}
		if done != nil && !b.DryRun {
			return nil // what interruptDead did is kept
		}
		return r.insert(ctx, tx, b)
	})
	if err != nil {
		return nil, err
	}
	if done != nil && !b.DryRun {
		return nil, done
	}
	return r, nil
}

// leaseFree fails with *LeaseHeld while a lease has not expired.
func leaseFree(ctx context.Context, tx *sql.Tx, now time.Time) error {
	var held LeaseHeld
	var until int64
	const query = `SELECT l.run_id, r.holder, l.until_us FROM lease l JOIN runs r ON r.id = l.run_id`
	err := tx.QueryRowContext(ctx, query).Scan(&held.Run, &held.Holder, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if held.Until = fromMicros(until); now.Before(held.Until) {
		return &held
	}
	return nil
}

// interruptDead ends the runs that never did so themselves. A step of theirs that was
// running counts as failed until its commit is found in the table's history.
func interruptDead(ctx context.Context, tx *sql.Tx, now time.Time) ([]string, error) {
	dead, err := texts(ctx, tx, `SELECT id FROM runs WHERE outcome IS NULL ORDER BY started_us, id`)
	if err != nil {
		return nil, err
	}
	const why = "its lease ran out before it ended: it was killed, or lost its machine"
	for _, id := range dead {
		if err := endRun(ctx, tx, id, Interrupted, why, now); err != nil {
			return nil, err
		}
	}
	return dead, nil
}

func doneBefore(ctx context.Context, tx *sql.Tx, night string) (*AlreadyDone, error) {
	done := AlreadyDone{Night: night}
	const query = `SELECT id, outcome FROM runs WHERE night = ? AND dry_run = 0 AND outcome IN (?, ?, ?) ORDER BY attempt DESC LIMIT 1`
	err := tx.QueryRowContext(ctx, query, night, NoDrift, NothingToDo, Applied).Scan(&done.Run, &done.Outcome)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &done, err
}

func (r *Run) insert(ctx context.Context, tx *sql.Tx, b Beginning) error {
	const attempt = `SELECT coalesce(max(attempt), 0) + 1 FROM runs WHERE night = ?`
	if err := tx.QueryRowContext(ctx, attempt, r.Night).Scan(&r.Attempt); err != nil {
		return err
	}
	now := r.store.now()
	const run = `INSERT INTO runs (id, night, attempt, dry_run, engine, config_hash, code_version, holder, started_us)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	_, err := tx.ExecContext(ctx, run, b.ID, r.Night, r.Attempt, b.DryRun, b.Engine, b.ConfigHash, b.CodeVersion, b.Holder, micros(now))
	if err != nil {
		return err
	}
	const span = `INSERT INTO windows (run_id, start_us, end_us) VALUES (?, ?, ?)`
	if _, err := tx.ExecContext(ctx, span, b.ID, micros(b.Window.Start), micros(b.Window.End)); err != nil {
		return err
	}
	const lease = `INSERT OR REPLACE INTO lease (id, run_id, until_us) VALUES (1, ?, ?)`
	_, err = tx.ExecContext(ctx, lease, b.ID, micros(now.Add(b.LeaseFor)))
	return err
}

// texts reads a column of texts.
func texts(ctx context.Context, db querier, query string, args ...any) (out []string, err error) {
	return collect(ctx, db, func(rows *sql.Rows) (text string, err error) {
		return text, rows.Scan(&text)
	}, query, args...)
}

// collect reads every row of a query and closes it before it returns, since the next query
// waits for the one connection there is.
func collect[T any](ctx context.Context, db querier, scan func(*sql.Rows) (T, error), query string, args ...any) (out []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		value, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, rows.Err()
}
