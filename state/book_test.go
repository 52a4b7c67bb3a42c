package state

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/window"
)

// copied gives a copy of the state at a path.
func copied(t *testing.T, path string) Copy {
	t.Helper()
	c, err := CopyOf(t.Context(), path, filepath.Join(t.TempDir(), "copy.db"))
	must(t, err)
	return c
}

func runsOf(t *testing.T, s *Store) string {
	t.Helper()
	return cell(t, s, oneFinished)
}

// A copy that is made while a run is at work is whole, and nobody has its lease once it is restored.
func TestCopyOfAStateInUse(t *testing.T) {
	s, c := newStore(t)
	history(t, s, c)
	r := begin(t, s, beginning("at-work", 9))
	must(t, r.RecordGraph(t.Context(), graph(9)))
	kept := copied(t, s.path)
	if kept.Newest != "2026-12-09" || kept.Runs == 0 {
		t.Errorf("the copy is %+v", kept)
	}
	found, err := kept.Check(t.Context())
	must(t, err)
	if slices.ContainsFunc(found, func(f Finding) bool { return f.Fault }) {
		t.Errorf("a sound state has faults: %+v", found)
	}
	other := openStore(t, filepath.Join(t.TempDir(), "other.db"), c)
	aside, err := other.Restore(t.Context(), kept, KeepNewer, nil)
	must(t, err)
	if aside != "" {
		t.Errorf("an empty state was kept at %s", aside)
	}
	if got, want := runsOf(t, other), runsOf(t, s); got != want {
		t.Errorf("runs %s, want %s", got, want)
	}
	next := begin(t, other, beginning("next", 10)) // nobody holds the lease
	if diff := cmp.Diff([]string{"at-work"}, next.Interrupted); diff != "" {
		t.Error(diff)
	}
	finish(t, next, Failed)
}

func TestRestoreLosesNothing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		since func(t *testing.T, s *Store) // the copy was made
		how   Replacing
		want  string // part of the error
		runs  string
	}{
		{"a state that is as the copy", func(*testing.T, *Store) {}, KeepNewer, "", "r1 no_drift"},
		{"a state with a run since", func(t *testing.T, s *Store) { finish(t, begin(t, s, beginning("r2", 2)), NoDrift) }, KeepNewer, "the state has 1 runs that the copy does not have as they are, among them r2", "r1 no_drift, r2 no_drift"},
		{"the same, told to replace it", func(t *testing.T, s *Store) { finish(t, begin(t, s, beginning("r2", 2)), NoDrift) }, Replace, "", "r1 no_drift"},
		{"a state with a run at work", func(t *testing.T, s *Store) { begin(t, s, beginning("r2", 2)) }, Replace, "holds the lease", "r1 no_drift, r2 open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newStore(t)
			finish(t, begin(t, s, beginning("r1", 1)), NoDrift)
			kept := copied(t, s.path)
			tt.since(t, s)
			before := runsOf(t, s)
			aside, err := s.Restore(t.Context(), kept, tt.how, nil)
			if (tt.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if got := runsOf(t, s); got != tt.runs {
				t.Errorf("runs %s, want %s", got, tt.runs)
			}
			if err != nil {
				if left, err := filepath.Glob(s.path + ".before*"); err != nil || left != nil {
					t.Errorf("a restore that was refused left %v, %v", left, err)
				}
				return
			}
			old, err := OpenReadOnly(t.Context(), aside)
			must(t, err)
			if got := runsOf(t, old); got != before {
				t.Errorf("aside are %s, want %s", got, before)
			}
			must(t, old.Close())
		})
	}
}

