package state

import (
	"context"
	"database/sql"
	"fmt"

	"ajlo/job/drift"
	"ajlo/job/joingraph"
)

// LastGraph gives the join graph of the last run of an earlier night whose window is a true
// observation: it ended with no_drift, nothing_to_do, applied, applied_in_part or dry_run. A
// dry run counts, for the workload was what it was, whatever was done about it; no_evidence
// does not, so that the reference is kept over nights without logs. It is nil for none.
func (s *Store) LastGraph(ctx context.Context, night string) (*joingraph.Graph, error) {
	g, _, err := s.referenceGraph(ctx, drift.Last, night)
	return g, err
}

// InForce is the plan that the lake is laid by.
type InForce struct {
	// Graph is the workload that the plan was made from.
	Graph joingraph.Graph
	// PlanJSON is the plan as it was printed.
	PlanJSON []byte
}

// InForce gives the plan of the latest run, up to and with the night, that ended with applied
// or nothing_to_do, chose layouts anew and was no dry run: upkeep alone keeps the plan in force,
// or slow creep would never be seen. It is nil while there is none.
func (s *Store) InForce(ctx context.Context, night string) (*InForce, error) {
	g, run, err := s.referenceGraph(ctx, drift.Plan, night)
	if g == nil || err != nil {
		return nil, err
	}
	var text string
	err = s.db.QueryRowContext(ctx, `SELECT json FROM plans WHERE run_id = ?`, run).Scan(&text)
	if err != nil {
		return nil, fmt.Errorf("state %s: reading the plan of run %s: %w", s.path, run, explain(err))
	}
	return &InForce{Graph: *g, PlanJSON: []byte(text)}, nil
}

func (s *Store) referenceGraph(ctx context.Context, ref drift.Reference, night string) (*joingraph.Graph, string, error) {
	run, err := referenceRun(ctx, s.db, ref, night)
	if err != nil {
		return nil, "", fmt.Errorf("state %s: looking for the %s reference of night %s: %w", s.path, ref, night, explain(err))
	}
	if run == "" {
		return nil, "", nil
	}
	g, err := s.graph(ctx, run)
	if err != nil {
		return nil, "", fmt.Errorf("state %s: reading the join graph of run %s: %w", s.path, run, explain(err))
	}
	return g, run, nil
}

const (
	lastRun = `SELECT r.id, r.outcome FROM runs r JOIN windows w ON w.run_id = r.id
		WHERE r.night < ? AND r.purpose = 'night' AND w.recorded_us IS NOT NULL AND r.outcome IS NOT NULL AND r.pruned_us IS NULL
		ORDER BY r.night DESC, r.attempt DESC`
	planRun = `SELECT r.id, r.outcome FROM runs r JOIN windows w ON w.run_id = r.id JOIN plans p ON p.run_id = r.id
		WHERE r.night <= ? AND r.purpose = 'night' AND r.dry_run = 0 AND coalesce(r.trigger_fired, 1) AND w.recorded_us IS NOT NULL AND r.outcome IS NOT NULL AND r.pruned_us IS NULL
		ORDER BY r.night DESC, r.attempt DESC`
)

// referenceRun is the run whose window the reference is, "" for none.
func referenceRun(ctx context.Context, db querier, ref drift.Reference, night string) (run string, err error) {
	query, counts := lastRun, Outcome.observes
	if ref == drift.Plan {
		query, counts = planRun, Outcome.inForce
	}
	type ended struct {
		run     string
		outcome Outcome
	}
	runs, err := collect(ctx, db, func(rows *sql.Rows) (e ended, err error) {
		return e, rows.Scan(&e.run, &e.outcome)
	}, query, night)
	for _, e := range runs {
		if counts(e.outcome) {
			return e.run, err
		}
	}
	return "", err
}

// RecordDrift stores the scores of the run's window and what was decided from them.
func (r *Run) RecordDrift(ctx context.Context, scores []drift.Score, decided drift.Trigger) error {
	return r.write(ctx, "recording drift", func(tx *sql.Tx) error {
		const trigger = `UPDATE runs SET trigger_fired = ?, trigger_reason = ? WHERE id = ?`
		if _, err := tx.ExecContext(ctx, trigger, decided.Fired, decided.Reason, r.ID); err != nil {
			return err
		}
		for _, score := range scores {
			if err := r.insertScore(ctx, tx, score); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Run) insertScore(ctx context.Context, tx *sql.Tx, score drift.Score) error {
	reference, err := referenceRun(ctx, tx, score.Reference, r.Night)
	if err != nil {
		return err
	}
	const query = `INSERT INTO drift (run_id, reference, reference_run, score, score_paper, speed_factor, task_time_shift)
		VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?)`
	_, err = tx.ExecContext(ctx, query, r.ID, score.Reference, reference, score.Score, score.ScorePaper, score.SpeedFactor, score.TaskTimeShift)
	if err != nil {
		return err
	}
	const edges = `INSERT INTO drift_edges (run_id, reference, edge_key, jis_before, jis_after, change, first_seen, cost_share)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	return execAll(ctx, tx, edges, len(score.Edges), func(i int) []any {
		e := score.Edges[i]
		return []any{r.ID, score.Reference, e.Key, float64(e.Before), float64(e.After), e.Change, e.FirstSeen, e.CostShare}
	})
}
