package state

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ajlo/job/drift"
	"ajlo/job/fact"
	"ajlo/job/joingraph"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/schema"
)

var update = flag.Bool("update", false, "write what the example queries give into testdata")

// history fills a store with three nights: one that applied a step and failed the next, its
// second attempt, and a quiet one.
func history(t *testing.T, s *Store, c *clock) {
	t.Helper()
	ctx := t.Context()
	allowed := beginning("n1-a", 1)
	allowed.Approval = Approval{By: "Ada", Until: c.now().Add(time.Hour)}
	first := begin(t, s, allowed)
	g := graph(1)
	must(t, first.RecordGraph(ctx, g))
	scores := []drift.Score{drift.Between(drift.Last, nil, g), drift.Between(drift.Plan, nil, g)}
	must(t, first.RecordDrift(ctx, scores, drift.Decide(scores, drift.DefaultRule())))
	must(t, first.RecordSnapshots(ctx, snapshots()))
	recordPlan(t, first, 1)
	c.advance(10 * time.Second)
	must(t, applyStep(ctx, first, 0, "/lake/lineitem"))
	must(t, first.StepStarted(ctx, 1))
	must(t, first.StepFailed(ctx, 1, fmt.Errorf("the disk is full")))
	before, foretold, after := 13.0, 1.5, 1.4
	bytesBefore, bytesAfter := 9e9, 123_456_789_012.0
	must(t, first.RecordEffects(ctx, []Effect{
		{Step: 0, Measure: "overlap_depth", Subject: "l_orderkey", Unit: "files", Before: &before, Foretold: &foretold, After: &after},
		{Step: 0, Measure: "scanned_bytes", Unit: "bytes", Before: &bytesBefore, After: &bytesAfter},
		{Step: 0, Measure: "files", Unit: "files", Before: &before},
	}))
	c.advance(10 * time.Second)
	finish(t, first, AppliedInPart)

	second := begin(t, s, beginning("n1-b", 1))
	must(t, second.RecordGraph(ctx, g))
	p := decided(1)
	p.Steps = nil
	recordThis(t, second, p)
	finish(t, second, NothingToDo)

	c.advance(24 * time.Hour)
	third := begin(t, s, beginning("n2", 2))
	now := graph(2)
	now.Edges[1].F = 9
	now.Edges = append(now.Edges, joingraph.Edge{Key: "new", Left: "tpch.part", Right: "tpch.partsupp", F: 1, C: 10, CostShare: 0.01})
	must(t, third.RecordGraph(ctx, now))
	last, err := s.LastGraph(ctx, third.Night)
	must(t, err)
	scores = []drift.Score{drift.Between(drift.Last, last, now), drift.Between(drift.Plan, last, now)}
	must(t, third.RecordDrift(ctx, scores, drift.Decide(scores, drift.DefaultRule())))
	must(t, third.RecordVerdicts(ctx, []verify.Judgement{{Run: "n1-a", Table: "tpch.lineitem", Executions: 12, Would: 9000, Read: 4000, Verdict: verify.Helped}}))
	finish(t, third, NoDrift)

	c.advance(time.Minute)
	undoing := beginning("n1-back", 1)
	undoing.Undoes = "n1-a"
	back := begin(t, s, undoing)
	must(t, back.RecordReturns(ctx, "n1-a", []plan.Return{{Of: 0, Way: plan.NoWay, Reason: "rows were changed since"}}))
	finish(t, back, Refused)
}

// The example queries of schema/examples give what testdata/examples.txt says.
func TestExampleQueries(t *testing.T) {
	s, c := newStore(t)
	history(t, s, c)
	want, err := txtar.ParseFile(filepath.Join("testdata", "examples.txt"))
	must(t, err)
	names, err := filepath.Glob(filepath.Join("..", "schema", "examples", "*.sql"))
	must(t, err)
	if len(names) != len(want.Files) {
		t.Errorf("%d queries, %d answers", len(names), len(want.Files))
	}
	for i, f := range want.Files {
		query, err := os.ReadFile(filepath.Join("..", "schema", "examples", f.Name))
		must(t, err)
		got := answerOf(t, s, string(query))
		if diff := cmp.Diff(string(f.Data), got); diff != "" && !*update {
			t.Error(f.Name, diff)
		}
		want.Files[i].Data = []byte(got)
	}
	if *update {
		must(t, os.WriteFile(filepath.Join("testdata", "examples.txt"), txtar.Format(want), 0o644))
	}
}

// answerOf gives the rows of a query as text, one value after the other.
func answerOf(t *testing.T, s *Store, query string) string {
	t.Helper()
	rows, err := s.db.QueryContext(t.Context(), query)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	columns, err := rows.Columns()
	must(t, err)
	var out strings.Builder
	fmt.Fprintln(&out, strings.Join(columns, " | "))
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		must(t, rows.Scan(targets...))
		texts := make([]string, len(columns))
		for i, v := range values {
			texts[i] = fmt.Sprint(v)
		}
		fmt.Fprintln(&out, strings.Join(texts, " | "))
	}
	must(t, rows.Err())
	return out.String()
}

func TestEveryViewReads(t *testing.T) {
	s, c := newStore(t)
	history(t, s, c)
	_, err := s.db.ExecContext(t.Context(), `UPDATE runs SET rebuilt_us = 1`)
	must(t, err)
	views, err := texts(t.Context(), s.db, `SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name`)
	must(t, err)
	want := []string{"audit_candidates", "audit_changes", "audit_drift", "audit_edges", "audit_keeping", "audit_rollbacks", "audit_runs", "audit_steps", "audit_untouched", "audit_verdicts"}
	if diff := cmp.Diff(want, views); diff != "" {
		t.Error(diff)
	}
	for _, view := range views {
		if rows := cell(t, s, `SELECT count(*) FROM `+view); rows == "0" {
			t.Errorf("%s is empty", view)
		}
	}
}

