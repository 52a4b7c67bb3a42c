package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/fact"
	"ajlo/job/predicate"
)

// A plan says of each table what it was made without, and of each class what would be best for
// it alone.
func TestWhatIsMissingAndWhatWouldBeBest(t *testing.T) {
	in := input(grid("t"))
	lost := scan("lost", "t", between("b", 0, 4))
	lost.Lost, lost.Scans[0].Measured = fact.Lost{Predicates: 2}, false
	in.Queries = append(in.Queries, lost, scan("flags", "t", &predicate.Predicate{Op: predicate.Eq, Column: "flag", Values: []predicate.Value{predicate.BoolValue(true)}}))
	in.Tables[0].Sample.Population = 20_000
	in.Tables[0].Snapshot.Files[0].Bounds = nil
	got := decide(t, in).Tables[0]
	want := []string{
		"2 predicates of 1 queries that read it were cut off in the logs: what they would leave unread is not counted",
		"1 scans of it have no metrics in the logs",
		"1 of 20 files have no statistics: every query reads them",
		"layouts were simulated on 10000 of 20000 rows",
		"sort(flag) was not weighed: refused: a column of type boolean keeps no bounds that prune",
	}
	if diff := cmp.Diff(want, refusedKeysOnly(got.Missing)); diff != "" {
		t.Error(diff)
	}
	for _, c := range got.Queries {
		best := got.Candidates[c.BestCandidate].Layout.String()
		if c.Fingerprint == "lost" && (best != "as it arrives" || c.Best != 1000) || c.Fingerprint == "q1" && (best == "as it arrives" || c.Best != 4000) {
			t.Errorf("%s reads least, %d, by %s", c.Fingerprint, c.Best, best)
		}
	}
}

// refusedKeysOnly leaves out learnt cuts, which are another test's.
func refusedKeysOnly(missing []string) (kept []string) {
	for _, m := range missing {
		if len(m) < 4 || m[:4] != "cuts" {
			kept = append(kept, m)
		}
	}
	return kept
}
