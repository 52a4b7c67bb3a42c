package drift

import (
	"math"
	"slices"

	"ajlo/job/joingraph"
)

const (
	// costChange is how many times C must differ, after the common speed factor, before it
	// counts as the workload's change and not as noise: task times of single edges were
	// seen to differ up to 2.6-fold between two runs of one workload.
	costChange = 3.0
	// costChangeOften is the same where both means are of enough executions to be steadier.
	costChangeOften = 2.0
	// often is the number of executions, in each window, from which costChangeOften holds.
	often = 5
)

// speedFactor is the median of C now / C then over the edges in both windows: how much
// slower or busier the cluster was throughout. It is 1 where no edge can tell.
func speedFactor(couples []couple) float64 {
	var ratios []float64
	for _, c := range couples {
		if c.sameClock() && c.then.C > 0 && c.now.C > 0 {
			ratios = append(ratios, c.now.C/c.then.C)
		}
	}
	if len(ratios) == 0 {
		return 1
	}
	slices.Sort(ratios)
	middle := len(ratios) / 2
	if len(ratios)%2 == 1 {
		return ratios[middle]
	}
	return (ratios[middle-1] + ratios[middle]) / 2
}

// sameClock reports whether the edge is in both windows with a C of the same kind: task time
// and wall time × cores differ by the cores that were idle and say nothing of each other.
func (c couple) sameClock() bool {
	return c.then != nil && c.now != nil && c.then.CSource == c.now.CSource
}

// evened gives the present window's edges as they would have been on the reference's
// cluster and tables: C without the speed factor, and for an edge in both windows the
// reference's D, and its C too unless that still differs by more than noise does.
func evened(couples []couple, factor float64) []joingraph.Edge {
	var out []joingraph.Edge
	for _, c := range couples {
		if c.now == nil {
			continue
		}
		e := *c.now
		e.C /= factor
		if c.then != nil {
			e.D, e.DSource = c.then.D, c.then.DSource
			if !c.costChanged(e.C) {
				e.C = c.then.C
			}
		}
		out = append(out, e)
	}
	return out
}

// costChanged reports whether cost, the present C without the speed factor, differs from
// the reference's by more than noise.
func (c couple) costChanged(cost float64) bool {
	if !c.sameClock() {
		return false
	}
	limit := costChange
	if c.then.F >= often && c.now.F >= often {
		limit = costChangeOften
	}
	return cost > limit*c.then.C || c.then.C > limit*cost
}

// taskTimeShift is half the sum of |share now − share then| over the edges, where the shares
// of each window's edges are brought to a sum of 1: several edges of one query each carry
// its whole time, so that their shares of the window may add up to more.
func taskTimeShift(couples []couple) float64 {
	var then, now float64
	for _, c := range couples {
		t, n := c.shares()
		then, now = then+t, now+n
	}
	if then == 0 || now == 0 {
		return 0
	}
	var shift float64
	for _, c := range couples {
		t, n := c.shares()
		shift += math.Abs(n/now-t/then) / 2
	}
	return min(shift, 1) // rounding may pass 1 by a bit
}

func (c couple) shares() (then, now float64) {
	if c.then != nil {
		then = c.then.CostShare
	}
	if c.now != nil {
		now = c.now.CostShare
	}
	return then, now
}
