package state

import (
	"context"
	"database/sql"
	"slices"

	"ajlo/job/joingraph"
	"ajlo/job/table"
	"ajlo/job/window"
)

// RecordGraph stores the join graph of the run's window, once.
func (r *Run) RecordGraph(ctx context.Context, g joingraph.Graph) error {
	return r.write(ctx, "recording the join graph", func(tx *sql.Tx) error { return r.insertGraph(ctx, tx, g) })
}

func (r *Run) insertGraph(ctx context.Context, tx *sql.Tx, g joingraph.Graph) error {
	const summary = `UPDATE windows SET recorded_us = ?, queries = ?, keyless = ?, task_ms = ? WHERE run_id = ?`
	if _, err := tx.ExecContext(ctx, summary, micros(r.store.now()), g.Queries, g.Keyless, g.TaskMS, r.ID); err != nil {
		return err
	}
	edges := slices.Concat(g.Edges, g.Unscored)
	if err := r.insertEdges(ctx, tx, edges, len(g.Edges)); err != nil {
		return err
	}
	for i, e := range edges {
		if err := r.insertEdgeParts(ctx, tx, i, e); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) insertEdges(ctx context.Context, tx *sql.Tx, edges []joingraph.Edge, scored int) error {
	const query = `INSERT INTO edges (run_id, edge, edge_key, left_table, right_table, is_self, expression, scored,
		f, d, d_source, c_ms, c_source, cost_share, jis_paper, jis) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return execAll(ctx, tx, query, len(edges), func(i int) []any {
		e := edges[i]
		return []any{r.ID, i, e.Key, e.Left, e.Right, e.Self, e.Expression, i < scored,
			e.F, e.D, e.DSource, e.C, e.CSource, e.CostShare, float64(e.JISPaper), float64(e.JIS)}
	})
}

func (r *Run) insertEdgeParts(ctx context.Context, tx *sql.Tx, edge int, e joingraph.Edge) error {
	const pairs = `INSERT INTO edge_pairs (run_id, edge, pair, left_column, right_column) VALUES (?, ?, ?, ?, ?)`
	err := execAll(ctx, tx, pairs, len(e.Pairs), func(i int) []any {
		return []any{r.ID, edge, i, e.Pairs[i].Left, e.Pairs[i].Right}
	})
	if err != nil {
		return err
	}
	const fingerprints = `INSERT INTO fingerprints (run_id, edge, fingerprint) VALUES (?, ?, ?)`
	return execAll(ctx, tx, fingerprints, len(e.Fingerprint), func(i int) []any {
		return []any{r.ID, edge, e.Fingerprint[i]}
	})
}

// graph reads back what RecordGraph stored.
func (s *Store) graph(ctx context.Context, run string) (*joingraph.Graph, error) {
	g := joingraph.Graph{Edges: []joingraph.Edge{}, Unscored: []joingraph.Edge{}}
	var start, end int64
	const summary = `SELECT start_us, end_us, queries, keyless, task_ms FROM windows WHERE run_id = ?`
	if err := s.db.QueryRowContext(ctx, summary, run).Scan(&start, &end, &g.Queries, &g.Keyless, &g.TaskMS); err != nil {
		return nil, err
	}
	g.Window = window.Window{Start: fromMicros(start), End: fromMicros(end)}
	edges, err := s.edges(ctx, run)
	if err != nil {
		return nil, err
	}
	if err := s.addEdgeParts(ctx, run, edges); err != nil {
		return nil, err
	}
	for _, e := range edges {
		if e.scored {
			g.Edges = append(g.Edges, e.Edge)
		} else {
			g.Unscored = append(g.Unscored, e.Edge)
		}
	}
	return &g, nil
}

type storedEdge struct {
	joingraph.Edge
	scored bool
}

func (s *Store) edges(ctx context.Context, run string) ([]storedEdge, error) {
	const query = `SELECT edge_key, left_table, right_table, is_self, expression, scored,
		f, d, d_source, c_ms, c_source, cost_share, jis_paper, jis FROM edges WHERE run_id = ? ORDER BY edge`
	return collect(ctx, s.db, func(rows *sql.Rows) (e storedEdge, err error) {
		return e, rows.Scan(&e.Key, &e.Left, &e.Right, &e.Self, &e.Expression, &e.scored,
			&e.F, &e.D, &e.DSource, &e.C, &e.CSource, &e.CostShare, &e.JISPaper, &e.JIS)
	}, query, run)
}

// addEdgeParts fills the columns and fingerprints of edges, which lie in order of position.
func (s *Store) addEdgeParts(ctx context.Context, run string, edges []storedEdge) error {
	const pairs = `SELECT edge, left_column, right_column FROM edge_pairs WHERE run_id = ? ORDER BY edge, pair`
	err := s.eachPart(ctx, func(edge int, left, right string) {
		e := &edges[edge]
		e.Pairs = append(e.Pairs, joingraph.Pair{Left: table.Column(left), Right: table.Column(right)})
	}, pairs, run)
	if err != nil {
		return err
	}
	const fingerprints = `SELECT edge, fingerprint, '' FROM fingerprints WHERE run_id = ? ORDER BY edge, fingerprint`
	return s.eachPart(ctx, func(edge int, fingerprint, _ string) {
		edges[edge].Fingerprint = append(edges[edge].Fingerprint, fingerprint)
	}, fingerprints, run)
}

func (s *Store) eachPart(ctx context.Context, add func(edge int, a, b string), query, run string) error {
	_, err := collect(ctx, s.db, func(rows *sql.Rows) (struct{}, error) {
		var edge int
		var a, b string
		if err := rows.Scan(&edge, &a, &b); err != nil {
			return struct{}{}, err
		}
		add(edge, a, b)
		return struct{}{}, nil
	}, query, run)
	return err
}
