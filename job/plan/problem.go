package plan

import "ajlo/job/unit"

// leave is the pick of a table that stays as it is.
const leave = -1

// option is one candidate of a table that may be chosen.
type option struct {
	candidate int
	npv       unit.Bytes
	rewrite   unit.Bytes
	storage   unit.Bytes
}

// pair is what the picks of two tables are worth together, beyond what each is worth alone.
type pair struct {
	a, b  int // tables, a before b
	terms []term
}

// term is the worth of one pick of table a beside one of table b, either of which may be
// leave. Two tables left as they are are worth nothing: all worth is against today.
type term struct {
	a, b int
	npv  unit.Bytes
}

// problem is the choice over all tables: at most one option for each, so that their NPV with
// the terms of their pairs is greatest, within both budgets.
type problem struct {
	options         [][]option // by table
	pairs           []pair
	budget, storage unit.Bytes
}

// worth is the NPV of picks and what they spend.
func (p problem) worth(picks []int) (npv, rewrite, storage unit.Bytes) {
	for at, pick := range picks {
		if pick != leave {
			o := p.options[at][pick]
			npv, rewrite, storage = npv+o.npv, rewrite+o.rewrite, storage+o.storage
		}
	}
	for _, two := range p.pairs {
		for _, t := range two.terms {
			if picks[two.a] == t.a && picks[two.b] == t.b {
				npv += t.npv
			}
		}
	}
	return npv, rewrite, storage
}

// matrices is a problem in the form that is searched: choice 0 of each table leaves it, choice
// k takes option k−1, and every pair has its worth by both choices.
type matrices struct {
	tables          [][]choiceOf
	joins           []join
	at              [][]side // by table: its joins
	budget, storage float64
}

// choiceOf is one choice of a table. Figures are bytes; float64 holds them exactly up to 9 PB.
type choiceOf struct{ npv, rewrite, storage float64 }

// join is a pair with worth[i*width+j] for choice i of table a and j of table b.
type join struct {
	a, b  int
	width int
	worth []float64
}

// side is one end of a join as its table sees it.
type side struct {
	join  int
	other int
	first bool // the table is the join's a
}

func (p problem) matrices() matrices {
	m := matrices{
		tables: make([][]choiceOf, len(p.options)), at: make([][]side, len(p.options)),
		budget: float64(p.budget), storage: float64(p.storage),
	}
	for i, options := range p.options {
		m.tables[i] = make([]choiceOf, 1, len(options)+1)
		for _, o := range options {
			m.tables[i] = append(m.tables[i], choiceOf{float64(o.npv), float64(o.rewrite), float64(o.storage)})
		}
	}
	for _, two := range p.pairs {
		m.add(two)
	}
	return m
}

func (m *matrices) add(two pair) {
	j := join{a: two.a, b: two.b, width: len(m.tables[two.b])}
	j.worth = make([]float64, len(m.tables[two.a])*j.width)
	for _, t := range two.terms {
		j.worth[(t.a+1)*j.width+t.b+1] += float64(t.npv)
	}
	m.at[two.a] = append(m.at[two.a], side{len(m.joins), two.b, true})
	m.at[two.b] = append(m.at[two.b], side{len(m.joins), two.a, false})
	m.joins = append(m.joins, j)
}

// with is the join's worth for a choice at one side and another at the other.
func (m *matrices) with(s side, own, other int) float64 {
	j := &m.joins[s.join]
	if s.first {
		return j.worth[own*j.width+other]
	}
	return j.worth[other*j.width+own]
}

// gain is what a choice of one table adds beside the choices of the others.
func (m *matrices) gain(chosen []int, at, choice int) float64 {
	total := m.tables[at][choice].npv
	for _, s := range m.at[at] {
		total += m.with(s, choice, chosen[s.other])
	}
	return total
}

// picksOf turns choices into picks.
func picksOf(chosen []int) []int {
	picks := make([]int, len(chosen))
	for i, c := range chosen {
		picks[i] = c - 1
	}
	return picks
}
