package state

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"ajlo/job/lake"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/verify"
)

// KeepBounds keeps a table's files and bounds as they were before a step, and drops those of
// steps whose window ended verify.KeptDays before this run's.
func (r *Run) KeepBounds(ctx context.Context, step int, before lake.Snapshot) error {
	packed, err := packFiles(before.Files)
	if err != nil {
		return fmt.Errorf("run %s: step %d: packing the bounds of %s: %w", r.ID, step, before.Table, err)
	}
	const keep = `INSERT OR REPLACE INTO kept_bounds (run_id, step, files, kept_us) VALUES (?, ?, ?, ?)`
	const drop = `DELETE FROM kept_bounds WHERE run_id IN (SELECT w.run_id FROM windows w
		WHERE w.end_us < (SELECT end_us FROM windows WHERE run_id = ?) - ?)`
	return r.write(ctx, fmt.Sprintf("step %d: keeping the bounds of before", step), func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, keep, r.ID, step, packed, micros(r.store.now())); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, drop, r.ID, keptFor.Microseconds())
		return err
	})
}

const keptFor = verify.KeptDays * 24 * time.Hour

// Kept gives, for each table, the latest step that gave it new keys in the last
// verify.KeptDays before the given end of a window, with the table as it was before.
func (s *Store) Kept(ctx context.Context, end time.Time) ([]verify.Kept, error) {
	// Layouts are those of the plan's text, which alone has learnt cut points.
	const query = `SELECT s.run_id, s.step, s.table_name, s.location, s.version, s.planned_version, json_extract(p.json, '$.steps[' || s.step || '].layout'),
			(SELECT json_extract(t.value, '$.current') FROM json_each(p.json, '$.tables') t WHERE json_extract(t.value, '$.table') = s.table_name),
			w.end_us, k.files
		FROM steps s JOIN windows w ON w.run_id = s.run_id JOIN plans p ON p.run_id = s.run_id
		LEFT JOIN kept_bounds k ON k.run_id = s.run_id AND k.step = s.step
		WHERE s.status = 'applied' AND s.changed = 1 AND s.kind = 'rekey' AND w.end_us <= ? AND w.end_us >= ?
		ORDER BY w.end_us DESC, s.finished_us DESC, s.table_name`
	found, err := collect(ctx, s.db, scanKept, query, micros(end), micros(end.Add(-keptFor)))
	if err != nil {
		return nil, fmt.Errorf("state %s: reading what was kept of tables: %w", s.path, explain(err))
	}
	seen := map[table.Location]bool{}
	var latest []verify.Kept
	for _, k := range found {
		if !seen[k.Location] && len(k.Files) > 0 {
			latest = append(latest, k)
		}
		seen[k.Location] = true
	}
	return latest, nil
}

func scanKept(rows *sql.Rows) (k verify.Kept, err error) {
	var made, before string
	var end int64
	var packed []byte
	if err := rows.Scan(&k.Run, &k.Step, &k.Table, &k.Location, &k.Version, &k.Planned, &made, &before, &end, &packed); err != nil {
		return k, err
	}
	k.Since = fromMicros(end)
	if err := json.Unmarshal([]byte(made), &k.Layout); err != nil {
		return k, err
	}
	if err := json.Unmarshal([]byte(before), &k.Before); err != nil {
		return k, err
	}
	if packed == nil {
		return k, nil
	}
	k.Files, err = unpackFiles(packed)
	return k, err
}

