package state

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/window"
)

// ErrHasRuns is a state that is not rebuilt, since it has runs of its own.
var ErrHasRuns = errors.New("it has runs already: rebuild into a new state and compare")

// Lost is a run as the histories of tables, and what was kept of its plan, tell of it.
type Lost struct {
	ID       string
	PlanHash string
	Plan     *plan.Plan // nil where its text is gone
	PlanJSON []byte
	Steps    []Traced // at least one
	// Planned counts the steps of its plan, Night is the date of its window, by the stamps; 0 and
	// empty where they do not say.
	Planned int
	Night   string
	// Rollback is a run that took an earlier one back: Undoes, empty where the stamps do not say.
	Rollback bool
	Undoes   string
}

// Traced is a step as its table's own history tells of it. Counts are −1 where it does not say.
type Traced struct {
	Step                     int
	Table                    table.Name
	Location                 table.Location
	Layout                   layout.Layout // the zero value where neither files nor summaries tell
	Version                  int64         // of its last commit
	Commits                  int
	First, Last              time.Time // of its commits, by the writer's clock
	FilesRemoved, FilesAdded int64
	BytesRemoved, BytesAdded int64
	Rows                     int64
	// Returned says that files of before were put back, and Undoes which step of the earlier run
	// a rollback took back.
	Returned bool
	Undoes   int
}

// unknown stands for texts that only the lost state had.
const unknown = "unknown: rebuilt from the tables' own histories"

