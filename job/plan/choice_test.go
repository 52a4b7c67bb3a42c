package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/joingraph"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// joined is two tables of 20 kB, read whole by four executions of one join on a and b, and a
// filter on t.a that pays by itself.
func joined() plan.Input {
	in := input(grid("t"), grid("u"))
	in.Settings.Estimator = plan.ByConstant
	join := scan("join", "t", nil)
	join.Scans = append(join.Scans, scan("join", "u", nil).Scans...)
	for range 4 {
		in.Queries = append(in.Queries, join)
	}
	in.Graph = joingraph.Graph{Edges: []joingraph.Edge{{
		Key: "t(a) = u(b)", Left: "t", Right: "u", Pairs: []joingraph.Pair{{Left: "a", Right: "b"}}, Fingerprint: []string{"join"},
	}}}
	return in
}

// By the paper's constant a join saves 30 % of its scans once both tables lie by its keys: here
// of 160 kB a window. Neither table alone is worth its rewrite.
func TestConstantLaysBothTablesOfAJoin(t *testing.T) {
	p := decide(t, joined())
	if p.Estimator != plan.ByConstant || p.SavedBytesPerWindow != 48_000 || p.Rewrite != 40_000 {
		t.Errorf("estimator %s saves %d for %d", p.Estimator, p.SavedBytesPerWindow, p.Rewrite)
	}
	for i, key := range []table.Column{"a", "b"} {
		got := p.Tables[i]
		if diff := cmp.Diff(layout.ClusteredBy(layout.Sort, key), got.Chosen); diff != "" {
			t.Errorf("%s: %s", got.Table, diff)
		}
		if saved := got.ScannedBytesNow - got.ScannedBytesThen; saved != 24_000 {
			t.Errorf("%s saves %d, want 30 %% of 80 kB", got.Table, saved)
		}
	}
	in := joined()
	in.Settings.Budget = 39_999 // one table alone would fit
	in.Settings.Choice = plan.Greedy
	for _, how := range []plan.Choosing{plan.Exact, plan.Greedy} {
		in.Settings.Choice = how
		if p := decide(t, in); len(p.Steps) != 0 || len(p.Deferred) != 2 || p.Choice != how {
			t.Errorf("%s: %d steps, %v deferred; want none and both", how, len(p.Steps), p.Deferred)
		}
	}
}

// What lies by the join's keys already is not counted twice, and its partner alone completes
// the pair.
func TestConstantCompletesAPair(t *testing.T) {
	in := joined()
	in.Tables[0].Snapshot.Layout = layout.ClusteredBy(layout.Sort, "a")
	p := decide(t, in)
	if len(p.Steps) != 1 || p.Steps[0].Table != "u" || p.SavedBytesPerWindow != 48_000 {
		t.Errorf("steps %v, saved %d; want u to follow t", p.Steps, p.SavedBytesPerWindow)
	}
	in.Tables[1].Snapshot.Layout = layout.ClusteredBy(layout.Sort, "b")
	if p := decide(t, in); len(p.Steps) != 0 {
		t.Errorf("steps %v although both tables lie by the join's keys", p.Steps)
	}
}

// A pair that wins less than the margin over both rewrites is left.
func TestPairsHaveToWinByTheMargin(t *testing.T) {
	in := joined()
	in.Settings.Margin = 20
	if p := decide(t, in); len(p.Steps) != 0 || len(p.Deferred) != 0 {
		t.Errorf("steps %v, deferred %v", p.Steps, p.Deferred)
	}
}

// A protected class may read 5 % or two files more, whichever is more, and no other layout is
// taken: sort(a) would make by-b read 20 files a scan instead of one.
func TestProtectedClassesAreKept(t *testing.T) {
	for _, tc := range []struct {
		name    string
		protect []string
		chosen  string
	}{
		{"nobody is protected", nil, "sort(a)"},
		{"by fingerprint", []string{"by-b"}, "as it arrives"},
		{"by description", []string{"the dashboard"}, "as it arrives"},
		{"another class", []string{"q1"}, "sort(a)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := input(grid("t"))
			in.Settings.Engine = "connect" // which is offered no learnt cuts
			for range 6 {
				in.Queries = append(in.Queries, in.Queries[:4]...)
			}
			lone := scan("by-b", "t", between("b", 0, 4))
			lone.Query = "the dashboard"
			in.Queries = append(in.Queries, lone)
			in.Settings.Protect = tc.protect
			got := decide(t, in).Tables[0]
			if got.Chosen.String() != tc.chosen {
				t.Fatalf("%s was chosen, want %s: %s", got.Chosen, tc.chosen, got.Reason)
			}
			for _, c := range got.Candidates {
				if c.Layout.String() == "sort(a)" && tc.chosen != "sort(a)" && !strings.Contains(c.Reason, `class "the dashboard" (by-b) is protected and would read 20.0 kB`) {
					t.Errorf("sort(a): %s", c.Reason)
				}
			}
		})
	}
}

