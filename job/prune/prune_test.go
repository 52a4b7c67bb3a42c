package prune_test

import (
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

func intBounds(lo, hi, nulls, rows int64) prune.Bounds {
	return prune.Bounds{Min: predicate.IntValue(lo), Max: predicate.IntValue(hi), Nulls: nulls, Rows: rows}
}

func compare(op predicate.Op, values ...predicate.Value) predicate.Predicate {
	return predicate.Predicate{Op: op, Column: "a", Values: values}
}

func TestMayMatch(t *testing.T) {
	i, s := predicate.IntValue, predicate.StringValue
	text := prune.Bounds{Min: s("apple"), Max: s("melon"), Nulls: 0, Rows: 9}
	for _, tc := range []struct {
		name   string
		p      predicate.Predicate
		bounds prune.Bounds
		want   bool
	}{
		{"value inside", compare(predicate.Eq, i(5)), intBounds(1, 9, 0, 9), true},
		{"value at the edge", compare(predicate.Eq, i(9)), intBounds(1, 9, 0, 9), true},
		{"value outside", compare(predicate.Eq, i(10)), intBounds(1, 9, 0, 9), false},
		{"less than the minimum", compare(predicate.Lt, i(1)), intBounds(1, 9, 0, 9), false},
		{"at most the minimum", compare(predicate.Le, i(1)), intBounds(1, 9, 0, 9), true},
		{"greater than the maximum", compare(predicate.Gt, i(9)), intBounds(1, 9, 0, 9), false},
		{"at least the maximum", compare(predicate.Ge, i(9)), intBounds(1, 9, 0, 9), true},
		{"unequal where one value fills the file", compare(predicate.Ne, i(4)), intBounds(4, 4, 0, 9), false},
		{"unequal elsewhere", compare(predicate.Ne, i(4)), intBounds(4, 5, 0, 9), true},
		{"one of a list", compare(predicate.In, i(20), i(3)), intBounds(1, 9, 0, 9), true},
		{"none of a list", compare(predicate.In, i(20), i(30)), intBounds(1, 9, 0, 9), false},
		{"all rows null never compare", compare(predicate.Ge, i(0)), prune.Bounds{Nulls: 9, Rows: 9}, false},
		{"null asked of a file without nulls", compare(predicate.IsNull), intBounds(1, 9, 0, 9), false},
		{"null count unknown", compare(predicate.IsNull), intBounds(1, 9, -1, 9), true},
		{"not null of an all-null file", compare(predicate.NotNull), prune.Bounds{Nulls: 9, Rows: 9}, false},
		{"null-safe equality with null", compare(predicate.EqNullSafe, predicate.Value{}), intBounds(1, 9, 0, 9), false},
		{"bounds unknown", compare(predicate.Eq, i(5)), prune.Bounds{Nulls: -1, Rows: -1}, true},
		{"types without a common order", compare(predicate.Eq, s("x")), intBounds(1, 9, 0, 9), true},
		{"whole number against decimal bounds", compare(predicate.Gt, i(9)),
			prune.Bounds{Min: predicate.DecimalValue(100, 2), Max: predicate.DecimalValue(905, 2), Rows: 3}, true},
		{"prefix inside", compare(predicate.Prefix, s("ba")), text, true},
		{"prefix of the maximum itself", compare(predicate.Prefix, s("mel")), text, true},
		{"prefix longer than the maximum", compare(predicate.Prefix, s("melons")), text, false},
		{"prefix before", compare(predicate.Prefix, s("aa")), text, false},
		{"prefix after", compare(predicate.Prefix, s("n")), text, false},
		{"unknown filter", compare(predicate.Unknown), intBounds(1, 9, 0, 9), true},
		{"not of a range that covers the file", predicate.Predicate{Op: predicate.Not, Args: []predicate.Predicate{compare(predicate.Le, i(9))}}, intBounds(1, 9, 0, 9), false},
		{"not in, one value fills the file", predicate.Predicate{Op: predicate.Not, Args: []predicate.Predicate{compare(predicate.In, i(4), i(7))}}, intBounds(4, 4, 0, 9), false},
		{"contradiction", predicate.Predicate{Op: predicate.And, Args: []predicate.Predicate{compare(predicate.Lt, i(1)), compare(predicate.Gt, i(5))}}, intBounds(1, 9, 0, 9), false},
		{"either of two", predicate.Predicate{Op: predicate.Or, Args: []predicate.Predicate{compare(predicate.Lt, i(1)), compare(predicate.Gt, i(5))}}, intBounds(1, 9, 0, 9), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := func(table.Column) (prune.Bounds, bool) { return tc.bounds, true }
			if got := prune.MayMatch(&tc.p, file); got != tc.want {
				t.Errorf("MayMatch = %v, want %v", got, tc.want)
			}
		})
	}
}