// Rebuild writes runs anew into a state that has none, in the order of their first commits. Of a
// run whose plan is there all that the plan tells is there again, and it can be the plan in force;
// of others, what was changed and when. What later queries said of steps is lost.
func (s *Store) Rebuild(ctx context.Context, runs []Lost) error {
	for _, r := range runs {
		if len(r.Steps) == 0 {
			return fmt.Errorf("state %s: rebuilding run %s: no commit tells of it", s.path, r.ID)
		}
	}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b Lost) int {
		return cmp.Or(a.first().Compare(b.first()), cmp.Compare(a.ID, b.ID))
	})
	return s.inTx(ctx, "rebuilding it from the tables' histories", func(tx *sql.Tx) error {
		var have int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM runs`).Scan(&have); err != nil {
			return err
		}
		if have > 0 {
			return ErrHasRuns
		}
		for _, lost := range runs {
			if err := s.rebuild(ctx, tx, lost); err != nil {
				return fmt.Errorf("run %s: %w", lost.ID, err)
			}
		}
		return nil
	})
}

func (l Lost) first() time.Time {
	return slices.MinFunc(l.Steps, func(a, b Traced) int { return a.First.Compare(b.First) }).First
}

func (l Lost) last() time.Time {
	return slices.MaxFunc(l.Steps, func(a, b Traced) int { return a.Last.Compare(b.Last) }).Last
}

// window is the plan's, or the week before the date of the night, or of the first commit.
func (l Lost) window() window.Window {
	if l.Plan != nil && l.Plan.Window.Start.Before(l.Plan.Window.End) {
		return l.Plan.Window
	}
	end, err := time.Parse(time.DateOnly, l.Night)
	if err != nil {
		end = l.first().UTC().Truncate(24 * time.Hour)
	}
	return window.Ending(end, window.Days*24*time.Hour)
}

// outcome is what the histories prove: that every step of the plan committed, or that some did.
func (l Lost) outcome() Outcome {
	planned := l.Planned
	if l.Plan != nil {
		planned = len(l.Plan.Steps)
	}
	if len(l.Steps) == planned {
		return Applied
	}
	return AppliedInPart
}

func (s *Store) rebuild(ctx context.Context, tx *sql.Tx, l Lost) error {
	r := &Run{ID: l.ID, Night: l.window().Night(), store: s}
	if err := s.rebuildRun(ctx, tx, r, l); err != nil {
		return err
	}
	p, text := plan.Plan{Trigger: unknown, Engine: "unknown", Dialect: "unknown"}, []byte(noPlan)
	if l.Plan != nil {
		p, text = *l.Plan, l.PlanJSON
	}
	if err := r.insertPlan(ctx, tx, p, text, l.PlanHash); err != nil {
		return err
	}
	if err := r.insertPlanParts(ctx, tx, p); err != nil {
		return err
	}
	if l.Plan != nil && !l.Rollback {
		if err := r.insertGraph(ctx, tx, p.Graph); err != nil {
			return err
		}
	}
	const missing = `UPDATE steps SET status = ?, note = 'no commit of it is in the table''s history' WHERE run_id = ?`
	if _, err := tx.ExecContext(ctx, missing, stepSkipped, r.ID); err != nil {
		return err
	}
	for _, t := range l.Steps {
		if err := r.rebuildStep(ctx, tx, t, l); err != nil {
			return err
		}
	}
	return r.rebuildReturns(ctx, tx, l)
}

// rebuildReturns puts down what a rollback took back, as far as the steps it names are there.
func (r *Run) rebuildReturns(ctx context.Context, tx *sql.Tx, l Lost) error {
	const query = `INSERT INTO returns (run_id, of_run, of_step, step, way, reason)
		SELECT ?1, run_id, step, ?2, ?3, ?4 FROM steps WHERE run_id = ?5 AND step = ?6`
	for _, t := range l.Steps {
		way := plan.ByKeys
		if t.Returned {
			way = plan.PutBack
		}
		if _, err := tx.ExecContext(ctx, query, r.ID, t.Step, way, unknown, l.Undoes, t.Undoes); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) rebuildRun(ctx context.Context, tx *sql.Tx, r *Run, l Lost) error {
	purpose, engine, w := ForNight, "unknown", l.window()
	if l.Rollback {
		purpose = ForRollback
	}
	if l.Plan != nil {
		engine = l.Plan.Engine
	}
	const run = `INSERT INTO runs (id, night, attempt, dry_run, engine, config_hash, code_version, holder, started_us, finished_us, outcome, error, purpose, rebuilt_us, trigger_fired, trigger_reason, undoes)
		VALUES (?1, ?2, (SELECT coalesce(max(attempt), 0) + 1 FROM runs WHERE night = ?2), 0, ?3, ?4, ?4, ?4, ?5, ?6, ?7, ?4, ?8, ?9, ?10, ?11, (SELECT id FROM runs WHERE id = ?12))`
	var fired, reason any
	if l.Plan != nil {
		fired, reason = l.Plan.Triggered, l.Plan.Trigger
	}
	_, err := tx.ExecContext(ctx, run, l.ID, r.Night, engine, unknown, micros(l.first()), micros(l.last()), l.outcome(), purpose, micros(s.now()), fired, reason, l.Undoes)
	if err != nil {
		return err
	}
	const span = `INSERT INTO windows (run_id, start_us, end_us) VALUES (?, ?, ?)`
	_, err = tx.ExecContext(ctx, span, l.ID, micros(w.Start), micros(w.End))
	return err
}

// rebuildStep puts what the history tells over the plan's step, or makes one without a plan.
func (r *Run) rebuildStep(ctx context.Context, tx *sql.Tx, t Traced, l Lost) error {
	kind := "unknown"
	if l.Rollback {
		kind = string(plan.Rollback)
	}
	const made = `INSERT INTO steps (run_id, step, table_name, location, kind, layout, statement, reason, undo, planned_version,
		expected_files, expected_rewrite_bytes, scanned_bytes_now, scanned_bytes_then, status)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8, 0, 0, 0, 0, ?9) ON CONFLICT DO NOTHING`
	if _, err := tx.ExecContext(ctx, made, r.ID, t.Step, t.Table, t.Location, kind, masked(t.Layout), unknown, t.Version-int64(t.Commits), stepApplied); err != nil {
		return err
	}
	const told = `UPDATE steps SET status = ?, note = ?, started_us = ?, finished_us = ?, changed = 1, version = ?, files_removed = nullif(?, -1), files_added = nullif(?, -1),
		bytes_removed = nullif(?, -1), bytes_added = nullif(?, -1), row_count = nullif(?, -1), location = ? WHERE run_id = ? AND step = ?`
	_, err := tx.ExecContext(ctx, told, stepApplied, "rebuilt from the table's own history", micros(t.First), micros(t.Last), t.Version, t.FilesRemoved, t.FilesAdded,
		t.BytesRemoved, t.BytesAdded, t.Rows, t.Location, r.ID, t.Step)
	return err
}
