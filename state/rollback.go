package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/window"
)

// Purpose is what a run is for.
type Purpose string

// The purposes. Only nights decide whether a night is done.
const (
	ForNight    Purpose = "night"
	ForRollback Purpose = "rollback"
)

// ErrNoRun is wrapped where a run is asked for that the state does not have.
var ErrNoRun = errors.New("the state has no such run: audit_runs lists them")

// Ended is an earlier run as far as a rollback needs it.
type Ended struct {
	ID, Night string
	Window    window.Window
	Purpose   Purpose
	PlanJSON  []byte // nil where it made no plan
	PlanHash  string
	// Changed are the steps that changed their tables, in the order of the plan.
	Changed []int
}

// Ended reads an earlier run, whether or not it came to its end.
func (s *Store) Ended(ctx context.Context, id string) (Ended, error) {
	e := Ended{ID: id}
	var start, end int64
	var text, hash sql.NullString
	const query = `SELECT r.night, r.purpose, w.start_us, w.end_us, p.json, p.sha256
		FROM runs r JOIN windows w ON w.run_id = r.id LEFT JOIN plans p ON p.run_id = r.id WHERE r.id = ?`
	err := s.db.QueryRowContext(ctx, query, id).Scan(&e.Night, &e.Purpose, &start, &end, &text, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoRun
	}
	if err == nil {
		e.Window = window.Window{Start: fromMicros(start), End: fromMicros(end)}
		e.PlanJSON, e.PlanHash = []byte(text.String), hash.String
		e.Changed, err = collect(ctx, s.db, func(rows *sql.Rows) (step int, err error) { return step, rows.Scan(&step) },
			`SELECT step FROM steps WHERE run_id = ? AND status = ? AND changed = 1 ORDER BY step`, id, stepApplied)
	}
	if err != nil {
		return Ended{}, fmt.Errorf("state %s: reading run %s: %w", s.path, id, explain(err))
	}
	return e, nil
}

// TakenBack gives the tables that a rollback was the last to change, each with the rollback's run.
func (s *Store) TakenBack(ctx context.Context) (map[table.Location]string, error) {
	const query = `SELECT location, run_id FROM (
		SELECT s.location, s.run_id, r.purpose, row_number() OVER (PARTITION BY s.location ORDER BY s.finished_us DESC, r.attempt DESC) AS nth
		FROM steps s JOIN runs r ON r.id = s.run_id WHERE s.status = ? AND s.changed = 1)
		WHERE nth = 1 AND purpose = ?`
	type back struct {
		at  table.Location
		run string
	}
	list, err := collect(ctx, s.db, func(rows *sql.Rows) (b back, err error) { return b, rows.Scan(&b.at, &b.run) }, query, stepApplied, ForRollback)
	if err != nil {
		return nil, fmt.Errorf("state %s: looking for tables that were taken back: %w", s.path, explain(err))
	}
	found := make(map[table.Location]string, len(list))
	for _, b := range list {
		found[b.at] = b.run
	}
	return found, nil
}

// RecordReturns stores what is to become of each step that the run takes back; those with a step
// of their own count up in the run's plan.
func (r *Run) RecordReturns(ctx context.Context, of string, returns []plan.Return) error {
	const query = `INSERT INTO returns (run_id, of_run, of_step, step, way, reason, until_us) VALUES (?, ?, ?, ?, ?, ?, ?)`
	return r.write(ctx, "recording what it takes back", func(tx *sql.Tx) error {
		next := int64(0)
		return execAll(ctx, tx, query, len(returns), func(i int) []any {
			step, until := sql.NullInt64{}, sql.NullInt64{}
			if s := returns[i].Step; s != nil {
				step = sql.NullInt64{Int64: next, Valid: true}
				next++
				if s.Back != nil {
					until = sql.NullInt64{Int64: micros(s.Back.Until), Valid: true}
				}
			}
			return []any{r.ID, of, returns[i].Of, step, returns[i].Way, returns[i].Reason, until}
		})
	})
}
