package condition

import (
	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
	"ajlo/job/predicate"
)

// Row is one row of some columns. Texts are plain, not numbers of a dictionary.
type Row struct {
	Columns []arrow.Array
	At      int
}

// truth is SQL's: what is compared with NULL is neither.
type truth byte

const (
	no truth = iota
	unknown
	yes
)

func truthOf(is bool) truth {
	if is {
		return yes
	}
	return no
}

type (
	boolean func(of, from Row) (truth, error)
	value   func(of, from Row) (predicate.Value, error)
)

func rowOf(side Side, of, from Row) Row {
	if side == Table {
		return of
	}
	return from
}

func columnValue(side Side, b Bound) value {
	return func(of, from Row) (predicate.Value, error) {
		row := rowOf(side, of, from)
		v, _, err := delta.ValueOf(row.Columns[b.At], row.At, b.Type)
		return v, err
	}
}

func constant(t truth) boolean { return func(_, _ Row) (truth, error) { return t, nil } }

func opposite(b boolean) boolean {
	return func(of, from Row) (truth, error) {
		t, err := b(of, from)
		return yes - t, err
	}
}

// allOf is the least of its parts, as AND has it.
func allOf(parts []boolean) boolean {
	return func(of, from Row) (truth, error) {
		all := yes
		for _, part := range parts {
			t, err := part(of, from)
			if all = min(all, t); all == no || err != nil {
				return all, err
			}
		}
		return all, nil
	}
}

// anyOf is the greatest of its parts, as OR has it.
func anyOf(parts []boolean) boolean {
	return func(of, from Row) (truth, error) {
		any := no
		for _, part := range parts {
			t, err := part(of, from)
			if any = max(any, t); any == yes || err != nil {
				return any, err
			}
		}
		return any, nil
	}
}

func comparison(op predicate.Op, left, right value) boolean {
	return func(of, from Row) (truth, error) {
		l, err := left(of, from)
		if err != nil {
			return unknown, err
		}
		r, err := right(of, from)
		if err != nil {
			return unknown, err
		}
		return compareValues(op, l, r), nil
	}
}

func compareValues(op predicate.Op, l, r predicate.Value) truth {
	if op == predicate.EqNullSafe && (l.IsNull() || r.IsNull()) {
		return truthOf(l.IsNull() && r.IsNull())
	}
	order, ok := predicate.Compare(l, r)
	if !ok {
		return unknown
	}
	switch op {
	case predicate.Eq, predicate.EqNullSafe:
		return truthOf(order == 0)
	case predicate.Ne:
		return truthOf(order != 0)
	case predicate.Lt:
		return truthOf(order < 0)
	case predicate.Le:
		return truthOf(order <= 0)
	case predicate.Gt:
		return truthOf(order > 0)
	}
	return truthOf(order >= 0)
}
