package drift

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"ajlo/job/joingraph"
)

// edge is a measured edge of known tables; the cases change what they are about.
func edge(key joingraph.EdgeKey, f int64, d, c float64) joingraph.Edge {
	return joingraph.Edge{Key: key, F: f, D: d, C: c, DSource: joingraph.FromLake, CSource: joingraph.FromTasks}
}

// workload is n edges that differ in every factor, each with its part of the cost.
func workload(n int) *joingraph.Graph {
	g := &joingraph.Graph{}
	for i := range n {
		e := edge(joingraph.EdgeKey(fmt.Sprintf("e%02d", i)), int64(3+i), 1000*float64(i+1), 100*float64(n-i))
		e.CostShare = 0.9 / float64(n)
		g.Edges = append(g.Edges, e)
	}
	return g
}

// changed is a copy of g after change.
func changed(g *joingraph.Graph, change func(*joingraph.Graph)) *joingraph.Graph {
	now := &joingraph.Graph{Edges: append([]joingraph.Edge{}, g.Edges...), Unscored: append([]joingraph.Edge{}, g.Unscored...)}
	change(now)
	return now
}

func everyEdge(change func(*joingraph.Edge)) func(*joingraph.Graph) {
	return func(g *joingraph.Graph) {
		for i := range g.Edges {
			change(&g.Edges[i])
		}
	}
}

func firstEdge(change func(*joingraph.Edge)) func(*joingraph.Graph) {
	return func(g *joingraph.Graph) { change(&g.Edges[0]) }
}

func newEdge(share float64) joingraph.Edge {
	e := edge("new", 4, 5000, 300)
	e.CostShare = share
	return e
}

func TestWhatIsNoDrift(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*joingraph.Graph)
		factor float64
	}{
		{"the same window", func(*joingraph.Graph) {}, 1},
		{"every task time 2.6-fold", everyEdge(func(e *joingraph.Edge) { e.C *= 2.6 }), 2.6},
		{"every task time a hundredth", everyEdge(func(e *joingraph.Edge) { e.C /= 100 }), 0.01},
		{"one edge 2.9-fold dearer", firstEdge(func(e *joingraph.Edge) { e.C *= 2.9 }), 1},
		{"one edge 2.9-fold cheaper", firstEdge(func(e *joingraph.Edge) { e.C /= 2.9 }), 1},
		{"tables that grew", everyEdge(func(e *joingraph.Edge) { e.D *= 1000 }), 1},
		{"rows that are no longer known", firstEdge(func(e *joingraph.Edge) { e.D, e.DSource = 0, joingraph.NoSource }), 1},
		{"task totals missing from the log for one edge", firstEdge(func(e *joingraph.Edge) { e.C, e.CSource = 50*e.C, joingraph.FromWall }), 1},
		{"an edge that became a broadcast", func(g *joingraph.Graph) {
			g.Unscored, g.Edges = g.Edges[:1:1], g.Edges[1:]
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := workload(9)
			got := Between(Last, before, *changed(before, c.change))
			if got.Score == nil || *got.Score != 0 {
				t.Errorf("score %v, want exactly 0", show(got.Score))
			}
			if diff := cmp.Diff(c.factor, got.SpeedFactor, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Error("speed factor", diff)
			}
		})
	}
}

func TestWhatIsDrift(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*joingraph.Graph)
		want   float64 // −1 where only its being above 0 is meant
	}{
		{"a new edge among ten", func(g *joingraph.Graph) { g.Edges = append(g.Edges, newEdge(0.01)) }, 1. / 11},
		{"an edge of ten that vanished", func(g *joingraph.Graph) { g.Edges = g.Edges[1:] }, 1. / 10},
		{"one for another", func(g *joingraph.Graph) { g.Edges = append(g.Edges[1:], newEdge(0.01)) }, 2. / 11},
		{"no edge left but a new one", func(g *joingraph.Graph) { g.Edges = []joingraph.Edge{newEdge(1)} }, 1},
		{"one edge 3.1-fold dearer", firstEdge(func(e *joingraph.Edge) { e.C *= 3.1 }), -1},
		{"one edge 3.1-fold cheaper", firstEdge(func(e *joingraph.Edge) { e.C /= 3.1 }), -1},
		{"an edge that runs three times as often", firstEdge(func(e *joingraph.Edge) { e.F *= 3 }), -1},
		{"every edge ten times as often: frequencies are not evened out", everyEdge(func(e *joingraph.Edge) { e.F *= 10 }), -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := workload(10)
			got := Between(Last, before, *changed(before, c.change))
			switch {
			case got.Score == nil || *got.Score <= 0 || *got.Score > 1:
				t.Errorf("score %s, want it above 0 and up to 1", show(got.Score))
			case c.want >= 0 && math.Abs(*got.Score-c.want) > 1e-12:
				t.Errorf("score %s, want %v", show(got.Score), c.want)
			}
		})
	}
}

