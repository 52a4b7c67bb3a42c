package layout

import (
	"math"

	"ajlo/job/predicate"
)

// span is one comparison of a conjunction in ranks: a row meets it between low and high.
type span struct {
	column    int
	low, high int64
}

// meets reports whether rows with these bounds may hold one inside the span. NULL is in none.
func (s span) meets(b box) bool {
	return b.nulls < b.rows && int64(b.low) <= s.high && int64(b.high) >= s.low
}

// spansOf turns a conjunction of comparisons with constants into spans, which decide the same
// as prune.MayMatch and are far quicker; ok is false for any other predicate.
func (l *learner) spansOf(p *predicate.Predicate) (spans []span, ok bool) {
	if p == nil {
		return []span{}, true
	}
	spans = []span{}
	for _, c := range p.Conjuncts() {
		at := l.column(c.Column)
		switch {
		case c.Op == predicate.Unknown || c.Op == predicate.NotNull && at < 0:
			continue
		case at < 0:
			return nil, false
		case c.Op == predicate.NotNull:
			spans = append(spans, span{at, 0, math.MaxInt64})
			continue
		case len(c.Values) != 1 || !l.columns[at].alike(c.Values[0]):
			return nil, false
		}
		s, ok := l.columns[at].spanOf(c.Op, c.Values[0])
		if !ok {
			return nil, false
		}
		s.column = at
		spans = append(spans, s)
	}
	return spans, true
}

func (c learnColumn) spanOf(op predicate.Op, v predicate.Value) (s span, ok bool) {
	from := int64(c.rankOf(v))
	past := int64(math.MaxInt64)
	if next, ok := v.Next(); ok {
		past = int64(c.rankOf(next))
	}
	switch op {
	case predicate.Eq:
		return span{low: from, high: past - 1}, true
	case predicate.Lt:
		return span{low: 0, high: from - 1}, true
	case predicate.Le:
		return span{low: 0, high: past - 1}, true
	case predicate.Gt:
		return span{low: past, high: math.MaxInt64}, true
	case predicate.Ge:
		return span{low: from, high: math.MaxInt64}, true
	}
	return span{}, false
}
