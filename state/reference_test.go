package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/drift"
	"ajlo/job/joingraph"
	"ajlo/job/table"
)

func TestGraphComesBackAsItWas(t *testing.T) {
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	want := graph(1)
	must(t, r.RecordGraph(t.Context(), want))
	finish(t, r, NoDrift)
	got, err := s.LastGraph(t.Context(), night(2).Night())
	must(t, err)
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := s.LastGraph(t.Context(), night(1).Night()); got != nil || err != nil {
		t.Errorf("the night itself is no earlier night: %v, %v", got, err)
	}
}

func TestAnyGraphComesBackAsItWas(t *testing.T) {
	s, _ := newStore(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		want := drawGraph(rt)
		r, err := s.Begin(t.Context(), beginning(fmt.Sprint("r", n), 1))
		if err != nil {
			rt.Fatal(err)
		}
		want.Window = night(1)
		if err := r.RecordGraph(t.Context(), want); err != nil {
			rt.Fatal(err)
		}
		if err := r.Finish(t.Context(), DryRun, nil); err != nil {
			rt.Fatal(err)
		}
		got, err := s.LastGraph(t.Context(), night(2).Night())
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			rt.Error(diff)
		}
	})
}

func drawGraph(t *rapid.T) joingraph.Graph {
	g := joingraph.Graph{Edges: []joingraph.Edge{}, Unscored: []joingraph.Edge{}, TaskMS: rapid.Int64().Draw(t, "ms")}
	for i := range rapid.IntRange(0, 4).Draw(t, "edges") {
		name := rapid.String()
		e := joingraph.Edge{
			Key: joingraph.EdgeKey(fmt.Sprint(i, name.Draw(t, "key"))), Left: table.Name(name.Draw(t, "left")), F: rapid.Int64().Draw(t, "f"),
			D: rapid.Float64().Draw(t, "d"), C: rapid.Float64().Draw(t, "c"), Expression: rapid.Bool().Draw(t, "expression"),
			JIS: joingraph.JIS(rapid.Float64Range(0, 1).Draw(t, "jis")), Fingerprint: []string{name.Draw(t, "print")},
			Pairs: []joingraph.Pair{{Left: table.Column(name.Draw(t, "column"))}},
		}
		if rapid.Bool().Draw(t, "scored") {
			g.Edges = append(g.Edges, e)
		} else {
			g.Unscored = append(g.Unscored, e)
		}
	}
	return g
}

// Each case is a history of nights, "night:outcome" with what was recorded of it: g a graph,
// p a plan, d for a dry run. References are asked for on night 9.
func TestReferences(t *testing.T) {
	for _, c := range []struct{ name, history, last, plan string }{
		{"nothing yet", "", "", ""},
		{"one night that was applied", "1:applied:gp", "1", "1"},
		{"the last window is of the last night, the plan's of the last plan", "1:applied:gp 2:no_drift:gp 3:no_drift:gp", "3", "1"},
		{"a plan with nothing worth a rewrite is in force too", "1:applied:gp 2:nothing_to_do:gp 3:no_drift:gp", "3", "2"},
		{"a plan applied in part is not, but its window was seen", "1:applied:gp 2:applied_in_part:gp", "2", "1"},
		{"no evidence keeps both references", "1:applied:gp 2:no_evidence:gp", "1", "1"},
		{"so do runs that failed", "1:applied:gp 2:failed:gp 3:refused:gp 4:interrupted:gp 5:verification_failed:gp", "1", "1"},
		{"a dry run's window was seen, its plan is not in force", "1:applied:gp 2:dry_run:gpd", "2", "1"},
		{"nor is one of a dry run that found nothing to do", "1:dry_run:gpd 2:nothing_to_do:gpd", "2", ""},
		{"a run that recorded no graph is no reference", "1:applied:gp 2:no_drift:", "1", "1"},
		{"a run that recorded no plan has none in force", "1:applied:g", "1", ""},
		{"of one night the last attempt counts", "1:applied_in_part:gp 1:applied:gp", "1b", "1b"},
		{"a failed attempt does not hide an earlier one", "1:dry_run:gpd 1:failed:gp", "1", ""},
		{"the night itself is no last window, but may hold the plan in force", "8:no_drift:gp 9:applied:gp", "8", "9"},
		{"later nights do not count", "1:applied:gp 10:applied:gp", "1", "1"},
		{"nights are taken by date, not by when they ran", "3:applied:gp 1:applied:gp", "3", "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := newStore(t)
			for _, entry := range strings.Fields(c.history) {
				live(t, s, entry)
			}
			last, err := referenceRun(t.Context(), s.db, drift.Last, night(9).Night())
			must(t, err)
			inForce, err := referenceRun(t.Context(), s.db, drift.Plan, night(9).Night())
			must(t, err)
			if last != c.last || inForce != c.plan {
				t.Errorf("last %q, plan %q, want %q and %q", last, inForce, c.last, c.plan)
			}
			if g, err := s.LastGraph(t.Context(), night(9).Night()); err != nil || (g == nil) != (c.last == "") {
				t.Errorf("last graph %v, %v", g, err)
			}
			if in, err := s.InForce(t.Context(), night(9).Night()); err != nil || (in == nil) != (c.plan == "") || (in != nil && len(in.PlanJSON) == 0) {
				t.Errorf("plan in force %+v, %v", in, err)
			}
		})
	}
}

