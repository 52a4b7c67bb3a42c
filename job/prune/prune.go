package prune

import (
	"sort"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// Columns looks up the bounds of a column in one file; ok is false where the file has none.
type Columns func(table.Column) (b Bounds, ok bool)

// MayMatch reports whether a file with these bounds could hold a row for which p is true
// in SQL's three-valued logic. A nil predicate matches every file. A comparison that the
// bounds cannot decide (unknown bounds, types without a common order) counts as a match.
func MayMatch(p *predicate.Predicate, file Columns) bool {
	if p == nil {
		return true
	}
	return mayBeTrue(*p, file)
}

func mayBeTrue(p predicate.Predicate, file Columns) bool {
	switch p.Op {
	case predicate.And:
		for _, arg := range p.Args {
			if !mayBeTrue(arg, file) {
				return false
			}
		}
		return true
	case predicate.Or:
		for _, arg := range p.Args {
			if mayBeTrue(arg, file) {
				return true
			}
		}
		return len(p.Args) == 0
	case predicate.Not:
		return len(p.Args) != 1 || mayBeFalse(p.Args[0], file)
	}
	b, ok := file(p.Column)
	if !ok {
		return true
	}
	return b.mayHold(p.Op, p.Values)
}

// mayBeFalse pushes the negation down to the comparisons, by De Morgan's laws.
func mayBeFalse(p predicate.Predicate, file Columns) bool {
	switch p.Op {
	case predicate.And:
		for _, arg := range p.Args {
			if mayBeFalse(arg, file) {
				return true
			}
		}
		return len(p.Args) == 0
	case predicate.Or:
		for _, arg := range p.Args {
			if !mayBeFalse(arg, file) {
				return false
			}
		}
		return true
	case predicate.Not:
		return len(p.Args) != 1 || mayBeTrue(p.Args[0], file)
	case predicate.In:
		// NOT IN is one inequality for each value, all of them true.
		for _, v := range p.Values {
			if !mayBeTrue(predicate.Predicate{Op: predicate.Ne, Column: p.Column, Values: []predicate.Value{v}}, file) {
				return false
			}
		}
		return true
	}
	opposite, ok := negated[p.Op]
	if !ok {
		return true
	}
	p.Op = opposite
	return mayBeTrue(p, file)
}

// negated gives the comparison that is true exactly where the other is false (not where it
// is NULL). Prefix and null-safe equality have none that bounds could decide.
var negated = map[predicate.Op]predicate.Op{
	predicate.Eq: predicate.Ne, predicate.Ne: predicate.Eq,
	predicate.Lt: predicate.Ge, predicate.Ge: predicate.Lt,
	predicate.Gt: predicate.Le, predicate.Le: predicate.Gt,
	predicate.IsNull: predicate.NotNull, predicate.NotNull: predicate.IsNull,
}

// mayHold decides one comparison of the bounded column with literals.
func (b Bounds) mayHold(op predicate.Op, values []predicate.Value) bool {
	switch op {
	case predicate.IsNull:
		return b.Nulls != 0
	case predicate.NotNull:
		return !b.allNull()
	case predicate.In:
		for _, v := range values {
			if b.mayHold(predicate.Eq, []predicate.Value{v}) {
				return true
			}
		}
		return len(values) == 0
	}
	if len(values) != 1 {
		return true
	}
	return b.mayCompare(op, values[0])
}

func (b Bounds) mayCompare(op predicate.Op, v predicate.Value) bool {
	if v.IsNull() {
		return op != predicate.EqNullSafe || b.Nulls != 0
	}
	if op == predicate.Unknown {
		return true
	}
	if b.allNull() {
		return false
	}
	switch op {
	case predicate.Eq, predicate.EqNullSafe:
		return b.minAtMost(v) && b.maxAtLeast(v)
	case predicate.Ne:
		return !b.only(v)
	case predicate.Lt:
		return b.minBelow(v)
	case predicate.Le:
		return b.minAtMost(v)
	case predicate.Gt:
		return b.maxAbove(v)
	case predicate.Ge:
		return b.maxAtLeast(v)
	case predicate.Prefix:
		return b.mayStartWith(v)
	}
	return true
}

func (b Bounds) allNull() bool { return b.Rows >= 0 && b.Nulls >= 0 && b.Nulls >= b.Rows }

func (b Bounds) minAtMost(v predicate.Value) bool {
	order, ok := predicate.Compare(b.Min, v)
	return !ok || order <= 0
}

func (b Bounds) minBelow(v predicate.Value) bool {
	order, ok := predicate.Compare(b.Min, v)
	return !ok || order < 0
}

func (b Bounds) maxAtLeast(v predicate.Value) bool {
	order, ok := predicate.Compare(b.Max, v)
	return !ok || order >= 0
}

func (b Bounds) maxAbove(v predicate.Value) bool {
	order, ok := predicate.Compare(b.Max, v)
	return !ok || order > 0
}

// only reports whether every value in the file that is not NULL equals v.
func (b Bounds) only(v predicate.Value) bool {
	low, okLow := predicate.Compare(b.Min, v)
	high, okHigh := predicate.Compare(b.Max, v)
	return okLow && okHigh && low == 0 && high == 0
}

// mayStartWith compares as many bytes of the bounds as the prefix has.
func (b Bounds) mayStartWith(prefix predicate.Value) bool {
	if prefix.Kind != predicate.String {
		return true
	}
	head := func(s string) string { return s[:min(len(s), len(prefix.S))] }
	if b.Min.Kind == predicate.String && head(b.Min.S) > prefix.S {
		return false
	}
	return b.Max.Kind != predicate.String || head(b.Max.S) >= prefix.S
}

// HoldsAny reports whether a file with these bounds could hold one of the values, which are in
// their order and of one kind.
func HoldsAny(b Bounds, sorted []predicate.Value) bool { return HoldsAnyOf(b, sorted, sorted) }

// HoldsAnyOf reports whether a file with these bounds could hold a value of one of the spans, from low
// to high, which are in their order, apart and of one kind.
func HoldsAnyOf(b Bounds, low, high []predicate.Value) bool {
	at := sort.Search(len(high), func(i int) bool { return b.minAtMost(high[i]) })
	return at < len(high) && !b.allNull() && b.maxAtLeast(low[at])
}
