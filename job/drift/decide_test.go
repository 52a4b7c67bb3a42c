package drift

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/joingraph"
)

func scored(ref Reference, score float64, edges ...Edge) Score {
	return Score{Reference: ref, Score: &score, Edges: edges}
}

func TestDecide(t *testing.T) {
	dear := Edge{Key: "dear", FirstSeen: true, Change: 1, CostShare: 0.05}
	cheap := Edge{Key: "cheap", FirstSeen: true, Change: 1, CostShare: 0.049}
	known := Edge{Key: "known", CostShare: 0.9}
	weigh := DefaultRule()
	weigh.FirstSeen = FirstSeenWeighs
	for _, c := range []struct {
		name   string
		scores []Score
		rule   Rule
		want   Trigger
	}{
		{
			name: "no reference at all is the first run", rule: DefaultRule(),
			want: Trigger{true, "first run: no earlier window", []joingraph.EdgeKey{}},
		}, {
			name: "references without a score are none", rule: DefaultRule(),
			scores: []Score{{Reference: Last}, {Reference: Plan}},
			want:   Trigger{true, "first run: no earlier window", []joingraph.EdgeKey{}},
		}, {
			name: "an earlier window but no plan", rule: DefaultRule(),
			scores: []Score{scored(Last, 0), {Reference: Plan}},
			want:   Trigger{true, "no plan in force yet", []joingraph.EdgeKey{}},
		}, {
			name: "at the threshold", rule: DefaultRule(),
			scores: []Score{scored(Last, 0.10), scored(Plan, 0.02)},
			want:   Trigger{false, "drift 0.100 from the last run's window and 0.020 from the window of the plan in force, not above 0.1", []joingraph.EdgeKey{}},
		}, {
			name: "above it from the last window", rule: DefaultRule(),
			scores: []Score{scored(Last, 0.1001), scored(Plan, 0)},
			want:   Trigger{true, "drift 0.100 from the last run's window exceeds 0.1", []joingraph.EdgeKey{}},
		}, {
			name: "slow creep shows against the plan only", rule: Rule{Threshold: 0.25, FirstSeen: FirstSeenTriggers, Share: 0.05},
			scores: []Score{scored(Last, 0.04), scored(Plan, 0.3)},
			want:   Trigger{true, "drift 0.300 from the window of the plan in force exceeds 0.25", []joingraph.EdgeKey{}},
		}, {
			name: "a dear edge first seen triggers alone; first-seen edges come dearest first", rule: DefaultRule(),
			scores: []Score{scored(Last, 0.01, cheap, known, dear), scored(Plan, 0.01, cheap)},
			want:   Trigger{true, "edge dear is first seen and carries 5.0 % of the window's task time", []joingraph.EdgeKey{"dear", "cheap"}},
		}, {
			name: "but not where it only weighs", rule: weigh,
			scores: []Score{scored(Last, 0.01, dear), scored(Plan, 0.01)},
			want:   Trigger{false, "drift 0.010 from the last run's window and 0.010 from the window of the plan in force, not above 0.1", []joingraph.EdgeKey{"dear"}},
		}, {
			name: "a cheap one does not trigger alone", rule: DefaultRule(),
			scores: []Score{scored(Last, 0, cheap), scored(Plan, 0, cheap)},
			want:   Trigger{false, "drift 0.000 from the last run's window and 0.000 from the window of the plan in force, not above 0.1", []joingraph.EdgeKey{"cheap"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Decide(c.scores, c.rule)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestANewEdgeAmongTenUnchanged(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64
		fired bool
	}{{"under the share", 0.049, false}, {"with the share", 0.05, true}} {
		t.Run(c.name, func(t *testing.T) {
			before := workload(10)
			now := changed(before, func(g *joingraph.Graph) { g.Edges = append(g.Edges, newEdge(c.share)) })
			got := Decide([]Score{Between(Last, before, *now), Between(Plan, before, *now)}, DefaultRule())
			if got.Fired != c.fired {
				t.Errorf("fired is %v: %s", got.Fired, got.Reason)
			}
		})
	}
}

// Each night one more small edge comes: 1/11, 1/12, … from the night before, never above the
// threshold, but 2/12 from the plan's window on the second night.
func TestSlowCreepIsCaughtByThePlansWindow(t *testing.T) {
	plan := workload(10)
	last, fired := plan, 0
	for night := 1; fired == 0 && night <= 5; night++ {
		now := changed(last, func(g *joingraph.Graph) {
			e := newEdge(0.001)
			e.Key = joingraph.EdgeKey(fmt.Sprintf("new%d", night))
			g.Edges = append(g.Edges, e)
		})
		toLast, toPlan := Between(Last, last, *now), Between(Plan, plan, *now)
		if *toLast.Score > DefaultThreshold {
			t.Errorf("night %d drifts %v from the last", night, *toLast.Score)
		}
		if Decide([]Score{toLast, toPlan}, DefaultRule()).Fired {
			fired = night
		}
		last = now
	}
	if fired != 2 {
		t.Errorf("fired on night %d, want 2", fired)
	}
}

func TestParseFirstSeen(t *testing.T) {
	for _, f := range []FirstSeen{FirstSeenTriggers, FirstSeenWeighs} {
		if got, err := ParseFirstSeen(string(f)); got != f || err != nil {
			t.Errorf("%s parses as %s, %v", f, got, err)
		}
	}
	if _, err := ParseFirstSeen("never"); err == nil {
		t.Error("an unknown policy parses")
	}
}
