package state

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// RecordSnapshots stores tables as the run finds or leaves them.
func (r *Run) RecordSnapshots(ctx context.Context, snapshots []lake.Snapshot) error {
	const query = `INSERT OR REPLACE INTO snapshots (run_id, table_name, location, format, version, schema_hash, protocol,
		owner, layout, files, bytes, row_count, recorded_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	now := micros(r.store.now())
	return r.write(ctx, "recording table snapshots", func(tx *sql.Tx) error {
		return execAll(ctx, tx, query, len(snapshots), func(i int) []any {
			s := snapshots[i]
			rows, known := s.Rows()
			return []any{r.ID, s.Table, s.Location, s.Format, s.Version, s.SchemaHash, jsonOf(s.Protocol),
				s.Owner, masked(s.Layout), len(s.Files), int64(s.Bytes()), sql.NullInt64{Int64: rows, Valid: known}, now}
		})
	})
}

// RecordPlan stores the run's plan, once: text is the plan as it is printed and hash that
// text's SHA-256 in hexadecimal, which approvals and table histories name. Its steps are
// pending from here on.
func (r *Run) RecordPlan(ctx context.Context, p plan.Plan, text []byte, hash string) error {
	sum := sha256.Sum256(text)
	if have := hex.EncodeToString(sum[:]); have != hash {
		return fmt.Errorf("run %s: recording the plan: its text has SHA-256 %s, not %s: hash the text that is printed", r.ID, have, hash)
	}
	return r.write(ctx, "recording the plan", func(tx *sql.Tx) error {
		if err := r.insertPlan(ctx, tx, p, text, hash); err != nil {
			return err
		}
		return r.insertPlanParts(ctx, tx, p)
	})
}

// insertPlanParts stores what a plan says of each table, candidate, query class and step.
func (r *Run) insertPlanParts(ctx context.Context, tx *sql.Tx, p plan.Plan) error {
	if err := r.insertPlanTables(ctx, tx, p.Tables); err != nil {
		return err
	}
	for _, t := range p.Tables {
		if err := r.insertCandidates(ctx, tx, t); err != nil {
			return err
		}
		if err := r.insertClasses(ctx, tx, t); err != nil {
			return err
		}
	}
	return r.insertSteps(ctx, tx, p.Steps)
}

func (r *Run) insertPlan(ctx context.Context, tx *sql.Tx, p plan.Plan, text []byte, hash string) error {
	const query = `INSERT INTO plans (run_id, sha256, json, recorded_us, trigger, threshold, engine, dialect, budget_bytes,
		storage_budget_bytes, rewrite_bytes, saved_bytes_per_window, npv_bytes, upper_bound, gap, upkeep_budget_bytes, upkeep_bytes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	_, err := tx.ExecContext(ctx, query, r.ID, hash, string(text), micros(r.store.now()), p.Trigger, p.Threshold, p.Engine, p.Dialect,
		int64(p.Budget), int64(p.StorageBudget), int64(p.Rewrite), int64(p.SavedBytesPerWindow), int64(p.NPV), int64(p.UpperBound), p.Gap, int64(p.UpkeepBudget), int64(p.Upkeep))
	return err
}

func (r *Run) insertPlanTables(ctx context.Context, tx *sql.Tx, tables []plan.Table) error {
	const query = `INSERT INTO plan_tables (run_id, table_name, location, version, owner, current, chosen, reason, bytes,
		rewrite_bytes, scanned_bytes_now, scanned_bytes_then) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return execAll(ctx, tx, query, len(tables), func(i int) []any {
		t := tables[i]
		return []any{r.ID, t.Table, t.Location, t.Version, t.Owner, masked(t.Current), masked(t.Chosen), t.Reason, int64(t.Bytes),
			int64(t.Rewrite), int64(t.ScannedBytesNow), int64(t.ScannedBytesThen)}
	})
}

func (r *Run) insertCandidates(ctx context.Context, tx *sql.Tx, t plan.Table) error {
	const query = `INSERT INTO candidates (run_id, table_name, candidate, layout, chosen, refused, scanned_bytes, npv_bytes,
		rewrite_bytes, gains_bytes, losses_bytes, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return execAll(ctx, tx, query, len(t.Candidates), func(i int) []any {
		c := t.Candidates[i]
		weighed := func(b unit.Bytes) sql.NullInt64 { return sql.NullInt64{Int64: int64(b), Valid: !c.Refused} }
		return []any{r.ID, t.Table, i, masked(c.Layout), !c.Refused && same(c.Layout, t.Chosen), c.Refused,
			weighed(c.ScannedBytes), weighed(c.NPV), weighed(c.Rewrite), weighed(c.Gains), weighed(c.Losses), c.Reason}
	})
}

func (r *Run) insertClasses(ctx context.Context, tx *sql.Tx, t plan.Table) error {
	const query = `INSERT INTO plan_queries (run_id, table_name, fingerprint, executions, scanned_bytes_now, scanned_bytes_then)
		VALUES (?, ?, ?, ?, ?, ?)`
	return execAll(ctx, tx, query, len(t.Queries), func(i int) []any {
		q := t.Queries[i]
		return []any{r.ID, t.Table, q.Fingerprint, q.Executions, int64(q.Now), int64(q.Then)}
	})
}

func (r *Run) insertSteps(ctx context.Context, tx *sql.Tx, steps []plan.Step) error {
	const query = `INSERT INTO steps (run_id, step, table_name, location, kind, layout, statement, reason, undo, planned_version,
		expected_files, expected_rewrite_bytes, scanned_bytes_now, scanned_bytes_then, status)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return execAll(ctx, tx, query, len(steps), func(i int) []any {
		s := steps[i]
		return []any{r.ID, i, s.Table, s.Location, s.Kind, masked(s.Layout), s.Statement, s.Reason, s.Undo, s.Version,
			s.Expected.Files, int64(s.Expected.Rewrite), int64(s.Expected.ScannedBytesNow), int64(s.Expected.ScannedBytesThen), stepPending}
	})
}

// masked is a layout without its learnt cut points, which are literals: they stand in the
// plan's own text alone, and the layout names them by their hash (rule 9).
func masked(l layout.Layout) string {
	l.Tree = nil
	return jsonOf(l)
}

// same reports whether two layouts are one in every part, unlike layout.SameKeys.
func same(a, b layout.Layout) bool { return masked(a) == masked(b) }

// jsonOf writes a value of plain strings and numbers, which cannot fail.
func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("state: %T does not marshal: %v", value, err))
	}
	return string(text)
}
