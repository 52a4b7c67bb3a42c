package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"ajlo/job/drift"
	"ajlo/job/execute"
	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/window"
)

// clock is a clock that stands still until a test moves it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

// twoInTheMorning is when the first run of these tests begins.
var twoInTheMorning = time.Date(2026, 11, 29, 2, 0, 0, 123456000, time.UTC)

func newClock() *clock { return &clock{at: twoInTheMorning} }

func openStore(t *testing.T, path string, c *clock) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newStore(t *testing.T) (*Store, *clock) {
	t.Helper()
	c := newClock()
	return openStore(t, filepath.Join(t.TempDir(), "state.db"), c), c
}

const lease = 5 * time.Minute

// night gives the window that ends at midnight of the nth of December 2026.
func night(n int) window.Window {
	return window.Ending(time.Date(2026, 12, n, 0, 0, 0, 0, time.UTC), window.Days*24*time.Hour)
}

func beginning(id string, n int) Beginning {
	return Beginning{
		ID: id, Window: night(n), ConfigHash: "config-1", CodeVersion: "v1.2.3", Engine: "embedded",
		Holder: "edge-1 process 42", LeaseFor: lease,
	}
}

func begin(t *testing.T, s *Store, b Beginning) *Run {
	t.Helper()
	r, err := s.Begin(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func finish(t *testing.T, r *Run, o Outcome) {
	t.Helper()
	must(t, r.Finish(t.Context(), o, nil))
}

// cell reads one value as text, "NULL" for none.
func cell(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	var text *string
	if err := s.db.QueryRowContext(t.Context(), query, args...).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if text == nil {
		return "NULL"
	}
	return *text
}

// graph is a small join graph whose names are hard to keep.
func graph(n int) joingraph.Graph {
	return joingraph.Graph{
		Window: night(n),
		Edges: []joingraph.Edge{{
			Key: "tpch.lineitem(l_orderkey) = tpch.orders(o_orderkey)", Left: "tpch.lineitem", Right: "tpch.orders",
			Pairs: []joingraph.Pair{{Left: "l_orderkey", Right: "o_orderkey"}},
			F:     12, D: 1.8e12, DSource: joingraph.FromLake, C: 1234.5678901234567, CSource: joingraph.FromTasks,
			CostShare: 1. / 3, JISPaper: 0.7, JIS: 0.95, Fingerprint: []string{"f1", "f2"},
		}, {
			Key: "odd", Left: "/lake/it's \"x\"; DROP TABLE runs", Right: "/lake/it's \"x\"; DROP TABLE runs",
			Pairs: []joingraph.Pair{{Left: "a.b", Right: "c`d"}, {Left: "ключ", Right: "e, f"}},
			Self:  true, Expression: true, F: 1, DSource: joingraph.NoSource, C: 3, CSource: joingraph.FromWall, Fingerprint: []string{"f3"},
		}},
		Unscored: []joingraph.Edge{{
			Key: "tpch.nation(n_nationkey) = tpch.supplier(s_nationkey)", Left: "tpch.nation", Right: "tpch.supplier",
			Pairs: []joingraph.Pair{{Left: "n_nationkey", Right: "s_nationkey"}}, F: 2, D: 25, DSource: joingraph.FromScan,
			CSource: joingraph.FromTasks, Fingerprint: []string{"f1"},
		}},
		Keyless: 4, Queries: 38, TaskMS: 99_000,
	}
}

var clustered = layout.ClusteredBy(layout.Hilbert, "l_orderkey", "l_shipdate")

func snapshots() []lake.Snapshot {
	return []lake.Snapshot{{
		Table: "tpch.lineitem", Location: "/lake/lineitem", Format: lake.Delta, Version: 7, SchemaHash: "s1",
		Protocol: lake.Protocol{MinReader: 1, MinWriter: 2}, Owner: "none", Layout: layout.Unordered(),
		Files: []lake.File{{Path: "a", Bytes: 600, Rows: 60}, {Path: "b", Bytes: 400, Rows: 40}},
	}, {
		Table: "tpch.part", Location: "/lake/part", Format: lake.Delta, Version: 0, SchemaHash: "s2",
		Protocol: lake.Protocol{MinReader: 1, MinWriter: 2}, Owner: "none", Layout: layout.Unordered(),
		Files: []lake.File{{Path: "a", Bytes: 10, Rows: -1}},
	}}
}

func decided(n int) plan.Plan {
	return plan.Plan{
		Window: night(n), Drift: []drift.Score{}, Threshold: 0.1, Trigger: "first run: no earlier window",
		Budget: 20 * unit.GB, StorageBudget: unit.GB, Rewrite: 1400, SavedBytesPerWindow: 5000, NPV: 30_000, UpperBound: 30_000,
		Engine: "embedded", Dialect: "spark-delta-3.3", Graph: graph(n),
		Tables: []plan.Table{{
			Table: "tpch.lineitem", Location: "/lake/lineitem", Version: 7, Owner: "none", Current: layout.Unordered(), Chosen: clustered,
			Reason: "reads fall by half", Bytes: 1000, Rewrite: 1000, ScannedBytesNow: 9000, ScannedBytesThen: 4000,
			Queries: []plan.Class{{Fingerprint: "f1", Executions: 12, Now: 9000, Then: 4000}},
			Candidates: []plan.Candidate{
				{Layout: layout.Unordered(), ScannedBytes: 9000, Reason: "as it is"},
				{Layout: clustered, ScannedBytes: 4000, NPV: 30_000, Rewrite: 1000, Gains: 5000, Reason: "the best"},
				{Layout: layout.ClusteredBy(layout.Sort, "l_comment"), Refused: true, Reason: "no statistics"},
			},
		}, {
			Table: "tpch.orders", Location: "/lake/orders", Owner: "none", Current: layout.Unordered(), Chosen: layout.ClusteredBy(layout.Sort, "o_orderkey"),
			Reason: "reads fall by a third", Bytes: 400, Rewrite: 400, ScannedBytesNow: 300, ScannedBytesThen: 200,
		}, {
			Table: "tpch.region", Location: "/lake/region", Owner: "none", Current: layout.Unordered(), Chosen: layout.Unordered(),
			Reason: "fits one file: no layout saves anything",
		}},
		Steps: []plan.Step{{
			Table: "tpch.lineitem", Kind: plan.Rekey, Statement: "OPTIMIZE …", Reason: "reads fall by half", Undo: "RESTORE …",
			Location: "/lake/lineitem", Layout: clustered, Version: 7,
			Expected: plan.Expected{Files: 3, Rewrite: 1000, ScannedBytesNow: 9000, ScannedBytesThen: 4000},
		}, {
			Table: "tpch.orders", Kind: plan.Rekey, Statement: "OPTIMIZE …", Reason: "reads fall by a third", Undo: "RESTORE …",
			Location: "/lake/orders", Layout: layout.ClusteredBy(layout.Sort, "o_orderkey"), Version: 3,
			Expected: plan.Expected{Files: 1, Rewrite: 400, ScannedBytesNow: 300, ScannedBytesThen: 200},
		}},
	}
}

// recordPlan stores the plan of the nth night in a run and returns its SHA-256.
func recordPlan(t *testing.T, r *Run, n int) string {
	t.Helper()
	return recordThis(t, r, decided(n))
}

func recordThis(t *testing.T, r *Run, p plan.Plan) string {
	t.Helper()
	text, err := json.Marshal(p)
	must(t, err)
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])
	must(t, r.RecordPlan(t.Context(), p, text, hash))
	return hash
}

var answer = execute.Result{
	Changed: true, Version: 8, FilesRemoved: 2, FilesAdded: 3, BytesRemoved: 1000, BytesAdded: 990,
	Removed: execute.RowSum{Rows: 100, Hi: 1 << 63, Lo: 5}, Added: execute.RowSum{Rows: 100, Hi: 1 << 63, Lo: 5}, Attempts: 1, Paths: []string{"part-1.parquet", "part-2.parquet"}, Took: 1500 * time.Millisecond,
}

// applyStep takes a step through an engine that names its files, commits and answers.
func applyStep(ctx context.Context, r *Run, step int, at table.Location) error {
	if err := r.StepStarted(ctx, step); err != nil {
		return err
	}
	if err := r.Intend(ctx, step, at, []string{"part-1.parquet", "part-2.parquet"}); err != nil {
		return err
	}
	return r.StepApplied(ctx, step, answer)
}
