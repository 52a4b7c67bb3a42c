package state

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/plan"
)

func TestRecordPlanRefusesAnUntrueHash(t *testing.T) {
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	if err := r.RecordPlan(t.Context(), decided(1), []byte("{}"), "00"); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("got %v", err)
	}
	recordPlan(t, r, 1)
	if err := r.RecordPlan(t.Context(), plan.Plan{}, nil, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"); err == nil {
		t.Error("a second plan is taken")
	}
	const query = `SELECT group_concat(line, char(10)) FROM (SELECT concat_ws('|', table_name, layout, chosen, refused,
		coalesce(scanned_bytes, '-'), coalesce(gains_bytes, '-'), reason) AS line FROM audit_candidates)`
	want := strings.Join([]string{
		"tpch.lineitem|none|0|0|9000|0|as it is",
		"tpch.lineitem|hilbert(l_orderkey, l_shipdate)|1|0|4000|5000|the best",
		"tpch.lineitem|sort(l_comment)|0|1|-|-|no statistics",
	}, "\n")
	if diff := cmp.Diff(want, cell(t, s, query)); diff != "" {
		t.Error(diff)
	}
}

func TestStepsMoveOneWay(t *testing.T) {
	ctx := t.Context()
	boom := errors.New("boom")
	moves := map[string]func(*Run) error{
		"start":  func(r *Run) error { return r.StepStarted(ctx, 0) },
		"apply":  func(r *Run) error { return r.StepApplied(ctx, 0, answer) },
		"fail":   func(r *Run) error { return r.StepFailed(ctx, 0, boom) },
		"refuse": func(r *Run) error { return r.StepRefused(ctx, 0, boom) },
		"skip":   func(r *Run) error { return r.StepSkipped(ctx, 0, "not tonight") },
	}
	for _, c := range []struct{ moves, want string }{
		{"", "pending"},
		{"start", "running"},
		{"start apply", "applied"},
		{"start fail", "failed: boom"},
		{"fail", "failed: boom"},
		{"refuse", "refused: boom"},
		{"start refuse", "refused: boom"},
		{"skip", "skipped: not tonight"},
		{"apply", "error"},
		{"start start", "error"},
		{"start skip", "error"},
		{"start apply fail", "error"},
		{"start fail apply", "error"},
		{"skip start", "error"},
	} {
		t.Run(c.moves, func(t *testing.T) {
			s, _ := newStore(t)
			r := begin(t, s, beginning("r1", 1))
			recordPlan(t, r, 1)
			var err error
			for _, move := range strings.Fields(c.moves) {
				if err == nil {
					err = moves[move](r)
				}
			}
			got := cell(t, s, `SELECT status || coalesce(': ' || note, '') FROM steps WHERE step = 0`)
			if err != nil {
				got = "error"
			}
			if got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestAStepThatIsNotInThePlan(t *testing.T) {
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	if err := r.StepStarted(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "record the plan first") {
		t.Errorf("got %v", err)
	}
	if err := r.Intend(t.Context(), 0, "/lake/lineitem", []string{"x"}); err == nil {
		t.Error("files of no step are taken")
	}
}

func TestADryRunSkipsItsSteps(t *testing.T) {
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	recordPlan(t, r, 1)
	finish(t, r, DryRun)
	if got := cell(t, s, `SELECT group_concat(status) FROM steps`); got != "skipped,skipped" {
		t.Errorf("steps are %s", got)
	}
}

func TestAFailedRunLeavesItsStepsPending(t *testing.T) {
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	recordPlan(t, r, 1)
	must(t, r.StepStarted(t.Context(), 0))
	must(t, r.StepFailed(t.Context(), 0, errors.New("boom")))
	finish(t, r, Failed)
	if got := cell(t, s, `SELECT group_concat(status) FROM (SELECT status FROM steps ORDER BY step)`); got != "failed,pending" {
		t.Errorf("steps are %s", got)
	}
}

func TestTheEnginesAnswerIsKeptWhole(t *testing.T) {
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	recordPlan(t, r, 1)
	must(t, applyStep(t.Context(), r, 0, "/lake/lineitem"))
	const query = `SELECT concat_ws(' ', changed, version, files_removed, files_added, bytes_removed, bytes_added, row_count,
		attempts, seconds, status) FROM audit_steps WHERE step = 0`
	if got := cell(t, s, query); got != "1 8 2 3 1000 990 100 1 1.5 applied" {
		t.Errorf("got %s", got)
	}
	if got, want := cell(t, s, `SELECT answer FROM steps WHERE step = 0`), jsonOf(answer); got != want {
		t.Errorf("the answer is %s, want %s", got, want)
	}
}

func TestLeftovers(t *testing.T) {
	ctx := t.Context()
	s, c := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	hash := recordPlan(t, r, 1)
	must(t, applyStep(ctx, r, 0, "/lake/lineitem"))
	must(t, r.StepStarted(ctx, 1))
	must(t, r.Intend(ctx, 1, "/lake/orders", []string{"b", "a b%20/c'd"}))
	must(t, r.Intend(ctx, 1, "/lake/orders", []string{"b"})) // again
	leftovers := func(when string, want ...Leftover) {
		t.Helper()
		got, err := s.Leftovers(ctx)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(when, diff)
		}
	}
	leftovers("while the run is at work")
	c.advance(lease)
	begin(t, s, beginning("r2", 1))
	left := Leftover{Run: "r1", Step: 1, Engine: "embedded", PlanHash: hash, Table: "tpch.orders", Location: "/lake/orders", Paths: []string{"a b%20/c'd", "b"},
		Holder: "edge-1 process 42", Interrupted: true, EndedAt: c.now()}
	leftovers("of the dead run", left)
	must(t, s.Swept(ctx, left))
	leftovers("after sweeping")
	const states = `SELECT group_concat(state) FROM (SELECT state FROM files ORDER BY step, path)`
	if got := cell(t, s, states); got != "committed,committed,swept,swept" {
		t.Errorf("files are %s", got)
	}
}

func TestACommitWhoseRecordWasLost(t *testing.T) {
	ctx := t.Context()
	s, c := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	recordPlan(t, r, 1)
	must(t, r.StepStarted(ctx, 0))
	must(t, r.Intend(ctx, 0, "/lake/lineitem", []string{"a"}))
	c.advance(lease)
	begin(t, s, beginning("r2", 1))
	left, err := s.Leftovers(ctx)
	must(t, err)
	must(t, s.FoundCommitted(ctx, left[0], 8, nil))
	if left, err = s.Leftovers(ctx); len(left) != 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
	const query = `SELECT concat_ws(' ', status, version, changed, (SELECT state FROM files)) FROM steps WHERE step = 0`
	if got := cell(t, s, query); got != "applied 8 1 committed" {
		t.Errorf("got %s", got)
	}
}

func TestCommittedFilesAreNoLeftovers(t *testing.T) {
	ctx := t.Context()
	s, _ := newStore(t)
	r := begin(t, s, beginning("r1", 1))
	recordPlan(t, r, 1)
	must(t, r.StepStarted(ctx, 0))
	must(t, r.Intend(ctx, 0, "/lake/lineitem", []string{"a"}))
	must(t, r.Committed(ctx, 0))
	finish(t, r, VerificationFailed)
	if left, err := s.Leftovers(ctx); len(left) != 0 || err != nil {
		t.Errorf("left %v, %v: a committed file must never be swept", left, err)
	}
}

// What Intend named is on disk when it returns: another process sees it at once.
func TestIntendIsSeenFromOutside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := openStore(t, path, newClock())
	r := begin(t, s, beginning("r1", 1))
	recordPlan(t, r, 1)
	must(t, r.Intend(t.Context(), 0, "/lake/lineitem", []string{"a"}))
	reader, err := OpenReadOnly(t.Context(), path)
	must(t, err)
	defer func() { must(t, reader.Close()) }()
	if got := cell(t, reader, `SELECT path || ' ' || state FROM files`); got != "a pending" {
		t.Errorf("the file reads %s", got)
	}
}
