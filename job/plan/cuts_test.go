package plan_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// twoFilters is a workload that asks for ranges of a and of b on a table in no order.
func twoFilters() plan.Input {
	in := input(grid("t"))
	for _, f := range in.Tables[0].Snapshot.Files {
		f.Bounds["b"] = f.Bounds["a"]
	}
	for range 4 {
		in.Queries = append(in.Queries, scan("q2", "t", between("b", 40, 69)))
	}
	return in
}

func candidate(t *testing.T, p plan.Plan, order layout.Order) plan.Candidate {
	t.Helper()
	for _, c := range p.Tables[0].Candidates {
		if c.Layout.Order == order {
			return c
		}
	}
	t.Fatalf("no candidate of order %s", order)
	return plan.Candidate{}
}

// Cuts at the constants of the predicates read nothing but what is asked for: of 100 values of
// a and of b, 5 and 30.
func TestLearntCutsReadWhatIsAskedFor(t *testing.T) {
	p := decide(t, twoFilters())
	got := p.Tables[0]
	if got.Chosen.Order != layout.LearntCuts {
		t.Fatalf("%s was chosen: %s", got.Chosen, got.Reason)
	}
	// 20 files of 1000 bytes, four scans each; a leaf of half a file may be read in vain.
	if floor := 4 * (0.05 + 0.30) * 20_000; float64(got.ScannedBytesThen) > 1.15*floor {
		t.Errorf("cuts read %s, the rows asked for are %.0f B", got.ScannedBytesThen, floor)
	}
	if curve := candidate(t, p, layout.Hilbert); curve.ScannedBytes <= got.ScannedBytesThen {
		t.Errorf("hilbert reads %s, cuts %s", curve.ScannedBytes, got.ScannedBytesThen)
	}
}

// The plan keeps the tree, so that it can be carried out; what people read does not tell it.
func TestPlansKeepCutsAndReasonsDoNot(t *testing.T) {
	p := decide(t, twoFilters())
	text, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Steps[0].Layout, back.Steps[0].Layout); diff != "" || p.Steps[0].Layout.Tree == nil {
		t.Errorf("the step's layout came back otherwise: %s", diff)
	}
	for _, told := range []string{p.Steps[0].Layout.String(), p.Steps[0].Reason, p.Steps[0].Statement} {
		if strings.Contains(told, "69") || strings.Contains(told, "70") {
			t.Errorf("a cut is told: %s", told)
		}
	}
	again, err := json.Marshal(decide(t, twoFilters()))
	if err != nil || !cmp.Equal(string(again), mustMarshal(t, p)) {
		t.Errorf("the same inputs gave another plan (%v)", err)
	}
}

func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCutsAreForTheEmbeddedEngine(t *testing.T) {
	in := twoFilters()
	in.Settings.Engine = "connect"
	for _, c := range decide(t, in).Tables[0].Candidates {
		if c.Layout.Order == layout.LearntCuts {
			t.Errorf("cuts are offered to an engine that cannot make them: %s", c.Reason)
		}
	}
}

// mostlyByA is a workload that asks a table in order of b for a range of a, and seldom for b.
func mostlyByA() plan.Input {
	in := input(grid("t"))
	for range 6 {
		in.Queries = append(in.Queries, in.Queries[:4]...)
	}
	in.Queries = append(in.Queries, scan("by-b", "t", between("b", 0, 4)))
	return in
}

// The cuts that read least in all would have by-b read six times as much; where nobody may lose,
// those are offered that spare it.
func TestCutsSpareThoseWhoWouldLose(t *testing.T) {
	in := mostlyByA()
	in.Settings.MaxLoss = 0.001
	got := decide(t, in).Tables[0]
	if got.Chosen.Order != layout.LearntCuts {
		t.Fatalf("%s was chosen: %s", got.Chosen, got.Reason)
	}
	for _, class := range got.Queries {
		if class.Fingerprint == "by-b" && class.Then > class.Now {
			t.Errorf("by-b reads %s instead of %s", class.Then, class.Now)
		}
	}
	cuts := slices.DeleteFunc(slices.Clone(got.Candidates), func(c plan.Candidate) bool { return c.Layout.Order != layout.LearntCuts })
	if len(cuts) != 1 {
		t.Errorf("%d layouts by learnt cuts are told of, of which people could not tell one from another", len(cuts))
	}
}

