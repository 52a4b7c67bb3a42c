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
	Holder      string // which process
	// Dead reports whether the process that a Holder names is known to be gone, so that its
	// lease need not be waited for. It must never be wrong: nil, and whatever it is not sure
	// of, means that the lease is waited for.
	Dead   func(holder string) bool
	DryRun bool
	// PlanHash is the SHA-256 of a plan that was made before, for a run that carries it out;
	// empty for a run that plans. It decides when there is nothing left to do.
	PlanHash string
	// Approval is the person who approved what the run will do; the zero value where nobody was
	// asked.
	Approval Approval
	// Again begins a run although the night is done: what is wanted of it has changed.
	Again bool
	// Undoes is the run that this one takes back; empty for a night. A rollback is no attempt at
	// its night, which may be done or not.
	Undoes string
	// LeaseFor is how long the run may go without recording anything before another may
	// take over. It must be well above the longest pause of a healthy run.
	LeaseFor time.Duration
}

// Approval is a person's leave, and until when it holds.
type Approval struct {
	By    string
	Until time.Time
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
// marked interrupted on the way. It fails with *LeaseHeld while another run is at work, and
// with *AlreadyDone where there is nothing left to do: a run of the night, no dry run, has a
// final outcome, or b brings a plan along that was carried out whole. A dry run always
// begins, since advice may be asked for at any time.
func (s *Store) Begin(ctx context.Context, b Beginning) (*Run, error) {
	for {
		if err := s.freshen(ctx); err != nil {
			return nil, err
		}
		r, err := s.begin(ctx, b)
		if !errors.Is(err, errBehind) {
			return r, err
		}
	}
}

// begin fails with errBehind where another process has recorded something since the state was
// fetched: it may hold the lease.
func (s *Store) begin(ctx context.Context, b Beginning) (*Run, error) {
	if b.ID == "" || b.LeaseFor <= 0 {
		return nil, fmt.Errorf("state %s: beginning a run: want an id and a lease above zero, have %q and %v", s.path, b.ID, b.LeaseFor)
	}
	r := &Run{ID: b.ID, Night: b.Window.Night(), store: s, leaseFor: b.LeaseFor}
	var done *AlreadyDone
	err := s.inTx(ctx, "beginning run "+b.ID, func(tx *sql.Tx) (err error) {
		if err = leaseFree(ctx, tx, s.now(), b.Dead); err != nil {
			return err
		}
		if r.Interrupted, err = interruptDead(ctx, tx, s.now()); err != nil {
			return err
		}
		if done, err = doneBefore(ctx, tx, b); done != nil || err != nil {
			return err // none where it is done: what interruptDead did is kept
		}
		return r.insert(ctx, tx, b)
	})
	switch {
	case err != nil:
		return nil, err
	case done != nil:
		return nil, done
	}
	return r, nil
}

// leaseFree fails with *LeaseHeld while a lease has not expired and its holder may be alive.
func leaseFree(ctx context.Context, tx *sql.Tx, now time.Time, dead func(holder string) bool) error {
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
	held.Until = fromMicros(until)
	if !now.Before(held.Until) || (dead != nil && dead(held.Holder)) {
		return nil
	}
	return &held
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

const (
	nightDone = `SELECT id, night, outcome FROM runs WHERE night = ? AND purpose = 'night' AND dry_run = 0 AND outcome IS NOT NULL ORDER BY attempt DESC`
	planDone  = `SELECT r.id, r.night, r.outcome FROM runs r JOIN plans p ON p.run_id = r.id
		WHERE p.sha256 = ? AND r.dry_run = 0 AND r.outcome IS NOT NULL ORDER BY r.night DESC, r.attempt DESC`
)

// doneBefore is nil where b has something to do.
func doneBefore(ctx context.Context, tx *sql.Tx, b Beginning) (*AlreadyDone, error) {
	if b.DryRun || b.Again || b.Undoes != "" {
		return nil, nil
	}
	query, key, counts := nightDone, b.Window.Night(), Outcome.Final
	if b.PlanHash != "" {
		query, key, counts = planDone, b.PlanHash, Outcome.inForce
	}
	ended, err := collect(ctx, tx, func(rows *sql.Rows) (done AlreadyDone, err error) {
		return done, rows.Scan(&done.Run, &done.Night, &done.Outcome)
	}, query, key)
	for _, done := range ended {
		if counts(done.Outcome) {
			return &done, err
		}
	}
	return nil, err
}

func (r *Run) insert(ctx context.Context, tx *sql.Tx, b Beginning) error {
	const attempt = `SELECT coalesce(max(attempt), 0) + 1 FROM runs WHERE night = ?`
	if err := tx.QueryRowContext(ctx, attempt, r.Night).Scan(&r.Attempt); err != nil {
		return err
	}
	now := r.store.now()
	purpose := ForNight
	if b.Undoes != "" {
		purpose = ForRollback
	}
	const run = `INSERT INTO runs (id, night, attempt, dry_run, engine, config_hash, code_version, holder, started_us, approved_by, approved_until_us, purpose, undoes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), iif(? = '', NULL, ?), ?, nullif(?, ''))`
	_, err := tx.ExecContext(ctx, run, b.ID, r.Night, r.Attempt, b.DryRun, b.Engine, b.ConfigHash, b.CodeVersion, b.Holder, micros(now),
		b.Approval.By, b.Approval.By, micros(b.Approval.Until), purpose, b.Undoes)
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
