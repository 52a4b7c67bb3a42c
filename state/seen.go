package state

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Seen is how much of a workload a window showed.
type Seen struct {
	Applications *int // nil where it was not kept
	TaskMS       int64
}

// sameLength is how far the lengths of two windows may differ that are compared, in microseconds.
const sameLength = int64(time.Minute / time.Microsecond)

// Seen are the latest windows of a length that were observed before a night, the newest first and
// at most n, one for each night, however their runs ended: a workload that stays smaller becomes
// what is usual.
func (s *Store) Seen(ctx context.Context, night string, length time.Duration, n int) ([]Seen, error) {
	const query = `SELECT applications, task_ms FROM (
		SELECT r.night, w.applications, w.task_ms, row_number() OVER (PARTITION BY r.night ORDER BY r.attempt DESC) AS nth
		FROM windows w JOIN runs r ON r.id = w.run_id
		WHERE r.night < ? AND w.recorded_us IS NOT NULL AND abs(w.end_us - w.start_us - ?) < ?)
		WHERE nth = 1 ORDER BY night DESC LIMIT ?`
	seen, err := collect(ctx, s.db, func(rows *sql.Rows) (w Seen, err error) {
		return w, rows.Scan(&w.Applications, &w.TaskMS)
	}, query, night, length.Microseconds(), sameLength, n)
	return seen, explain(err)
}

// RecordSeen stores how many applications had a query in the run's window.
func (r *Run) RecordSeen(ctx context.Context, applications int) error {
	return r.write(ctx, "recording what was seen", func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE windows SET applications = ? WHERE run_id = ?`, applications, r.ID)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n != 1 {
			return errors.Join(err, errors.New("the run has no window"))
		}
		return nil
	})
}