// A file that holds a row for which the predicate is true must never be left out, whatever
// the predicate.
func TestMatchingFileIsNeverPruned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Ptr(rapid.Int64Range(-4, 4), true), 1, 8).Draw(t, "rows")
		p := drawPredicate(t, 3)
		bounds := boundsOf(rows)
		matches := false
		for _, row := range rows {
			if holds(p, row) == yes {
				matches = true
			}
		}
		file := func(table.Column) (prune.Bounds, bool) { return bounds, true }
		if matches && !prune.MayMatch(&p, file) {
			t.Fatalf("pruned a file with a matching row: %+v over %v", p, bounds)
		}
	})
}

func boundsOf(rows []*int64) prune.Bounds {
	b := prune.Bounds{Rows: int64(len(rows))}
	for _, r := range rows {
		if r == nil {
			b.Nulls++
			continue
		}
		v := predicate.IntValue(*r)
		if b.Min.IsNull() || v.I < b.Min.I {
			b.Min = v
		}
		if b.Max.IsNull() || v.I > b.Max.I {
			b.Max = v
		}
	}
	return b
}

func drawPredicate(t *rapid.T, depth int) predicate.Predicate {
	if depth > 0 && rapid.Bool().Draw(t, "inner") {
		op := rapid.SampledFrom([]predicate.Op{predicate.And, predicate.Or, predicate.Not}).Draw(t, "op")
		n := 2
		if op == predicate.Not {
			n = 1
		}
		p := predicate.Predicate{Op: op}
		for range n {
			p.Args = append(p.Args, drawPredicate(t, depth-1))
		}
		return p
	}
	op := rapid.SampledFrom([]predicate.Op{predicate.Eq, predicate.Ne, predicate.Lt, predicate.Le, predicate.Gt,
		predicate.Ge, predicate.In, predicate.IsNull, predicate.NotNull, predicate.EqNullSafe}).Draw(t, "leaf")
	n := 1
	switch op {
	case predicate.In:
		n = 2
	case predicate.IsNull, predicate.NotNull:
		n = 0
	}
	var values []predicate.Value
	for range n {
		values = append(values, predicate.IntValue(rapid.Int64Range(-5, 5).Draw(t, "value")))
	}
	return compare(op, values...)
}

// truth is SQL's three-valued logic, written apart from the code under test.
type truth int

const (
	no truth = iota
	null
	yes
)

func holds(p predicate.Predicate, row *int64) truth {
	switch p.Op {
	case predicate.And:
		return min(holds(p.Args[0], row), holds(p.Args[1], row))
	case predicate.Or:
		return max(holds(p.Args[0], row), holds(p.Args[1], row))
	case predicate.Not:
		return yes - holds(p.Args[0], row)
	case predicate.IsNull:
		return is(row == nil)
	case predicate.NotNull:
		return is(row != nil)
	case predicate.EqNullSafe:
		return is(row != nil && *row == p.Values[0].I)
	}
	if row == nil {
		return null
	}
	result := no
	for _, v := range p.Values {
		result = max(result, is(compares(p.Op, *row, v.I)))
	}
	return result
}

func compares(op predicate.Op, a, b int64) bool {
	switch op {
	case predicate.Ne:
		return a != b
	case predicate.Lt:
		return a < b
	case predicate.Le:
		return a <= b
	case predicate.Gt:
		return a > b
	case predicate.Ge:
		return a >= b
	}
	return a == b
}

func is(b bool) truth {
	if b {
		return yes
	}
	return no
}