// Money stands beside bytes: four scans of 20 kB become 1 kB each, at a million a terabyte.
func TestMoney(t *testing.T) {
	in := input(grid("t"))
	if p := decide(t, in); p.Money != nil {
		t.Errorf("money %+v without prices", p.Money)
	}
	in.Settings.Horizon, in.Settings.Rate = 8, 0
	in.Settings.Prices = plan.Prices{Currency: "EUR", Scan: 1e6, Rewrite: 2e6, StorageMonths: 3e6}
	p := decide(t, in)
	want := plan.Money{Currency: "EUR", SavedPerWindow: 0.076, Rewrite: 0.04, Storage: 0.014, NPV: 0.554}
	if diff := cmp.Diff(&want, p.Money); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&want, p.Tables[0].Money); diff != "" {
		t.Error(diff)
	}
}

// 60 % of one Delta table gives no statement on it, and the plan says so.
func TestABudgetThatHoldsNoStepIsNamed(t *testing.T) {
	in := input(grid("t"))
	in.Settings.Budget = 12 * unit.KB
	p := decide(t, in)
	if len(p.Steps) != 0 || p.Rewrite != 0 || !strings.Contains(p.Tables[0].Reason, "the budget of 12.0 kB is too small for its rewrite of 20.0 kB") {
		t.Errorf("steps %v, reason %q", p.Steps, p.Tables[0].Reason)
	}
}

// Contradictory predicates match nothing, columns may be gone since the log, tables may have
// shrunk to nothing: each gives an explained plan.
func TestBadInputGivesAnExplainedPlan(t *testing.T) {
	in := input(grid("t"), grid("gone"))
	never := between("a", 14, 10)
	for range 4 {
		in.Queries = append(in.Queries, scan("never", "t", never), scan("dropped", "t", between("was", 1, 2)), scan("lost", "gone", between("a", 1, 2)))
	}
	in.Tables[1].Snapshot.Files, in.Tables[1].Snapshot.Columns = nil, nil
	in.Graph = joingraph.Graph{Edges: []joingraph.Edge{{Left: "t", Right: "gone", Pairs: []joingraph.Pair{{Left: "was", Right: "a"}}, Fingerprint: []string{"lost"}}}}
	for _, e := range []plan.Estimator{plan.ByWhatIf, plan.ByConstant} {
		in.Settings.Estimator = e
		p := decide(t, in)
		for _, table := range p.Tables {
			if table.Reason == "" {
				t.Errorf("%s: table %s has no reason", e, table.Table)
			}
			for _, c := range table.Candidates {
				if c.Reason == "" {
					t.Errorf("%s: %s by %s has no reason", e, table.Table, c.Layout)
				}
			}
		}
	}
}

// A query that joins a table to itself reads it twice in one execution.
func TestExecutionsAreNotScans(t *testing.T) {
	in := input(grid("t"))
	twice := scan("twice", "t", nil)
	twice.Scans = append(twice.Scans, scan("twice", "t", between("a", 1, 1)).Scans...)
	in.Queries = append(in.Queries, twice, twice, scan("once", "t", nil))
	got := map[string]int64{}
	for _, c := range decide(t, in).Tables[0].Queries {
		got[c.Fingerprint] = c.Executions
	}
	if diff := cmp.Diff(map[string]int64{"q1": 4, "twice": 2, "once": 1}, got); diff != "" {
		t.Errorf("executions by class (-want +got):\n%s", diff)
	}
}

// A predicate that no row can meet reads nothing where files are narrow enough for their bounds
// to show it; as the table is, each file could hold either end.
func TestContradictionsReadNothing(t *testing.T) {
	in := input(grid("t"))
	never := append(between("a", 10, 20).Args, between("a", 30, 40).Args...)
	for i := range in.Queries {
		in.Queries[i].Scans[0].Predicate = predicate.Conjunction(never)
	}
	got := decide(t, in).Tables[0]
	if got.ScannedBytesNow != 80_000 || got.ScannedBytesThen != 0 {
		t.Errorf("reads %s now and %s by %s, want 80 kB and nothing", got.ScannedBytesNow, got.ScannedBytesThen, got.Chosen)
	}
}