// Cuts serve a class that no clustering key would: the protected one loses nothing and the
// rest gain.
func TestCutsKeepProtectedClasses(t *testing.T) {
	in := mostlyByA()
	in.Settings.Protect = []string{"by-b"}
	got := decide(t, in).Tables[0]
	if got.Chosen.Order != layout.LearntCuts {
		t.Fatalf("%s was chosen: %s", got.Chosen, got.Reason)
	}
	for _, class := range got.Queries {
		if class.Fingerprint == "by-b" && class.Then > class.Now+2_000 {
			t.Errorf("the protected class reads %s instead of %s", class.Then, class.Now)
		}
	}
}

// With more columns filtered than two, sets of three and four keys are weighed.
func TestSetsOfUpToFourKeys(t *testing.T) {
	in := input(grid("t"))
	s := &in.Tables[0]
	for _, c := range []table.Column{"c", "d"} {
		s.Snapshot.Columns = append(s.Snapshot.Columns, s.Snapshot.Columns[0])
		s.Snapshot.Columns[len(s.Snapshot.Columns)-1].Name = c
		s.Sample.Columns = append(s.Sample.Columns, c)
		column := slices.Clone(s.Sample.Values[0])
		for i := range column {
			column[i].I = int64(i*(53+len(c))*int(c[0])) % 100
		}
		s.Sample.Values = append(s.Sample.Values, column)
		for _, f := range s.Snapshot.Files {
			f.Bounds[c] = f.Bounds["a"]
		}
	}
	for _, c := range []table.Column{"b", "c", "d"} {
		in.Queries = append(in.Queries, scan("by-"+string(c), "t", between(c, 10, 60)))
	}
	sizes := map[int]bool{}
	for _, c := range decide(t, in).Tables[0].Candidates {
		sizes[len(c.Layout.Clustering)] = true
		if c.Reason == "" {
			t.Errorf("%s has no reason", c.Layout)
		}
	}
	for n := 1; n <= 4; n++ {
		if !sizes[n] {
			t.Errorf("no layout by %d keys was weighed", n)
		}
	}
}

func TestStringsThatBeginAlikeAreNoKeys(t *testing.T) {
	in := input(grid("t"))
	s := &in.Tables[0].Snapshot
	s.Columns = append(s.Columns, s.Columns[0])
	s.Columns[len(s.Columns)-1].Name, s.Columns[len(s.Columns)-1].Type = "url", "string"
	head := strings.Repeat("x", 32)
	for _, f := range s.Files {
		f.Bounds["url"] = text(head, head+"\U0010FFFF")
	}
	in.Queries = append(in.Queries, scan("q3", "t", is("url", head+"/home")))
	for _, c := range decide(t, in).Tables[0].Candidates {
		if slices.Contains(c.Layout.Clustering, "url") && !strings.Contains(c.Reason, "share their first 32 characters") {
			t.Errorf("%s: %s", c.Layout, c.Reason)
		}
	}
}

func text(low, high string) prune.Bounds {
	return prune.Bounds{Min: predicate.StringValue(low), Max: predicate.StringValue(high), Rows: 500}
}

func is(c table.Column, value string) *predicate.Predicate {
	return &predicate.Predicate{Op: predicate.Eq, Column: c, Values: []predicate.Value{predicate.StringValue(value)}}
}

// A curve that may not be chosen is no reason to leave a table as it is: queries by a that nobody
// has seen would read least in the order of a, by which the one by b loses too much.
func TestCutsAreHeldAgainstWhatTheTableWouldGet(t *testing.T) {
	in := input(grid("t"))
	in.Settings.TargetFile = 2000
	in.Queries = nil
	for low := range int64(9) {
		in.Queries = append(in.Queries, scan("by-a", "t", between("a", low*11, low*11)))
	}
	for range 3 {
		in.Queries = append(in.Queries, scan("by-b", "t", between("b", 20, 70)))
	}
	p := decide(t, in)
	if sorted := candidate(t, p, layout.Sort); !strings.Contains(sorted.Reason, "max_loss") {
		t.Fatalf("%s may be chosen: %s", sorted.Layout, sorted.Reason)
	} else if !strings.HasPrefix(sorted.Reason, "1 query class would read ") {
		t.Errorf("one class loses by %s: %s", sorted.Layout, sorted.Reason)
	}
	if got := p.Tables[0]; got.Chosen.Order != layout.LearntCuts {
		t.Errorf("%s was chosen: %s; cuts: %s", got.Chosen, got.Reason, candidate(t, p, layout.LearntCuts).Reason)
	}
}
