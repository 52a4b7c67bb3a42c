package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ajlo/job/drift"
)

// RecordScoring stores by which version of the code the run's window was scored.
func (r *Run) RecordScoring(ctx context.Context, version string) error {
	return r.write(ctx, "recording how its window was scored", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE windows SET scoring = ? WHERE run_id = ?`, version, r.ID)
		return err
	})
}

// Scoring gives the version of the code that scored a reference of a night; "" where there is no
// reference, or where that was not kept.
func (s *Store) Scoring(ctx context.Context, ref drift.Reference, night string) (string, error) {
	run, err := referenceRun(ctx, s.db, ref, night)
	if run == "" && err == nil {
		return "", nil
	}
	var version sql.NullString
	if err == nil {
		err = s.db.QueryRowContext(ctx, `SELECT scoring FROM windows WHERE run_id = ?`, run).Scan(&version)
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("state %s: by what the %s reference of night %s was scored: %w", s.path, ref, night, explain(err))
	}
	return version.String, nil
}