// Both windows need five executions before two-fold is enough.
func TestHowMuchDearerCounts(t *testing.T) {
	for _, c := range []struct {
		name           string
		before, now    int64 // executions
		times          float64
		kept, unscored bool
	}{
		{name: "few executions, threefold", before: 4, now: 4, times: 3, kept: true},
		{name: "few executions, above", before: 4, now: 4, times: 3.01},
		{name: "many executions, twofold", before: 5, now: 5, times: 2, kept: true},
		{name: "many executions, above", before: 5, now: 5, times: 2.01},
		{name: "many executions, cheaper than half", before: 5, now: 5, times: 1 / 2.01},
		{name: "many now, few before", before: 4, now: 9, times: 2.9, kept: true},
		{name: "few now, many before", before: 9, now: 4, times: 2.9, kept: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			then, now := edge("e", c.before, 1, 100), edge("e", c.now, 1, 100*c.times)
			got := evened([]couple{{key: "e", then: &then, now: &now}}, 1)[0].C
			want := now.C
			if c.kept {
				want = then.C
			}
			if got != want {
				t.Errorf("C is %v, want %v", got, want)
			}
		})
	}
}

func TestSpeedFactorIsTheMedianOverCommonEdges(t *testing.T) {
	at := func(then, now float64) couple {
		a, b := edge("e", 1, 1, then), edge("e", 1, 1, now)
		return couple{then: &a, now: &b}
	}
	wall := at(1, 50)
	wall.now.CSource = joingraph.FromWall
	lone := edge("e", 1, 1, 7)
	for _, c := range []struct {
		name    string
		couples []couple
		want    float64
	}{
		{"no edge", nil, 1},
		{"no common edge", []couple{{now: &lone}, {then: &lone}}, 1},
		{"odd", []couple{at(1, 2), at(1, 40), at(10, 30)}, 3},
		{"even", []couple{at(1, 2), at(1, 4), at(1, 90), at(100, 1)}, 3},
		{"no time in one window says nothing", []couple{at(0, 5), at(5, 0), at(1, 2)}, 2},
		{"nor does time of another kind", []couple{wall, at(1, 2)}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := speedFactor(c.couples); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestNothingToCompareHasNoScore(t *testing.T) {
	for _, c := range []struct {
		name   string
		before *joingraph.Graph
		now    joingraph.Graph
	}{
		{"first run", nil, *workload(3)},
		{"both windows empty", &joingraph.Graph{}, joingraph.Graph{}},
		{"every edge became a broadcast", workload(3), joingraph.Graph{Unscored: workload(3).Edges}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := Score{Reference: Plan, SpeedFactor: 1, Edges: []Edge{}}
			if diff := cmp.Diff(want, Between(Plan, c.before, c.now)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The windows of this test: one edge as it was, one gone, one new, one that ran as a
// broadcast before. All factors of the common edge are the greatest, so that its JIS is 1.
func TestEdgesOfAScore(t *testing.T) {
	same, gone, fresh, grown := edge("same", 9, 1e6, 900), edge("gone", 1, 10, 100), newEdge(0.2), edge("grown", 2, 100, 100)
	same.CostShare, gone.CostShare, grown.CostShare = 0.6, 0.2, 0.2
	before := &joingraph.Graph{Edges: []joingraph.Edge{same, gone}, Unscored: []joingraph.Edge{grown}}
	got := Between(Last, before, joingraph.Graph{Edges: []joingraph.Edge{same, fresh, grown}})
	type brief struct {
		Key       joingraph.EdgeKey
		Change    float64
		FirstSeen bool
		CostShare float64
		Gone, New bool
	}
	var edges []brief
	for _, e := range got.Edges {
		edges = append(edges, brief{e.Key, e.Change, e.FirstSeen, e.CostShare, e.After == 0, e.Before == 0})
	}
	want := []brief{
		{"gone", 1, false, 0, true, false},
		{"grown", 1, false, 0.2, false, true},
		{"new", 1, true, 0.2, false, true},
		{"same", 0, false, 0.6, false, false},
	}
	if diff := cmp.Diff(want, edges); diff != "" {
		t.Error(diff)
	}
	if *got.Score != 0.75 {
		t.Errorf("score %v, want 0.75", *got.Score)
	}
	// Shares then: same 0.75, gone 0.25; now: same 0.6, new 0.2, grown 0.2.
	if diff := cmp.Diff(0.4, got.TaskTimeShift, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error("task time shift", diff)
	}
}

// Worked out by hand. The middle edge has F̂ = D̂ = 1/2 in both windows; Ĉ = 1/2 before and,
// on a cluster 2.6 times slower, (650 − 100)/(1040 − 100) now.
func TestThePapersScoreHasNoCorrections(t *testing.T) {
	before := &joingraph.Graph{Edges: []joingraph.Edge{edge("low", 2, 99, 100), edge("middle", 6, 9999, 250), edge("high", 10, 999999, 400)}}
	now := changed(before, everyEdge(func(e *joingraph.Edge) { e.C *= 2.6 }))
	got := Between(Last, before, *now)
	middleBefore, middleNow := 0.25*150/940, 0.25*550/940
	high := 300. / 940 // before; 1 now
	want := ((middleNow-middleBefore)/middleNow + (1 - high)) / 3
	if diff := cmp.Diff(want, *got.ScorePaper, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
		t.Error(diff)
	}
	if *got.Score != 0 {
		t.Errorf("score %v, want 0", *got.Score)
	}
}

func show(score *float64) string {
	if score == nil {
		return "nil"
	}
	return fmt.Sprint(*score)
}

func drawGraph(t *rapid.T, label string) *joingraph.Graph {
	g := &joingraph.Graph{}
	for _, key := range []joingraph.EdgeKey{"a", "b", "c", "d", "e", "f"} {
		e := edge(key, rapid.Int64Range(1, 1000).Draw(t, label+" f"), rapid.Float64Range(0, 1e18).Draw(t, label+" d"),
			float64(rapid.Int64Range(0, 1e9).Draw(t, label+" c")))
		e.Self = key == "f"
		e.CostShare = rapid.Float64Range(0, 1).Draw(t, label+" share")
		switch rapid.IntRange(0, 4).Draw(t, label+" where") {
		case 0:
		case 1:
			g.Unscored = append(g.Unscored, e)
		default:
			g.Edges = append(g.Edges, e)
		}
	}
	return g
}

func TestScoresAndChangesStayBetweenZeroAndOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Between(Last, drawGraph(t, "before"), *drawGraph(t, "now"))
		if (s.Score == nil) != (len(s.Edges) == 0) || (s.Score == nil) != (s.ScorePaper == nil) {
			t.Fatalf("scores %s and %s of %d edges", show(s.Score), show(s.ScorePaper), len(s.Edges))
		}
		figures := []float64{s.TaskTimeShift}
		if s.Score != nil {
			figures = append(figures, *s.Score, *s.ScorePaper)
		}
		for _, e := range s.Edges {
			figures = append(figures, e.Change, float64(e.Before), float64(e.After))
		}
		for _, x := range figures {
			if !(x >= 0 && x <= 1) {
				t.Errorf("%v is not in 0 … 1: %+v", x, s)
			}
		}
	})
}

func TestAWindowDoesNotDriftFromItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, "window")
		if s := Between(Last, g, *g); s.Score != nil && (*s.Score != 0 || *s.ScorePaper != 0 || s.TaskTimeShift != 0) {
			t.Errorf("%+v", s)
		}
	})
}

// Powers of two scale floats exactly, so that equality may be exact.
func TestTheClustersSpeedDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, now := drawGraph(t, "before"), drawGraph(t, "now")
		factor := math.Ldexp(1, rapid.IntRange(-20, 20).Draw(t, "exponent"))
		scaled := changed(now, everyEdge(func(e *joingraph.Edge) { e.C *= factor }))
		want, got := Between(Last, before, *now), Between(Last, before, *scaled)
		if _, common := commonWithTime(before, now); !common {
			t.Skip("no edge in both windows tells the speed")
		}
		if diff := cmp.Diff(want.Edges, got.Edges); diff != "" {
			t.Error(diff)
		}
	})
}

// commonWithTime reports whether the windows share an edge with a task time in both.
func commonWithTime(before, now *joingraph.Graph) (key joingraph.EdgeKey, ok bool) {
	for _, a := range before.Edges {
		for _, b := range now.Edges {
			if a.Key == b.Key && a.C > 0 && b.C > 0 {
				return a.Key, true
			}
		}
	}
	return "", false
}
