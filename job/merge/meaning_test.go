package merge_test

import (
	"cmp"
	"fmt"
	"math"

	"pgregory.net/rapid"

	"ajlo/job/merge"
)

// meanings are what conditions say of two rows, by their texts: nil is NULL.
type meanings map[string]func(t, s *row) *bool

// met reports whether a condition is true.
func (m meanings) met(text string, t, s *row) bool {
	if text == "" {
		return true
	}
	is := m[text](t, s)
	return is != nil && *is
}

// first is the first clause that is met, a zero one where none is.
func (m meanings) first(clauses []merge.Clause, t, s *row) merge.Clause {
	for _, c := range clauses {
		if m.met(c.Condition, t, s) {
			return c
		}
	}
	return merge.Clause{Action: merge.Keep}
}

// draw makes a condition over some sides, so many operators deep.
func (m meanings) draw(t *rapid.T, sides []string, depth int) string {
	text, means := drawCondition(t, sides, depth)
	m[text] = means
	return text
}

type meaning = func(t, s *row) *bool

func drawCondition(t *rapid.T, sides []string, depth int) (string, meaning) {
	kind := "test"
	if depth > 0 {
		kind = rapid.SampledFrom([]string{"test", "test", "and", "or", "not"}).Draw(t, "kind")
	}
	switch kind {
	case "not":
		text, means := drawCondition(t, sides, depth-1)
		return "NOT (" + text + ")", func(t, s *row) *bool { return opposite(means(t, s)) }
	case "and", "or":
		left, l := drawCondition(t, sides, depth-1)
		right, r := drawCondition(t, sides, depth-1)
		return fmt.Sprintf("(%s) %s (%s)", left, kind, right), func(t, s *row) *bool { return joined(kind == "or", l(t, s), r(t, s)) }
	}
	return drawTest(t, sides)
}

func opposite(is *bool) *bool {
	if is == nil {
		return nil
	}
	return p(!*is)
}

// joined is AND, or OR where any is enough.
func joined(any bool, a, b *bool) *bool {
	switch {
	case a != nil && *a == any || b != nil && *b == any:
		return p(any)
	case a == nil || b == nil:
		return nil
	}
	return p(!any)
}

// A side's row, by its name.
func side(name string, t, s *row) *row {
	if name == "t." {
		return t
	}
	return s
}

// drawTest is a comparison of a column with a literal or with a column of a side.
func drawTest(t *rapid.T, sides []string) (string, meaning) {
	l, r := rapid.SampledFrom(sides).Draw(t, "left"), rapid.SampledFrom(sides).Draw(t, "right")
	op := rapid.SampledFrom([]string{"=", "<>", "<", "<=", ">", ">=", "<=>"}).Draw(t, "operator")
	tests := []func() (string, meaning){
		func() (string, meaning) {
			return l + "id " + op + " " + r + "id", func(t, s *row) *bool { return compared(op, side(l, t, s).ID, side(r, t, s).ID) }
		},
		func() (string, meaning) {
			return l + "code " + op + " 'a'", func(t, s *row) *bool { return compared(op, side(l, t, s).Code, p("a")) }
		},
		func() (string, meaning) {
			return "0.01 " + op + " " + l + "amount", func(t, s *row) *bool { return compared(op, p(int64(1)), side(l, t, s).Amount) }
		},
		func() (string, meaning) {
			return l + "price " + op + " " + r + "price", func(t, s *row) *bool { return comparedNumbers(op, side(l, t, s).Price, side(r, t, s).Price) }
		},
		func() (string, meaning) {
			return l + "price " + op + " 1", func(t, s *row) *bool { return comparedNumbers(op, side(l, t, s).Price, p(1.0)) }
		},
		func() (string, meaning) {
			return l + "day " + op + " '1990-01-01'", func(t, s *row) *bool { return compared(op, side(l, t, s).Day, p(int32(7305))) }
		},
		func() (string, meaning) {
			return l + "at " + op + " TIMESTAMP '1970-01-01T00:00:00Z'", func(t, s *row) *bool { return compared(op, side(l, t, s).At, p(int64(0))) }
		},
		func() (string, meaning) {
			return l + "flag", func(t, s *row) *bool { return side(l, t, s).Flag }
		},
		func() (string, meaning) {
			return l + "part " + op + " " + r + "code", func(t, s *row) *bool { return compared(op, side(l, t, s).Part, side(r, t, s).Code) }
		},
		func() (string, meaning) {
			return l + "part IS NOT NULL", func(t, s *row) *bool { return p(side(l, t, s).Part != nil) }
		},
		func() (string, meaning) {
			return l + "small BETWEEN -1 AND " + r + "small", func(t, s *row) *bool {
				v := side(l, t, s).Small
				return joined(false, compared(">=", v, p(int32(-1))), compared("<=", v, side(r, t, s).Small))
			}
		},
		func() (string, meaning) {
			return l + "id IN (1, NULL, 2)", func(t, s *row) *bool {
				v := side(l, t, s).ID
				return joined(true, joined(true, compared("=", v, p(int64(1))), compared("=", v, nil)), compared("=", v, p(int64(2))))
			}
		},
	}
	return rapid.SampledFrom(tests).Draw(t, "test")()
}

func compared[T cmp.Ordered](op string, a, b *T) *bool {
	if op == "<=>" && (a == nil || b == nil) {
		return p(a == nil && b == nil)
	}
	if a == nil || b == nil {
		return nil
	}
	return p(holds(op, *a < *b, *a == *b))
}

// comparedNumbers puts NaN above all numbers and equal to itself.
func comparedNumbers(op string, a, b *float64) *bool {
	if a == nil || b == nil {
		return compared(op, a, b)
	}
	x, y := math.IsNaN(*a), math.IsNaN(*b)
	return p(holds(op, !x && y || *a < *b, x && y || *a == *b))
}

func holds(op string, less, same bool) bool {
	switch op {
	case "=", "<=>":
		return same
	case "<>":
		return !same
	case "<":
		return less
	case "<=":
		return less || same
	case ">":
		return !less && !same
	case ">=":
		return !less
	}
	panic(op)
}
