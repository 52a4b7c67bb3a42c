package plan

import "math"

// Budgets that a move may still spend.
type purse struct{ rewrite, storage float64 }

func (p purse) holds(rewrite, storage float64) bool {
	return rewrite <= p.rewrite && storage <= p.storage
}

// greedy is the paper's dynamic greedy: again and again the layout of one table, or the two
// of a pair, that brings most for each byte rewritten beside what is chosen already, as long
// as it fits. What is chosen stays.
func (m *matrices) greedy() []int {
	chosen, left := make([]int, len(m.tables)), purse{m.budget, m.storage}
	for {
		best := m.bestMove(chosen, left)
		if best.ratio <= 0 {
			return chosen
		}
		for _, s := range best.steps {
			o := m.tables[s.at][s.choice]
			left.rewrite, left.storage = left.rewrite-o.rewrite, left.storage-o.storage
			chosen[s.at] = s.choice
		}
	}
}

// move is one step of the greedy: one table, or both of a pair.
type move struct {
	ratio float64 // NPV for each byte rewritten
	steps []settled
}

type settled struct{ at, choice int }

func (m *matrices) bestMove(chosen []int, left purse) (best move) {
	try := func(gain, rewrite, storage float64, steps ...settled) {
		if r := ratio(gain, rewrite); gain > 0 && r > best.ratio && left.holds(rewrite, storage) {
			best = move{r, steps}
		}
	}
	for at := range m.tables {
		if chosen[at] != 0 {
			continue
		}
		base := m.gain(chosen, at, 0)
		for c := 1; c < len(m.tables[at]); c++ {
			o := m.tables[at][c]
			try(m.gain(chosen, at, c)-base, o.rewrite, o.storage, settled{at, c})
		}
	}
	for i := range m.joins {
		m.pairMoves(&m.joins[i], chosen, try)
	}
	return best
}

// pairMoves tries both tables of a join together.
func (m *matrices) pairMoves(j *join, chosen []int, try func(gain, rewrite, storage float64, steps ...settled)) {
	if chosen[j.a] != 0 || chosen[j.b] != 0 {
		return
	}
	base := m.together(chosen, j, 0, 0)
	for a := 1; a < len(m.tables[j.a]); a++ {
		for b := 1; b < len(m.tables[j.b]); b++ {
			if j.worth[a*j.width+b] > 0 {
				x, y := m.tables[j.a][a], m.tables[j.b][b]
				try(m.together(chosen, j, a, b)-base, x.rewrite+y.rewrite, x.storage+y.storage, settled{j.a, a}, settled{j.b, b})
			}
		}
	}
}

// together is what choices of both tables of a join add beside all others.
func (m *matrices) together(chosen []int, j *join, a, b int) float64 {
	wasA, wasB := chosen[j.a], chosen[j.b]
	chosen[j.a], chosen[j.b] = a, b
	total := m.gain(chosen, j.a, a) + m.gain(chosen, j.b, b) - m.between(chosen, j.a, j.b)
	chosen[j.a], chosen[j.b] = wasA, wasB
	return total
}

// between is the worth of all joins of two tables, which gain counts at either.
func (m *matrices) between(chosen []int, a, b int) (total float64) {
	for _, s := range m.at[a] {
		if s.other == b {
			total += m.with(s, chosen[a], chosen[b])
		}
	}
	return total
}

// ratio is +Inf for a gain that costs nothing: those come before all others.
func ratio(gain, rewrite float64) float64 {
	if rewrite <= 0 {
		return math.Inf(1)
	}
	return gain / rewrite
}
