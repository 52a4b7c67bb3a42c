package joingraph

import (
	"math"
	"slices"
)

const (
	// Epsilon keeps the paper's divisions defined where all values are equal.
	Epsilon = 1e-9
	// Floor is the least a factor can be in decisions. With the paper's 0 an edge that is
	// lowest in one factor scores 0 whatever its other factors are, and noise in that factor
	// alone moves its score by all of it.
	Floor = 0.05
)

// Factors are F, D and C of an edge, each normalised to 0 … 1 over the edges it is compared
// with.
type Factors struct{ F, D, C float64 }

// JIS is the product of the factors. A product, not a mean: an edge matters when it is
// frequent and large and dear at once.
func (f Factors) JIS() JIS { return JIS(f.F * f.D * f.C) }

// Score fills JISPaper and JIS of the edges, normalised over themselves.
func Score(edges []Edge) {
	r := rangesOf(edges)
	for i := range edges {
		edges[i].JISPaper = r.paper(edges[i]).JIS()
		edges[i].JIS = r.floored(edges[i]).JIS()
	}
}

// ScoreTogether gives copies of the edges of two windows with JISPaper and JIS normalised
// over both windows together, so that a score in one can be held against one in the other.
func ScoreTogether(before, now []Edge) (scoredBefore, scoredNow []Edge) {
	all := slices.Concat(before, now)
	Score(all)
	return all[:len(before):len(before)], all[len(before):]
}

// span is the range of one factor over the edges that are compared.
type span struct{ low, high float64 }

// bare is the paper's min-max: 0 where all values are equal.
func (s span) bare(x float64) float64 {
	return clamp((x - s.low) / (s.high - s.low + Epsilon))
}

// floored is min-max between Floor and 1, and 1 where all values are equal: a factor that
// tells edges apart in nothing must not lower them.
func (s span) floored(x float64) float64 {
	if s.high <= s.low {
		return 1
	}
	return Floor + (1-Floor)*clamp((x-s.low)/(s.high-s.low))
}

func clamp(x float64) float64 { return min(max(x, 0), 1) }

func (s *span) include(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

func empty() span { return span{low: math.Inf(1), high: math.Inf(-1)} }

// ranges are the spans of the three factors; D is on a logarithmic scale.
type ranges struct{ f, d, c span }

// rangesOf spans the factors over edges. Row counts of self-joins stay out of D's maximum,
// since the square of one large table would press every other edge to the bottom; among
// self-joins alone they are all there is to compare. Edges without known rows have no D.
func rangesOf(edges []Edge) ranges {
	r := ranges{f: empty(), d: empty(), c: empty()}
	selves := empty()
	for _, e := range edges {
		r.f.include(float64(e.F))
		r.c.include(e.C)
		switch {
		case e.DSource == NoSource:
		case e.Self:
			selves.include(logRows(e.D))
		default:
			r.d.include(logRows(e.D))
		}
	}
	if math.IsInf(r.d.high, -1) {
		r.d.high = selves.high
	}
	r.d.low = min(r.d.low, selves.low)
	return r
}

func logRows(d float64) float64 { return math.Log10(d + 1) }

func (r ranges) paper(e Edge) Factors {
	return Factors{F: r.f.bare(float64(e.F)), D: ofRows(e, r.d.bare), C: r.c.bare(e.C)}
}

func (r ranges) floored(e Edge) Factors {
	return Factors{F: r.f.floored(float64(e.F)), D: ofRows(e, r.d.floored), C: r.c.floored(e.C)}
}

// ofRows normalises D; an edge whose tables' rows nobody knows counts as the largest.
func ofRows(e Edge, normalise func(float64) float64) float64 {
	if e.DSource == NoSource {
		return 1
	}
	return normalise(logRows(e.D))
}
