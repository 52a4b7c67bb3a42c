package state

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"ajlo/job/drift"
)

// Prunable is a run whose detail may go: it is older than was asked for, changed no table, and no
// decision of later stands on it.
type Prunable struct {
	Run     string  `json:"run"`
	Night   string  `json:"night"`
	Outcome Outcome `json:"outcome"`
	Rows    int64   `json:"rows"`       // that go
	Plan    int64   `json:"plan_bytes"` // of the plan's text, which goes, too
}

// detail are the tables whose rows of a run go: the bulk of a state. Runs, windows, drift, plans
// by their figures, what was decided of each table, steps, effects and verdicts stay for ever.
var detail = []string{"fingerprints", "edge_pairs", "edges", "drift_edges", "candidates", "plan_queries", "snapshots", "files"}

// endOfNights is after every night there is.
const endOfNights = "9999-12-31"

// Prunable gives the runs of nights before the given one whose detail may go, oldest first. What
// the next night needs stays whatever its age: the reference windows, runs whose files are still to
// be looked at, and references of the drift of runs that stay.
func (s *Store) Prunable(ctx context.Context, before string) (list []Prunable, err error) {
	list, err = prunable(ctx, s.db, before)
	if err != nil {
		return nil, fmt.Errorf("state %s: looking for what may be pruned: %w", s.path, explain(err))
	}
	return list, nil
}

func prunable(ctx context.Context, db querier, before string) ([]Prunable, error) {
	last, err := referenceRun(ctx, db, drift.Last, endOfNights)
	if err != nil {
		return nil, err
	}
	inForce, err := referenceRun(ctx, db, drift.Plan, endOfNights)
	if err != nil {
		return nil, err
	}
	rows := make([]string, len(detail))
	for i, name := range detail {
		rows[i] = "(SELECT count(*) FROM " + name + " d WHERE d.run_id = r.id)"
	}
	query := `SELECT r.id, r.night, r.outcome, ` + strings.Join(rows, " + ") + `, coalesce((SELECT length(CAST(p.json AS BLOB)) FROM plans p WHERE p.run_id = r.id), 0)
		FROM runs r
		WHERE r.night < ?1 AND r.outcome IS NOT NULL AND r.pruned_us IS NULL AND r.id NOT IN (?2, ?3)
			AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id AND (s.changed = 1 OR s.status = 'applied'))
			AND NOT EXISTS (SELECT 1 FROM files f WHERE f.run_id = r.id AND f.state = 'pending')
			AND NOT EXISTS (SELECT 1 FROM kept_bounds k WHERE k.run_id = r.id)
			AND r.id NOT IN (SELECT d.reference_run FROM drift d JOIN runs o ON o.id = d.run_id WHERE o.night >= ?1 AND d.reference_run IS NOT NULL)
		ORDER BY r.night, r.attempt`
	return collect(ctx, db, func(rows *sql.Rows) (p Prunable, err error) {
		return p, rows.Scan(&p.Run, &p.Night, &p.Outcome, &p.Rows, &p.Plan)
	}, query, before, last, inForce)
}

// Prune takes the detail of those runs away, after it was asked again which they are, and gives
// them. It fails with *LeaseHeld while a run is at work.
func (s *Store) Prune(ctx context.Context, before string, dead func(holder string) bool) (list []Prunable, err error) {
	err = s.inTx(ctx, "pruning runs before "+before, func(tx *sql.Tx) (err error) {
		if err = leaseFree(ctx, tx, s.now(), dead); err != nil {
			return err
		}
		if list, err = prunable(ctx, tx, before); err != nil {
			return err
		}
		for _, name := range detail {
			if err := execAll(ctx, tx, "DELETE FROM "+name+" WHERE run_id = ?", len(list), func(i int) []any { return []any{list[i].Run} }); err != nil {
				return err
			}
		}
		if err := execAll(ctx, tx, "UPDATE plans SET json = '"+noPlan+"' WHERE run_id = ?", len(list), func(i int) []any { return []any{list[i].Run} }); err != nil {
			return err
		}
		return execAll(ctx, tx, "UPDATE runs SET pruned_us = ? WHERE id = ?", len(list), func(i int) []any { return []any{micros(s.now()), list[i].Run} })
	})
	if err != nil || s.stored != nil {
		return list, err // what is put into a storage is compact already
	}
	if _, err := s.db.ExecContext(ctx, "VACUUM"); err != nil {
		return list, fmt.Errorf("state %s: giving the room back to the disk (the runs were pruned): %w", s.path, explain(err))
	}
	return list, nil
}
