package layout

import (
	"unicode/utf8"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// cutValues are the values that part the rows a predicate is true for from others, by its
// comparisons of one column.
func cutValues(p *predicate.Predicate, c table.Column) []predicate.Value {
	if p == nil {
		return nil
	}
	var cuts []predicate.Value
	if p.Column == c {
		for _, v := range p.Values {
			cuts = append(cuts, cutsAround(p.Op, v)...)
		}
	}
	for i := range p.Args {
		cuts = append(cuts, cutValues(&p.Args[i], c)...)
	}
	return cuts
}

// cutsAround are the values at which a comparison with v begins or ends to be true.
func cutsAround(op predicate.Op, v predicate.Value) (cuts []predicate.Value) {
	if v.IsNull() {
		return nil
	}
	switch op {
	case predicate.Lt, predicate.Ge:
		return []predicate.Value{v}
	case predicate.Le, predicate.Gt:
		return next(v)
	case predicate.Eq, predicate.EqNullSafe, predicate.In:
		return append(next(v), v)
	case predicate.Prefix:
		return []predicate.Value{v, predicate.StringValue(v.S + string(utf8.MaxRune))}
	}
	return nil
}

func next(v predicate.Value) []predicate.Value {
	if n, ok := v.Next(); ok {
		return []predicate.Value{n}
	}
	return nil
}
