package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"ajlo/job/unit"
)

// randomGraph is a choice over a random join graph of 5 to 12 tables and 6 to 30 edges, within
// 20 to 50 % of the tables' bytes. Tables have two to four keys and sizes over three orders of
// magnitude. An edge saves 30 % of what its executions scan of both tables once both lie by
// its keys; a third of the keys also save by filters of their own.
func randomGraph(seed uint64) problem {
	r := rand.New(rand.NewPCG(seed, 20))
	p := problem{options: make([][]option, 5+r.IntN(8))}
	settings := Settings{Horizon: 8, Rate: 0.02, StorageWeight: 0.1}
	sizes := make([]unit.Bytes, len(p.options))
	var total unit.Bytes
	for i := range sizes {
		sizes[i] = unit.Bytes(math.Exp(r.Float64()*math.Log(1000)) * float64(unit.MB))
		total += sizes[i]
		for range 2 + r.IntN(3) {
			saved := unit.Bytes(0)
			if r.IntN(3) == 0 {
				saved = unit.Bytes(float64(sizes[i]) * r.Float64() * 0.5)
			}
			p.options[i] = append(p.options[i], option{
				npv: settings.npv(saved, sizes[i]), rewrite: sizes[i], storage: settings.StorageCost(sizes[i]),
			})
		}
	}
	for range 6 + r.IntN(25) {
		p.pairs = append(p.pairs, randomEdge(r, settings, p, sizes))
	}
	p.budget = unit.Bytes(float64(total) * (0.2 + 0.3*r.Float64()))
	p.storage = p.budget
	return p
}

func randomEdge(r *rand.Rand, s Settings, p problem, sizes []unit.Bytes) pair {
	a := r.IntN(len(sizes))
	b := (a + 1 + r.IntN(len(sizes)-1)) % len(sizes)
	a, b = min(a, b), max(a, b)
	executions := unit.Bytes(1 + r.IntN(4))
	saved := unit.Bytes(0.3 * float64((sizes[a]+sizes[b])*executions))
	return pair{a: a, b: b, terms: []term{{r.IntN(len(p.options[a])), r.IntN(len(p.options[b])), s.worth(saved)}}}
}

// The greedy never beats the exact choice, which is proved; how far it falls short is logged.
func TestGreedyBesideExactOnJoinGraphs(t *testing.T) {
	worst, sum, n := 1.0, 0.0, 0
	for seed := range uint64(200) {
		p := randomGraph(seed)
		exact, greedy := choose(p, Exact), choose(p, Greedy)
		if exact.bound != exact.npv {
			t.Errorf("graph %d: NPV %d is not proved best: bound %d", seed, exact.npv, exact.bound)
		}
		if greedy.npv > exact.npv || greedy.bound < exact.npv {
			t.Errorf("graph %d: greedy NPV %d (bound %d), exact %d", seed, greedy.npv, greedy.bound, exact.npv)
		}
		if exact.npv > 0 {
			ratio := float64(greedy.npv) / float64(exact.npv)
			worst, sum, n = min(worst, ratio), sum+ratio, n+1
		}
	}
	t.Logf("greedy on %d join graphs: mean %.3f of the optimum, worst %.3f", n, sum/float64(n), worst)
}
