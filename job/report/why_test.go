package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/report"
	"ajlo/job/unit"
)

// weighed is a plan of two tables: t goes from sort(a) to sort(b), which helps one class and
// costs another; u is kept.
func weighed() plan.Plan {
	a, b := layout.ClusteredBy(layout.Sort, "a"), layout.ClusteredBy(layout.Sort, "b")
	return plan.Plan{Tables: []plan.Table{{
		Table: "t", Location: "/lake/t", Version: 4, Owner: "us", Current: a, Chosen: b, Bytes: 10 * unit.MB, Reason: "sort(b) reads less",
		Money: &plan.Money{Currency: "USD", SavedPerWindow: 1.5, NPV: 9}, Correction: 1.04,
		Decay: &plan.Decay{Reason: "it gets new keys tonight, whole", Keys: []plan.KeyDecay{{Column: "a", Ordered: []int{1, 1}, Now: []int{2, 1}}}},
		Candidates: []plan.Candidate{
			{Layout: a, Reason: "not kept: sort(b) reads less"},
			{Layout: b, Reason: "chosen: sort(b) reads less", Gains: 9 * unit.MB, Losses: unit.MB, Losers: []string{"loser"}},
		},
		Missing: []string{"layouts were simulated on 5 of 9 rows"},
		Queries: []plan.Class{
			{Fingerprint: "loser", Query: "Q08 of sales", Executions: 2, Now: unit.MB, Then: 2 * unit.MB, Best: unit.MB, Protected: true},
			{Fingerprint: "small", Executions: 1, Now: 2 * unit.MB, Then: unit.MB, Best: unit.MB, BestCandidate: 1},
			{Fingerprint: "winner", Executions: 3, Now: 10 * unit.MB, Then: 2 * unit.MB, Best: 2 * unit.MB, BestCandidate: 1},
		},
	}, {
		Table: "u", Location: "/lake/u", Current: a, Chosen: a, Reason: "kept: nothing pays", Candidates: []plan.Candidate{{Layout: a, Reason: "kept: nothing pays"}},
		Queries: []plan.Class{{Fingerprint: "loser", Query: "Q08 of sales", Executions: 2, Now: 7 * unit.MB, Then: 7 * unit.MB, Best: 7 * unit.MB}},
	}}}
}

func text(t *testing.T, name string) string {
	t.Helper()
	why, ok := report.WhyOf(weighed(), name)
	if !ok {
		t.Fatalf("%s is not found", name)
	}
	var out strings.Builder
	if err := why.Write(&out); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(out.String(), "\n\n") // what was not seen stands above
	return rest
}

func TestWhyATable(t *testing.T) {
	want := `t, version 4, 10.0 MB in sort(a), keys set by: us
decision  sort(b) reads less
money     1.50 USD a window, NPV 9.00 USD
corrected foretold bytes are multiplied by 1.04, learnt from earlier steps
    it gets new keys tonight, whole
    a value of a falls in 1.5 files instead of 1.0: more at 1 of 2 places along the key

layouts that were weighed, and why each was chosen or not
    sort(a): not kept: sort(b) reads less
    sort(b): chosen: sort(b) reads less
        gains 9.00 MB, losses 1.00 MB by "Q08 of sales" (loser)

query classes that gain by the decision: 2
    winner, run 3 times: 2.00 MB a window instead of 10.0 MB
    small, run once: 1.00 MB a window instead of 2.00 MB

query classes that lose by the decision: 1
    "Q08 of sales" (loser) (protected), run 2 times: 2.00 MB a window instead of 1.00 MB

missing
    layouts were simulated on 5 of 9 rows
`
	for _, name := range []string{"t", "/lake/t"} {
		if diff := cmp.Diff(want, text(t, name)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWhyAClass(t *testing.T) {
	want := `query class "Q08 of sales" (loser) reads 2 tables; most of what it still reads comes first
u, read by it 2 times: 7.00 MB a window now, 7.00 MB by sort(a)
    no layout that was weighed lets it read less
t, read by it 2 times: 1.00 MB a window now, 2.00 MB by sort(b)
    held back by 1.00 MB: sort(a) would let it read 1.00 MB; it reads least as the table is: sort(b) reads less
`
	if diff := cmp.Diff(want, text(t, "loser")); diff != "" {
		t.Error(diff)
	}
	if _, ok := report.WhyOf(weighed(), "nobody"); ok {
		t.Error("a name that is in no plan is found")
	}
}