// A restore into object storage is one version more; a copy that another machine works on is behind.
func TestRestoreIntoStorage(t *testing.T) {
	objects, folder := storage(t)
	c := newClock()
	s := openStored(t, objects, c)
	finish(t, begin(t, s, beginning("r1", 1)), NoDrift)
	kept, err := storedAt(t, objects).Copy(t.Context(), filepath.Join(t.TempDir(), "copy.db"))
	must(t, err)
	stale := openStored(t, objects, c)
	finish(t, begin(t, s, beginning("r2", 2)), NoDrift)
	var newer *Newer
	if _, err := s.Restore(t.Context(), kept, KeepNewer, nil); !errors.As(err, &newer) {
		t.Errorf("got %v, want the state to be newer", err)
	}
	if _, err := stale.Restore(t.Context(), kept, Replace, nil); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("got %v: a stale copy was put over a newer version", err)
	}
	before := len(names(t, folder))
	aside, err := s.Restore(t.Context(), kept, Replace, nil)
	must(t, err)
	if now := len(names(t, folder)); now != before+1 {
		t.Errorf("%d versions, want one more than %d", now, before)
	}
	if got := runsOf(t, openStored(t, objects, c)); got != "r1 no_drift" {
		t.Errorf("runs %s", got)
	}
	old, err := OpenReadOnly(t.Context(), filepath.Join(filepath.Dir(folder), filepath.Base(aside)))
	must(t, err)
	if got := runsOf(t, old); got != "r1 no_drift, r2 no_drift" {
		t.Errorf("aside are %s", got)
	}
	must(t, old.Close())
	gaps, err := storedAt(t, objects).Gaps(t.Context())
	must(t, err)
	if gaps != nil {
		t.Errorf("gaps %+v", gaps)
	}
	must(t, os.Remove(filepath.Join(folder, names(t, folder)[1])))
	if gaps, err = storedAt(t, objects).Gaps(t.Context()); err != nil || len(gaps) != 1 {
		t.Errorf("gaps %+v, %v: a version was deleted", gaps, err)
	}
}