// live goes through one entry of a history; a night's second run has the id "1b".
func live(t *testing.T, s *Store, entry string) {
	t.Helper()
	var n int
	var rest string
	if _, err := fmt.Sscanf(entry, "%d:%s", &n, &rest); err != nil {
		t.Fatal(err)
	}
	outcome, recorded, _ := strings.Cut(rest, ":")
	b := beginning(fmt.Sprint(n), n)
	if cell(t, s, `SELECT count(*) FROM runs WHERE id = ?`, b.ID) == "1" {
		b.ID += "b"
	}
	b.DryRun = strings.Contains(recorded, "d")
	r := begin(t, s, b)
	if strings.Contains(recorded, "g") {
		must(t, r.RecordGraph(t.Context(), graph(n)))
	}
	if strings.Contains(recorded, "p") {
		recordPlan(t, r, n)
	}
	finish(t, r, Outcome(outcome))
}

func TestDriftNamesTheRunItWasMeasuredFrom(t *testing.T) {
	s, _ := newStore(t)
	live(t, s, "1:applied:gp")
	live(t, s, "2:no_drift:gp")
	r := begin(t, s, beginning("3", 3))
	score, paper := 0.25, 0.5
	scores := []drift.Score{
		{Reference: drift.Last, Score: &score, ScorePaper: &paper, SpeedFactor: 2.6, TaskTimeShift: 0.1, Edges: []drift.Edge{
			{Key: "a", Before: 0.5, After: 0, Change: 1}, {Key: "b", After: 0.1, Change: 1, FirstSeen: true, CostShare: 0.06},
		}},
		{Reference: drift.Plan, SpeedFactor: 1},
	}
	must(t, r.RecordDrift(t.Context(), scores, drift.Trigger{Fired: true, Reason: "because"}))
	const query = `SELECT group_concat(line, char(10)) FROM (SELECT concat_ws(' ', reference, reference_run, score, score_paper,
		speed_factor, task_time_shift, edge, jis_before, jis_after, change, first_seen, cost_share) AS line FROM audit_drift WHERE run = '3')`
	want := "last 2 0.25 0.5 2.6 0.1 a 0.5 0.0 1.0 0 0.0\nlast 2 0.25 0.5 2.6 0.1 b 0.0 0.1 1.0 1 0.06\nplan 1 1.0 0.0"
	if diff := cmp.Diff(want, cell(t, s, query)); diff != "" {
		t.Error(diff)
	}
	if got := cell(t, s, `SELECT trigger_fired || ' ' || trigger_reason FROM audit_runs WHERE run = '3'`); got != "1 because" {
		t.Errorf("trigger %q", got)
	}
}
