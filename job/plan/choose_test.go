package plan

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/unit"
)

// The search must find what trying every combination finds, and stay within both budgets.
func TestChooseEqualsExhaustiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		got := choose(p, Exact)
		if want := exhaustive(p); got.npv != want {
			t.Fatalf("NPV %d, exhaustive search finds %d", got.npv, want)
		}
		if got.bound != got.npv {
			t.Fatalf("a finished search states bound %d for NPV %d", got.bound, got.npv)
		}
		npv, rewrite, kept := p.worth(got.picks)
		if npv != got.npv || rewrite > p.budget || kept > p.storage {
			t.Fatalf("picks %v: NPV %d (stated %d), rewrite %d of %d, storage %d of %d", got.picks, npv, got.npv, rewrite, p.budget, kept, p.storage)
		}
	})
}

// A search cut short, and the greedy, still keep within the budgets and state a bound that
// holds.
func TestBoundHoldsWhereNothingIsProved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, how, nodes := drawProblem(t), Exact, rapid.IntRange(1, 8).Draw(t, "nodes")
		if rapid.Bool().Draw(t, "greedy") {
			how = Greedy
		}
		got, best := chooseWithin(p, how, nodes), exhaustive(p)
		if got.bound < best || got.npv > best {
			t.Fatalf("NPV %d with bound %d, the optimum is %d", got.npv, got.bound, best)
		}
		if npv, rewrite, kept := p.worth(got.picks); npv != got.npv || rewrite > p.budget || kept > p.storage {
			t.Fatalf("picks %v rewrite %d of %d, storage %d of %d, NPV %d stated as %d", got.picks, rewrite, p.budget, kept, p.storage, npv, got.npv)
		}
	})
}

func drawProblem(t *rapid.T) problem {
	p := problem{
		options: make([][]option, rapid.IntRange(0, 5).Draw(t, "tables")),
		budget:  unit.Bytes(rapid.IntRange(0, 60).Draw(t, "budget")),
		storage: unit.Bytes(rapid.IntRange(0, 40).Draw(t, "storage")),
	}
	for i := range p.options {
		for range rapid.IntRange(0, 3).Draw(t, "options") {
			p.options[i] = append(p.options[i], option{
				npv:     unit.Bytes(rapid.IntRange(-20, 100).Draw(t, "npv")),
				rewrite: unit.Bytes(rapid.IntRange(0, 30).Draw(t, "rewrite")),
				storage: unit.Bytes(rapid.IntRange(0, 20).Draw(t, "storage")),
			})
		}
		slices.SortStableFunc(p.options[i], func(a, b option) int { return cmp.Compare(b.npv, a.npv) })
	}
	for a := range p.options {
		for b := a + 1; b < len(p.options); b++ {
			for range rapid.IntRange(0, 2).Draw(t, "pairs") {
				p.pairs = append(p.pairs, pair{a: a, b: b, terms: drawTerms(t, len(p.options[a]), len(p.options[b]))})
			}
		}
	}
	return p
}

// drawTerms leaves two tables that are left as they are without a term.
func drawTerms(t *rapid.T, a, b int) (terms []term) {
	for range rapid.IntRange(0, 3).Draw(t, "terms") {
		drawn := term{
			a: rapid.IntRange(leave, a-1).Draw(t, "a"), b: rapid.IntRange(leave, b-1).Draw(t, "b"),
			npv: unit.Bytes(rapid.IntRange(-40, 80).Draw(t, "worth")),
		}
		if drawn.a != leave || drawn.b != leave {
			terms = append(terms, drawn)
		}
	}
	return terms
}

// exhaustive tries every combination.
func exhaustive(p problem) (best unit.Bytes) {
	picks := make([]int, len(p.options))
	var try func(at int)
	try = func(at int) {
		if at < len(picks) {
			for picks[at] = leave; picks[at] < len(p.options[at]); picks[at]++ {
				try(at + 1)
			}
			return
		}
		if npv, rewrite, storage := p.worth(picks); rewrite <= p.budget && storage <= p.storage {
			best = max(best, npv)
		}
	}
	try(0)
	return best
}
