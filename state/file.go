package state

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"ajlo/job/table"
)

// fileState is where a file of the write-ahead list stands.
type fileState string

const (
	filePending   fileState = "pending"
	fileCommitted fileState = "committed"
	fileSwept     fileState = "swept"
)

// Intend puts files on the write-ahead list of a step before any of them is created; they
// are on disk in the list when it returns nil. Paths are relative to location. Naming a file
// again changes nothing. Without paths it proves that the lease is still held: an engine asks
// so before it commits, since the files of a run that lost it may be swept at any moment.
func (r *Run) Intend(ctx context.Context, step int, location table.Location, paths []string) error {
	const query = `INSERT INTO files (run_id, step, location, path, state, intended_us) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	now := micros(r.store.now())
	return r.write(ctx, fmt.Sprintf("step %d: naming files before they are written", step), func(tx *sql.Tx) error {
		return execAll(ctx, tx, query, len(paths), func(i int) []any {
			return []any{r.ID, step, location, paths[i], filePending, now}
		})
	})
}

// Committed says that the files a step named are part of the table, as StepApplied does; it
// serves where verification comes between the commit and the step's end.
func (r *Run) Committed(ctx context.Context, step int) error {
	return r.write(ctx, fmt.Sprintf("step %d: recording its commit", step), func(tx *sql.Tx) error {
		return settle(ctx, tx, r.ID, step, fileCommitted, r.store.now())
	})
}

// Leftover is what a step that never came to its end may have left in a table's folder: the
// pending files of its write-ahead list. Its commit may have happened all the same.
type Leftover struct {
	Run      string
	Step     int
	Engine   string // that carried the step out; only it can tell what is left
	PlanHash string // with Run and Step the stamp in the table's history
	Table    table.Name
	Location table.Location
	Paths    []string // relative to Location, sorted
	// Holder is the process of the run. Interrupted is true where the run did not end itself:
	// its process may be stalled and go on; EndedAt is when it was given up.
	Holder      string
	Interrupted bool
	EndedAt     time.Time
}

// Leftovers gives what ended runs left pending, oldest run first. For each, whoever holds the
// lease looks for its stamp in the table's history: where it is found, FoundCommitted;
// else the engine sweeps the paths and Swept follows.
func (s *Store) Leftovers(ctx context.Context) ([]Leftover, error) {
	const query = `SELECT f.run_id, f.step, r.engine, p.sha256, s.table_name, f.location, f.path,
			r.holder, r.outcome = ?, r.finished_us
		FROM files f JOIN runs r ON r.id = f.run_id JOIN plans p ON p.run_id = f.run_id
			JOIN steps s ON s.run_id = f.run_id AND s.step = f.step
		WHERE f.state = ? AND r.outcome IS NOT NULL
		ORDER BY r.started_us, f.run_id, f.step, f.location, f.path`
	var out []Leftover
	_, err := collect(ctx, s.db, func(rows *sql.Rows) (struct{}, error) {
		var l Leftover
		var path string
		var ended int64
		if err := rows.Scan(&l.Run, &l.Step, &l.Engine, &l.PlanHash, &l.Table, &l.Location, &path, &l.Holder, &l.Interrupted, &ended); err != nil {
			return struct{}{}, err
		}
		l.EndedAt = fromMicros(ended)
		if n := len(out) - 1; n < 0 || !out[n].sameStep(l) {
			out = append(out, l)
		}
		last := &out[len(out)-1]
		last.Paths = append(last.Paths, path)
		return struct{}{}, nil
	}, query, Interrupted, filePending)
	if err != nil {
		return nil, fmt.Errorf("state %s: looking for leftovers: %w", s.path, explain(err))
	}
	return out, nil
}

func (l Leftover) sameStep(o Leftover) bool {
	return l.Run == o.Run && l.Step == o.Step && l.Location == o.Location
}

// Swept says that a leftover's files were deleted, never came to be or were not the run's own.
func (s *Store) Swept(ctx context.Context, l Leftover) error {
	return s.inTx(ctx, fmt.Sprintf("recording that step %d of run %s was swept", l.Step, l.Run), func(tx *sql.Tx) error {
		const query = `UPDATE files SET state = ?, settled_us = ? WHERE run_id = ? AND step = ? AND location = ? AND path = ? AND state = ?`
		now := micros(s.now())
		return execAll(ctx, tx, query, len(l.Paths), func(i int) []any {
			return []any{fileSwept, now, l.Run, l.Step, l.Location, l.Paths[i], filePending}
		})
	})
}

// FoundCommitted says that the leftover's step did commit, as the given version, and only the
// record of it was lost. gone are those files of its list that are no part of the table: they
// belonged to attempts that lost to another writer.
func (s *Store) FoundCommitted(ctx context.Context, l Leftover, version int64, gone []string) error {
	return s.inTx(ctx, fmt.Sprintf("recording that step %d of run %s had committed", l.Step, l.Run), func(tx *sql.Tx) error {
		const query = `UPDATE steps SET status = ?, version = ?, changed = 1, note = ? WHERE run_id = ? AND step = ?`
		if err := settleAs(ctx, tx, l.Run, l.Step, fileSwept, gone, s.now()); err != nil {
			return err
		}
		const how = "the run ended before it recorded the commit, which was found in the table's history"
		if _, err := tx.ExecContext(ctx, query, stepApplied, version, how, l.Run, l.Step); err != nil {
			return err
		}
		return settle(ctx, tx, l.Run, l.Step, fileCommitted, s.now())
	})
}

// settleAs takes the named ones of the pending files of a step off the list.
func settleAs(ctx context.Context, tx *sql.Tx, run string, step int, to fileState, paths []string, now time.Time) error {
	const query = `UPDATE files SET state = ?, settled_us = ? WHERE run_id = ? AND step = ? AND path = ? AND state = ?`
	return execAll(ctx, tx, query, len(paths), func(i int) []any {
		return []any{to, micros(now), run, step, paths[i], filePending}
	})
}

// settle takes the pending files of a step off the list.
func settle(ctx context.Context, tx *sql.Tx, run string, step int, to fileState, now time.Time) error {
	const query = `UPDATE files SET state = ?, settled_us = ? WHERE run_id = ? AND step = ? AND state = ?`
	_, err := tx.ExecContext(ctx, query, to, micros(now), run, step, filePending)
	return err
}