// RecordVerdicts stores what the run's window says of earlier steps.
func (r *Run) RecordVerdicts(ctx context.Context, list []verify.Judgement) error {
	const query = `INSERT OR REPLACE INTO verdicts (run_id, of_run, of_step, table_name, verdict, executions, would_bytes,
		read_bytes, measured_bytes, recorded_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return r.write(ctx, "recording verdicts", func(tx *sql.Tx) error {
		return execAll(ctx, tx, query, len(list), func(i int) []any {
			j := list[i]
			return []any{r.ID, j.Run, j.Step, j.Table, j.Verdict, j.Executions, int64(j.Would), int64(j.Read), (*int64)(j.Measured), micros(r.store.now())}
		})
	})
}

// Calibration is what foretold bytes of a table are multiplied by for one reader.
type Calibration struct {
	Table  table.Name
	Reader string
	Factor float64
}

// RecordCalibration stores what the run has learnt.
func (r *Run) RecordCalibration(ctx context.Context, list []Calibration) error {
	const query = `INSERT OR REPLACE INTO calibration (run_id, table_name, reader, factor, recorded_us) VALUES (?, ?, ?, ?, ?)`
	return r.write(ctx, "recording what was learnt", func(tx *sql.Tx) error {
		return execAll(ctx, tx, query, len(list), func(i int) []any {
			c := list[i]
			return []any{r.ID, c.Table, c.Reader, c.Factor, micros(r.store.now())}
		})
	})
}

// Calibrations gives the latest factor of each table for a reader.
func (s *Store) Calibrations(ctx context.Context, reader string) (map[table.Name]float64, error) {
	const query = `SELECT table_name, factor FROM calibration WHERE reader = ? ORDER BY recorded_us, run_id`
	list, err := collect(ctx, s.db, func(rows *sql.Rows) (c Calibration, err error) {
		return c, rows.Scan(&c.Table, &c.Factor)
	}, query, reader)
	if err != nil {
		return nil, fmt.Errorf("state %s: reading what was learnt: %w", s.path, explain(err))
	}
	latest := map[table.Name]float64{}
	for _, c := range list {
		latest[c.Table] = c.Factor
	}
	return latest, nil
}

// keptFile is a data file as it is kept: sizes, and bounds by column.
type keptFile struct {
	Bytes  unit.Bytes                 `json:"b"`
	Rows   int64                      `json:"r"`
	Bounds map[table.Column]keptRange `json:"c,omitempty"`
}

type keptRange struct {
	Min   keptValue `json:"l"`
	Max   keptValue `json:"g"`
	Nulls int64     `json:"n"`
	Rows  int64     `json:"r"`
}

// keptValue is a predicate.Value with its type; floats are their bits, since JSON has no NaN.
type keptValue struct {
	Kind  predicate.Kind `json:"k"`
	Scale int8           `json:"d,omitempty"`
	I     int64          `json:"i,omitempty"`
	F     uint64         `json:"f,omitempty"`
	S     []byte         `json:"s,omitempty"` // any bytes, not only UTF-8
}

func keptOf(v predicate.Value) keptValue {
	return keptValue{v.Kind, v.Scale, v.I, math.Float64bits(v.F), []byte(v.S)}
}

func (v keptValue) value() predicate.Value {
	return predicate.Value{Kind: v.Kind, Scale: v.Scale, I: v.I, F: math.Float64frombits(v.F), S: string(v.S)}
}

func packFiles(files []lake.File) ([]byte, error) {
	list := make([]keptFile, len(files))
	for i, f := range files {
		list[i] = keptFile{f.Bytes, f.Rows, map[table.Column]keptRange{}}
		for c, b := range f.Bounds {
			list[i].Bounds[c] = keptRange{keptOf(b.Min), keptOf(b.Max), b.Nulls, b.Rows}
		}
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if err := json.NewEncoder(w).Encode(list); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func unpackFiles(packed []byte) ([]lake.File, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var list []keptFile
	if err := json.NewDecoder(r).Decode(&list); err != nil {
		return nil, err
	}
	files := make([]lake.File, len(list))
	for i, f := range list {
		files[i] = lake.File{Bytes: f.Bytes, Rows: f.Rows, Bounds: map[table.Column]prune.Bounds{}}
		for c, b := range f.Bounds {
			files[i].Bounds[c] = prune.Bounds{Min: b.Min.value(), Max: b.Max.value(), Nulls: b.Nulls, Rows: b.Rows}
		}
	}
	return files, r.Close()
}