// Each rule finds what breaks it.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	for rule, statement := range map[string]string{
		"keys lead to rows":                         `PRAGMA foreign_keys = OFF; DELETE FROM plan_tables`,
		"the lease is of a run at work":             `INSERT INTO lease VALUES (1, 'n1-a', 5)`,
		"at most one run is at work":                `UPDATE runs SET outcome = NULL, finished_us = NULL`,
		"attempts of a night count up":              `UPDATE runs SET attempt = 9 WHERE id = 'n2'`,
		"a run has a window":                        `PRAGMA foreign_keys = OFF; DELETE FROM windows WHERE run_id = 'n1-a'`,
		"a run is of the night its window ends in":  `UPDATE runs SET night = '2020-01-01' WHERE id = 'n1-a'`,
		"applied is every step":                     `UPDATE runs SET outcome = 'applied'`,
		"a run that ended has no running step":      `UPDATE steps SET status = 'running'`,
		"a dry run changes nothing (rule 3)":        `UPDATE runs SET dry_run = 1`,
		"rows taken out equal rows put in (rule 1)": `UPDATE steps SET answer = json_set(answer, '$.rows_added.rows', 7) WHERE answer IS NOT NULL`,
		"a change has its version":                  `UPDATE steps SET version = NULL`,
		"budgets are hard (rule 2)":                 `UPDATE plans SET budget_bytes = 1`,
		"a change is of a run that is there whole":  `UPDATE runs SET pruned_us = 1`,
		"a plan is the one that its hash names":     `UPDATE plans SET json = replace(json, 'a', 'b')`,
		"a plan's steps are all recorded":           `PRAGMA foreign_keys = OFF; DELETE FROM steps WHERE step = 1`,
	} {
		t.Run(rule, func(t *testing.T) {
			s, c := newStore(t)
			history(t, s, c)
			alter(t, s.path, statement)
			found, err := copied(t, s.path).Check(t.Context())
			must(t, err)
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == rule && f.Fault && f.What != "" }) {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// Pruning takes detail of old runs that changed nothing; what was changed, and what the next night
// stands on, stays whole.
func TestPrune(t *testing.T) {
	s, c := newStore(t)
	history(t, s, c)
	for n := 3; n <= 6; n++ {
		r := begin(t, s, beginning("quiet-"+string(rune('0'+n)), n))
		must(t, r.RecordGraph(t.Context(), graph(n)))
		recordPlan(t, r, n)
		finish(t, r, DryRun)
	}
	changes := cell(t, s, `SELECT count(*) FROM audit_changes`)
	last, err := s.LastGraph(t.Context(), "2026-12-31")
	must(t, err)
	list, err := s.Prunable(t.Context(), "2026-12-31")
	must(t, err)
	var runs []string
	for _, p := range list {
		runs = append(runs, p.Run)
		if p.Rows == 0 && strings.HasPrefix(p.Run, "quiet") {
			t.Errorf("%s: nothing would go", p.Run)
		}
	}
	for _, stays := range []string{"n1-a", "quiet-6"} {
		if slices.Contains(runs, stays) {
			t.Errorf("%s would go", stays)
		}
	}
	if !slices.Contains(runs, "quiet-4") {
		t.Errorf("only %v would go", runs)
	}
	r := begin(t, s, beginning("at-work", 9))
	var held *LeaseHeld
	if _, err := s.Prune(t.Context(), "2026-12-31", nil); !errors.As(err, &held) {
		t.Errorf("got %v, want the lease to be held", err)
	}
	finish(t, r, Failed)
	pruned, err := s.Prune(t.Context(), "2026-12-31", nil)
	must(t, err)
	if len(pruned) < len(list) {
		t.Errorf("%d runs were pruned, %d were named", len(pruned), len(list))
	}
	if got := cell(t, s, `SELECT count(*) FROM audit_changes`); got != changes {
		t.Errorf("%s changes are left of %s", got, changes)
	}
	if got := cell(t, s, `SELECT count(*) FROM edges WHERE run_id = 'quiet-4'`); got != "0" {
		t.Errorf("%s edges are left", got)
	}
	now, err := s.LastGraph(t.Context(), "2026-12-31")
	must(t, err)
	if diff := cmp.Diff(last, now); diff != "" {
		t.Error(diff)
	}
	if again, err := s.Prunable(t.Context(), "2026-12-31"); err != nil || len(again) != 0 {
		t.Errorf("%d runs would go again, %v", len(again), err)
	}
	found, err := copied(t, s.path).Check(t.Context())
	must(t, err)
	if slices.ContainsFunc(found, func(f Finding) bool { return f.Fault }) {
		t.Errorf("a pruned state has faults: %+v", found)
	}
}

// A run whose plan is there comes back as the plan in force; of one without, what it changed.
func TestRebuild(t *testing.T) {
	from, c := newStore(t)
	history(t, from, c)
	p := decided(1)
	p.Triggered = true
	text := []byte(cell(t, from, `SELECT json FROM plans WHERE run_id = 'n1-a'`))
	hash := cell(t, from, `SELECT sha256 FROM plans WHERE run_id = 'n1-a'`)
	at := twoInTheMorning
	step := func(n int, version int64) Traced {
		return Traced{Step: n, Table: p.Steps[n].Table, Location: p.Steps[n].Location, Layout: clustered, Version: version, Commits: 1,
			First: at, Last: at.Add(time.Minute), FilesRemoved: 2, FilesAdded: 3, BytesRemoved: -1, BytesAdded: 900, Rows: 100}
	}
	lost := []Lost{
		{ID: "planless", PlanHash: "ffff", Steps: []Traced{{Step: 3, Table: "tpch.part", Location: "/lake/part", Layout: layout.Unordered(), Version: 4, Commits: 1, First: at.Add(time.Hour), Last: at.Add(time.Hour), Rows: -1}}},
		{ID: "n1-a", PlanHash: hash, Plan: &p, PlanJSON: text, Steps: []Traced{step(0, 8), step(1, 4)}},
	}
	s, _ := newStore(t)
	must(t, s.Rebuild(t.Context(), lost))
	if got := runsOf(t, s); got != "n1-a applied, planless applied_in_part" {
		t.Errorf("runs %s", got)
	}
	if got := cell(t, s, `SELECT group_concat(table_name || ' ' || version || ' ' || coalesce(rewritten_bytes, '?'), ', ') FROM (SELECT * FROM audit_changes ORDER BY table_name)`); got != "tpch.lineitem 8 ?, tpch.orders 4 ?, tpch.part 4 0" {
		t.Errorf("changes %s", got)
	}
	inForce, err := s.InForce(t.Context(), "2026-12-31")
	must(t, err)
	if diff := cmp.Diff(string(text), string(inForce.PlanJSON)); diff != "" {
		t.Error(diff)
	}
	if kept, err := s.Kept(t.Context(), night(2).End); err != nil || len(kept) != 0 {
		t.Errorf("kept %v, %v", kept, err)
	}
	found, err := copied(t, s.path).Check(t.Context())
	must(t, err)
	if slices.ContainsFunc(found, func(f Finding) bool { return f.Fault }) {
		t.Errorf("a rebuilt state has faults: %+v", found)
	}
	if err := s.Rebuild(t.Context(), lost); !errors.Is(err, ErrHasRuns) {
		t.Errorf("got %v: a state with runs was rebuilt", err)
	}
}

// What stamps say stands in for a plan that is gone: whether every step is there, the night, and
// what a rollback took back.
func TestRebuildByStamps(t *testing.T) {
	at := twoInTheMorning
	commit := func(step int, after time.Duration) Traced {
		return Traced{Step: step, Table: table.Name("t" + strconv.Itoa(step)), Location: table.Location("/lake/t" + strconv.Itoa(step)),
			Layout: layout.Unordered(), Version: 4, Commits: 1, First: at.Add(after), Last: at.Add(after), Rows: -1}
	}
	back, by := commit(0, time.Hour), commit(1, time.Hour)
	back.Returned, back.Undoes, by.Undoes = true, 1, 0
	s, _ := newStore(t)
	must(t, s.Rebuild(t.Context(), []Lost{
		{ID: "back", PlanHash: "b", Planned: 2, Night: "2026-11-29", Rollback: true, Undoes: "whole", Steps: []Traced{back, by}},
		{ID: "part", PlanHash: "p", Planned: 3, Night: "2026-11-28", Steps: []Traced{commit(2, time.Minute)}},
		{ID: "whole", PlanHash: "w", Planned: 2, Night: "2026-11-29", Steps: []Traced{commit(0, 0), commit(1, 0)}},
		{ID: "orphan", PlanHash: "o", Planned: 1, Night: "2026-11-29", Rollback: true, Undoes: "gone", Steps: []Traced{commit(5, 2*time.Hour)}},
	}))
	want := "night | attempt | id | outcome | purpose | undoes\n" +
		"2026-11-28 | 1 | part | applied_in_part | night | <nil>\n" +
		"2026-11-29 | 1 | whole | applied | night | <nil>\n" +
		"2026-11-29 | 2 | back | applied | rollback | whole\n" +
		"2026-11-29 | 3 | orphan | applied | rollback | <nil>\n"
	if diff := cmp.Diff(want, answerOf(t, s, `SELECT night, attempt, id, outcome, purpose, undoes FROM runs ORDER BY night, attempt`)); diff != "" {
		t.Error(diff)
	}
	want = "run | of_run | of_step | way | status\nback | whole | 0 | by_keys | applied\nback | whole | 1 | put_back | applied\n"
	if diff := cmp.Diff(want, answerOf(t, s, `SELECT run, of_run, of_step, way, status FROM audit_rollbacks`)); diff != "" {
		t.Error(diff)
	}
	taken, err := s.TakenBack(t.Context())
	must(t, err)
	if diff := cmp.Diff(map[table.Location]string{"/lake/t0": "back", "/lake/t1": "back", "/lake/t5": "orphan"}, taken); diff != "" {
		t.Error(diff)
	}
	var done *AlreadyDone
	b := beginning("again", 1)
	b.Window = window.Ending(time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC), 7*24*time.Hour)
	if _, err := s.Begin(t.Context(), b); !errors.As(err, &done) || done.Run != "whole" {
		t.Errorf("got %v: the night is done", err)
	}
}
