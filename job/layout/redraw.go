package layout

import (
	"math"
	"slices"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// Redrawn gives n copies of a predicate with other constants: what the same query may ask for
// another time. The constants of a column move together, so that a range keeps its share of
// the rows, to even places of the column's values; where those of recurring have a scale in
// common, calendar boundaries or round numbers, they stay on it. Columns that were not sampled
// keep their constants.
func (s *Simulation) Redrawn(p *predicate.Predicate, n int, recurring map[table.Column][]predicate.Value) []*predicate.Predicate {
	if p == nil {
		return nil
	}
	copies := make([]*predicate.Predicate, n)
	for i := range copies {
		moves := map[table.Column]move{}
		for k, c := range constantColumns(p) {
			if known, ok := s.rank(c); ok && s.rows > 0 {
				// Multiples of the golden ratio keep the places of several columns apart.
				_, place := math.Modf((float64(i)+0.5)/float64(n) + float64(k)*math.Phi)
				moves[c] = newMove(known, cutValues(p, c), recurring[c], place)
			}
		}
		moved := redraw(*p, moves)
		copies[i] = &moved
	}
	return copies
}

// RecurringCuts lists, by column, the different cut points of all predicates.
func RecurringCuts(wishes []Wish) map[table.Column][]predicate.Value {
	cuts := map[table.Column][]predicate.Value{}
	for _, w := range wishes {
		for _, c := range constantColumns(w.Predicate) {
			for _, v := range cutValues(w.Predicate, c) {
				if !slices.Contains(cuts[c], v) {
					cuts[c] = append(cuts[c], v)
				}
			}
		}
	}
	return cuts
}

// constantColumns are the columns that p compares with constants.
func constantColumns(p *predicate.Predicate) []table.Column {
	return comparedColumns([]Wish{{Predicate: p}})
}

// move is how the constants of one column move: by ranks, or by marks of a grain.
type move struct {
	column  learnColumn
	by      int // ranks
	grain   *grain
	byMarks int64
}

// newMove moves the span of the cuts to a place, 0 to 1, of the column's values.
func newMove(known ranked, cuts, recurring []predicate.Value, place float64) move {
	m := move{column: learnColumn{ranked: known}}
	low, high := len(known.of), 0
	for _, v := range cuts {
		r := int(m.column.rankOf(v))
		low, high = min(low, r), max(high, r)
	}
	if low > high {
		return m
	}
	to := int(place * float64(len(known.of)-(high-low)))
	m.by = to - low
	if g, ok := grainOf(recurring); ok {
		m.grain = &g
		m.byMarks = g.index(m.column.valueAt(to)) - g.index(m.column.valueAt(low))
	}
	return m
}

// valueAt is the value of the greatest rank that occurs at or below the given one.
func (c learnColumn) valueAt(rank int) predicate.Value {
	at, found := slices.BinarySearch(c.distinct, uint32(max(rank, 0)))
	if !found {
		at = max(at-1, 0)
	}
	return c.values[c.row[c.distinct[at]]]
}

// of moves one constant.
func (m move) of(op predicate.Op, v predicate.Value) predicate.Value {
	if v.IsNull() {
		return v
	}
	if m.grain == nil {
		return m.column.valueAt(int(m.column.rankOf(v)) + m.by)
	}
	inclusive := op == predicate.Le || op == predicate.Gt
	if inclusive {
		v.I++
	}
	v = m.grain.value(m.grain.index(v) + m.byMarks)
	if inclusive {
		v.I--
	}
	return v
}

func redraw(p predicate.Predicate, moves map[table.Column]move) predicate.Predicate {
	if m, ok := moves[p.Column]; ok {
		values := make([]predicate.Value, len(p.Values))
		for i, v := range p.Values {
			values[i] = m.of(p.Op, v)
		}
		p.Values = values
	}
	args := make([]predicate.Predicate, len(p.Args))
	for i, arg := range p.Args {
		args[i] = redraw(arg, moves)
	}
	p.Args = args
	return p
}