// Views narrow by the nights and tables they tell of, and say so where they tell of none.
func TestAudit(t *testing.T) {
	s, c := newStore(t)
	history(t, s, c)
	for _, tt := range []struct {
		view  View
		asked Asked
		rows  int
		err   error
	}{
		{ChangesView, Asked{}, 1, nil},
		{ChangesView, Asked{Since: "2026-12-01", Table: "tpch.lineitem"}, 1, nil},
		{ChangesView, Asked{Since: "2026-12-02"}, 0, nil},
		{ChangesView, Asked{Table: "tpch.orders"}, 0, nil},
		{RunsView, Asked{Since: "2026-12-02"}, 1, nil},
		{RunsView, Asked{Table: "tpch.orders"}, 0, ErrNoColumn},
		{EdgesView, Asked{Table: "tpch.part", Since: "2026-12-02"}, 1, nil},
		{UntouchedView, Asked{Since: "2026-12-01"}, 0, ErrNoColumn},
		{UntouchedView, Asked{Table: "tpch.orders' OR 1=1 --"}, 0, nil},
	} {
		got, err := s.Audit(t.Context(), tt.view, tt.asked)
		if !errors.Is(err, tt.err) || len(got.Rows) != tt.rows {
			t.Errorf("%s of %+v: %d rows, %v; want %d, %v", tt.view, tt.asked, len(got.Rows), err, tt.rows, tt.err)
		}
	}
	if _, err := s.Audit(t.Context(), "changes; DROP TABLE runs", Asked{}); err == nil {
		t.Error("a view that is none was read")
	}
	changes, err := s.Audit(t.Context(), ChangesView, Asked{})
	must(t, err)
	got := map[string]any{}
	for i, column := range changes.Columns {
		got[column] = changes.Rows[0][i]
	}
	want := map[string]any{"approved_by": "Ada", "night": "2026-12-01", "run": "n1-a", "verdict": "helped by night 2026-12-02: 12 scans read 4000 bytes instead of 9000"}
	for column, value := range want {
		if diff := cmp.Diff(value, got[column]); diff != "" {
			t.Errorf("%s: %s", column, diff)
		}
	}
	for _, v := range Views() {
		if rows, err := s.Audit(t.Context(), v, Asked{}); err != nil || len(rows.Rows) == 0 {
			t.Errorf("%s: %d rows, %v", v, len(rows.Rows), err)
		}
	}
}

func TestReferencesBetweenTablesHold(t *testing.T) {
	s, c := newStore(t)
	history(t, s, c)
	if got := cell(t, s, `SELECT count(*) FROM pragma_foreign_key_check`); got != "0" {
		t.Errorf("%s rows point nowhere", got)
	}
	if got := cell(t, s, `SELECT * FROM pragma_integrity_check`); got != "ok" {
		t.Errorf("integrity: %s", got)
	}
}

// Literals live in facts, never in state (rule 9): a window whose every predicate, description
// and value holds a mark is scored and stored, and the mark is looked for in the bytes.
func TestRule9NoLiteralReachesTheFile(t *testing.T) {
	const mark = "SECRET-LITERAL-42"
	folder := t.TempDir()
	s, err := Open(t.Context(), filepath.Join(folder, "state.db"), newClock().now)
	must(t, err)
	w := night(1)
	secret := &predicate.Predicate{Op: predicate.Eq, Column: "c_name", Values: []predicate.Value{predicate.StringValue(mark)}}
	facts := []fact.Query{{
		Query: "select * from orders where name = '" + mark + "'", Fingerprint: "f1", Start: w.Start, Status: fact.Succeeded, TaskMS: 5, TasksMeasured: true,
		Scans: []fact.Scan{{Table: "tpch.orders", Rows: 5, Measured: true, Predicate: secret}},
		Joins: []fact.Join{{Left: []table.Ref{{Table: "tpch.orders", Column: "k"}}, Right: []table.Ref{{Table: "tpch.lineitem", Column: "k"}},
			Strategy: fact.SortMergeJoin, Expression: []string{"concat(k, " + mark + ")"}}},
	}}
	r := begin(t, s, beginning("r1", 1))
	g := joingraph.Build(w, facts, nil)
	must(t, r.RecordGraph(t.Context(), g))
	p := decided(1)
	p.Graph = g
	recordThis(t, r, p)
	found := 0
	look := func() {
		must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte(mark)) {
				t.Errorf("%s holds a literal", filepath.Base(path))
			}
			if bytes.Contains(text, []byte("tpch.orders")) {
				found++
			}
			return err
		}))
	}
	look() // the log beside the file
	finish(t, r, DryRun)
	must(t, s.Close())
	look()
	if found < 2 {
		t.Error("the names that must be there are not: the search sees nothing")
	}
}

func TestMigrationsAreNumberedByTheFormatTheyMake(t *testing.T) {
	names, err := fs.Glob(schema.Migrations, "migrations/*.sql")
	must(t, err)
	for i, name := range names {
		if want := fmt.Sprintf("migrations/%04d_", i+1); !strings.HasPrefix(name, want) {
			t.Errorf("migration %d is %s, want it to begin with %s", i+1, name, want)
		}
	}
}
