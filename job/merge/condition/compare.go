package condition

import (
	"fmt"
	"math"
	"strconv"

	"ajlo/job/delta"
	"ajlo/job/predicate"
)

// compare compiles a comparison of two values.
func (b binder) compare(op predicate.Op, left, right Expr) (boolean, predicate.Predicate, error) {
	l, err := b.operand(left)
	if err != nil {
		return nil, undecided, err
	}
	r, err := b.operand(right)
	if err != nil {
		return nil, undecided, err
	}
	if err := errorOf(l.check(), r.check()); err != nil {
		return nil, undecided, err
	}
	if l, r, err = alike(l, r); err != nil {
		return nil, undecided, err
	}
	return comparison(op, l.value, r.value), comparable(op, l, r), nil
}

func errorOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// alike gives both values the type in which Spark compares them.
func alike(l, r operand) (operand, operand, error) {
	if l.null() || r.null() {
		return l, r, nil
	}
	l, r = dated(l, r), dated(r, l)
	a, b := classOf(l.bound.Type), classOf(r.bound.Type)
	switch {
	case a == b && a != single:
		return l, r, nil
	case a == single && b == single, a.exact() && b.exact():
		return l, r, nil
	case a == single && b == wholeNumber, a == wholeNumber && b == single:
		if !short(l) && !short(r) {
			return l, r, fmt.Errorf("a FLOAT and a whole number are compared by Spark's settings: cast one in the source")
		}
		return l.double(), r.double(), nil
	case a.number() && b.number():
		return l.double(), r.double(), nil
	}
	return l, r, fmt.Errorf("%s is not compared with %s here: %s", spelt(l), spelt(r), advice(a, b))
}

func advice(a, b class) string {
	if a == textClass || b == textClass {
		switch {
		case a == instant || b == instant:
			return "write TIMESTAMP '2026-11-30T08:00:00Z', with its zone"
		case a == localTime || b == localTime:
			return "write TIMESTAMP_NTZ '2026-11-30 08:00:00'"
		case a == day || b == day:
			return "write DATE '2026-11-30'"
		case a.number() || b.number():
			return "write numbers without quotes"
		}
	}
	return "cast one in the source"
}

func spelt(o operand) string {
	if o.column() {
		return fmt.Sprintf("column %s.%s of type %s", o.of.column.Side, o.of.column.Name, o.bound.Type.Text)
	}
	return fmt.Sprintf("the %s %s", o.bound.Type.Text, o.of.literal.value.Text())
}

// class is types that compare with each other without any cast.
type class byte

const (
	wholeNumber class = iota
	decimalNumber
	single
	double
	textClass
	truthClass
	day
	instant
	localTime
	none
)

func (c class) exact() bool  { return c == wholeNumber || c == decimalNumber }
func (c class) number() bool { return c <= double }

func classOf(t delta.Type) class {
	switch t.Kind {
	case delta.Byte, delta.Short, delta.Integer, delta.Long:
		return wholeNumber
	case delta.Decimal:
		return decimalNumber
	case delta.Float:
		return single
	case delta.Double:
		return double
	case delta.String:
		return textClass
	case delta.Boolean:
		return truthClass
	case delta.Date:
		return day
	case delta.Timestamp:
		return instant
	case delta.TimestampNTZ:
		return localTime
	}
	return none
}

// dated reads a text beside a date as one, as Spark does.
func dated(o, beside operand) operand {
	if o.column() || classOf(o.bound.Type) != textClass || classOf(beside.bound.Type) != day {
		return o
	}
	l, err := typed("DATE", o.of.literal.value.S)
	if err != nil {
		return o
	}
	return operand{Expr{op: isLiteral, literal: l}, Bound{Type: l.typ}, func(_, _ Row) (predicate.Value, error) { return l.value, nil }}
}

// short reports whether the operand is a whole number that a FLOAT keeps.
func short(o operand) bool {
	const mantissa = 1 << 24
	v := o.of.literal.value
	return !o.column() && v.Kind == predicate.Int && -mantissa <= v.I && v.I <= mantissa
}

// double is the operand as a DOUBLE.
func (o operand) double() operand {
	inner := o.value
	o.value = func(of, from Row) (predicate.Value, error) {
		v, err := inner(of, from)
		return doubled(v), err
	}
	if !o.column() {
		o.of.literal.value = doubled(o.of.literal.value)
	}
	o.bound.Type = delta.Type{Kind: delta.Double, Text: "double"}
	return o
}

func doubled(v predicate.Value) predicate.Value {
	switch v.Kind {
	case predicate.Int:
		return predicate.FloatValue(float64(v.I))
	case predicate.Decimal:
		f, err := strconv.ParseFloat(v.Text(), 64)
		if err != nil {
			f = math.NaN() // the text of a decimal is a number
		}
		return predicate.FloatValue(f)
	}
	return v
}

// mirrored are comparisons read from the right.
var mirrored = map[predicate.Op]predicate.Op{
	predicate.Eq: predicate.Eq, predicate.Ne: predicate.Ne, predicate.EqNullSafe: predicate.EqNullSafe,
	predicate.Lt: predicate.Gt, predicate.Gt: predicate.Lt, predicate.Le: predicate.Ge, predicate.Ge: predicate.Le,
}

// comparable is what a comparison says of the table's row alone.
func comparable(op predicate.Op, l, r operand) predicate.Predicate {
	switch {
	case l.column() && !r.column():
		return l.said(op, r.of.literal.value)
	case r.column() && !l.column():
		return r.said(mirrored[op], l.of.literal.value)
	}
	return undecided
}
