package drift

import (
	"cmp"
	"math"
	"slices"

	"ajlo/job/joingraph"
)

// Between gives the drift of now from before, the graph of the reference's window. before
// is nil where there is no reference yet: both scores are then nil. They are nil too where
// neither window has an edge to compare.
//
// An edge absent from one window has JIS 0 there, so its change is 1. An edge that ran only
// as a broadcast join in the present window has not vanished: it takes no part.
func Between(ref Reference, before *joingraph.Graph, now joingraph.Graph) Score {
	score := Score{Reference: ref, SpeedFactor: 1, Edges: []Edge{}}
	if before == nil {
		return score
	}
	then := stillScored(before.Edges, now.Unscored)
	bare := matched(joingraph.ScoreTogether(then, now.Edges))
	score.ScorePaper = mean(bare, paperChange)
	score.TaskTimeShift = taskTimeShift(bare)
	score.SpeedFactor = speedFactor(bare)

	even := matched(joingraph.ScoreTogether(then, evened(bare, score.SpeedFactor)))
	score.Score = mean(even, couple.change)
	score.Edges = edgesOf(even, before.Unscored)
	return score
}

// stillScored leaves out the edges that the present window has in scope of no score.
func stillScored(edges, unscored []joingraph.Edge) []joingraph.Edge {
	return slices.DeleteFunc(slices.Clone(edges), func(e joingraph.Edge) bool { return has(unscored, e.Key) })
}

func has(edges []joingraph.Edge, key joingraph.EdgeKey) bool {
	return slices.ContainsFunc(edges, func(e joingraph.Edge) bool { return e.Key == key })
}

// couple is one edge in both windows; a side is nil where its window does not have it.
type couple struct {
	key       joingraph.EdgeKey
	then, now *joingraph.Edge
}

// matched lists the union of both windows' edges, sorted by key.
func matched(then, now []joingraph.Edge) []couple {
	byKey := map[joingraph.EdgeKey]couple{}
	for i := range then {
		byKey[then[i].Key] = couple{key: then[i].Key, then: &then[i]}
	}
	for i := range now {
		c := byKey[now[i].Key]
		byKey[now[i].Key] = couple{key: now[i].Key, then: c.then, now: &now[i]}
	}
	out := make([]couple, 0, len(byKey))
	for _, c := range byKey {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b couple) int { return cmp.Compare(a.key, b.key) })
	return out
}

func (c couple) scores() (then, now joingraph.JIS) {
	if c.then != nil {
		then = c.then.JIS
	}
	if c.now != nil {
		now = c.now.JIS
	}
	return then, now
}

func (c couple) change() float64 { return changeOf(c.scores()) }

func paperChange(c couple) float64 {
	var then, now joingraph.JIS
	if c.then != nil {
		then = c.then.JISPaper
	}
	if c.now != nil {
		now = c.now.JISPaper
	}
	return changeOf(then, now)
}

// changeOf is |a − b| / max(a, b, ε).
func changeOf(a, b joingraph.JIS) float64 {
	return math.Abs(float64(a-b)) / max(float64(a), float64(b), joingraph.Epsilon)
}

// mean is nil over nothing.
func mean(couples []couple, change func(couple) float64) *float64 {
	if len(couples) == 0 {
		return nil
	}
	var sum float64
	for _, c := range couples {
		sum += change(c)
	}
	sum /= float64(len(couples))
	return &sum
}

// edgesOf describes the couples, greatest change first. An edge that ran before as a
// broadcast join only is not seen for the first time, though it had no score.
func edgesOf(couples []couple, unscoredBefore []joingraph.Edge) []Edge {
	out := make([]Edge, 0, len(couples))
	for _, c := range couples {
		e := Edge{Key: c.key, Change: c.change()}
		e.Before, e.After = c.scores()
		e.FirstSeen = c.then == nil && !has(unscoredBefore, c.key)
		if c.now != nil {
			e.CostShare = c.now.CostShare
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Edge) int { return cmp.Compare(b.Change, a.Change) })
	return out
}
