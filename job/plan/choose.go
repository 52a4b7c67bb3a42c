package plan

import (
	"math"

	"ajlo/job/unit"
)

// Choosing is how the layouts of all tables are chosen together.
type Choosing string

// The ways to choose: exactly, or by the greedy of the AJLO paper.
const (
	Exact  Choosing = "exact"
	Greedy Choosing = "greedy"
)

// maxNodes bounds the search so that a plan never depends on how fast the machine is
// (rule 10); two million nodes take a few seconds.
const maxNodes = 2_000_000

// choice is what was settled on: for each table the index into its options, or leave.
type choice struct {
	picks []int
	npv   unit.Bytes
	// bound is at or above the NPV of every choice within the budgets; it equals npv where
	// that is proved best.
	bound unit.Bytes
}

// choose picks at most one option for each table so that their NPV together is greatest while
// rewrites and storage stay within the budgets.
func choose(p problem, how Choosing) choice { return chooseWithin(p, how, maxNodes) }

// chooseWithin is choose with a search of so many nodes at most. Whichever way is taken, the
// choice comes with a bound that holds.
func chooseWithin(p problem, how Choosing, nodes int) choice {
	m := p.matrices()
	d := newDual(&m)
	var best []int
	proved := false
	if how == Greedy {
		best = m.greedy()
	} else {
		best = d.decoded()
		best, proved = d.search(best, m.npv(best), nodes)
	}
	c := choice{picks: picksOf(best)}
	c.npv, _, _ = p.worth(c.picks)
	c.bound = c.npv
	if !proved {
		// Rounded up: a bound may be too high, never too low.
		c.bound = max(c.npv, unit.Bytes(math.Ceil(d.bound()*(1+roundingShare)+1)))
	}
	return c
}

// npv is what choices are worth together.
func (m *matrices) npv(chosen []int) (total float64) {
	for at, c := range chosen {
		total += m.tables[at][c].npv
	}
	for i := range m.joins {
		j := &m.joins[i]
		total += j.worth[chosen[j.a]*j.width+chosen[j.b]]
	}
	return total
}
