package condition

import (
	"errors"
	"fmt"

	"ajlo/job/delta"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

// Bound is a column that was found: its type, and where it stands in rows of its side.
type Bound struct {
	Name string // as the table spells it
	Type delta.Type
	At   int
}

// Condition is a condition whose columns are known. It may be used by several goroutines.
type Condition struct {
	holds boolean
	// OfTable is what the condition says of the table's row alone: nothing that it excludes can
	// meet the condition.
	OfTable predicate.Predicate
}

// Bind finds the columns of a condition and checks the types.
func Bind(e Expr, find func(Column) (Bound, error)) (*Condition, error) {
	b := binder{find}
	holds, of, err := b.boolean(e)
	if err != nil {
		return nil, err
	}
	return &Condition{holds, of}, nil
}

// Holds reports whether the condition is true of two rows, not false and not NULL.
func (c *Condition) Holds(of, from Row) (bool, error) {
	t, err := c.holds(of, from)
	return t == yes, err
}

type binder struct {
	find func(Column) (Bound, error)
}

// undecided is what is said of the table's row where nothing is.
var undecided = predicate.Predicate{Op: predicate.Unknown}

// boolean compiles a condition.
func (b binder) boolean(e Expr) (boolean, predicate.Predicate, error) {
	switch e.op {
	case and, or:
		return b.chain(e)
	case not:
		holds, of, err := b.boolean(e.args[0])
		return opposite(holds), predicate.Predicate{Op: predicate.Not, Args: []predicate.Predicate{of}}, err
	case between:
		low := Expr{op: op(predicate.Ge), args: []Expr{e.args[0], e.args[1]}}
		high := Expr{op: op(predicate.Le), args: []Expr{e.args[0], e.args[2]}}
		return b.chain(Expr{op: and, args: []Expr{low, high}})
	case in:
		any := Expr{op: or}
		for _, arg := range e.args[1:] {
			any.args = append(any.args, Expr{op: op(predicate.Eq), args: []Expr{e.args[0], arg}})
		}
		return b.chain(any)
	case isNull:
		return b.null(e.args[0])
	case isColumn, isLiteral:
		return b.truth(e)
	}
	return b.compare(predicate.Op(e.op), e.args[0], e.args[1])
}

func (b binder) chain(e Expr) (boolean, predicate.Predicate, error) {
	of, parts := predicate.Predicate{Op: predicate.And}, make([]boolean, len(e.args))
	if e.op == or {
		of.Op = predicate.Or
	}
	for i, arg := range e.args {
		part, said, err := b.boolean(arg)
		if err != nil {
			return nil, undecided, err
		}
		parts[i], of.Args = part, append(of.Args, said)
	}
	if e.op == or {
		return anyOf(parts), of, nil
	}
	return allOf(parts), of, nil
}

// operand is a value of a row, or the same for all.
type operand struct {
	of    Expr
	bound Bound
	value value
}

func (o operand) column() bool { return o.of.op == isColumn }

// null reports whether the operand is the literal NULL.
func (o operand) null() bool { return !o.column() && o.of.literal.value.IsNull() }

func (b binder) operand(e Expr) (operand, error) {
	switch e.op {
	case isLiteral:
		l := e.literal
		return operand{e, Bound{Type: l.typ}, func(_, _ Row) (predicate.Value, error) { return l.value, nil }}, nil
	case isColumn:
		bound, err := b.find(e.column)
		if err != nil {
			return operand{}, err
		}
		return operand{e, bound, columnValue(e.column.Side, bound)}, nil
	}
	return operand{}, errors.New("only columns and values are compared, not conditions")
}

func (o operand) check() error {
	if o.column() && !o.bound.Type.HasValues() {
		return fmt.Errorf("column %s.%s of type %s cannot be compared here", o.of.column.Side, o.of.column.Name, o.bound.Type.Text)
	}
	return nil
}

// null compiles IS NULL, for columns of every type.
func (b binder) null(e Expr) (boolean, predicate.Predicate, error) {
	o, err := b.operand(e)
	if err != nil {
		return nil, undecided, err
	}
	if !o.column() {
		return constant(truthOf(o.null())), undecided, nil
	}
	side, at := e.column.Side, o.bound.At
	holds := func(of, from Row) (truth, error) {
		row := rowOf(side, of, from)
		return truthOf(row.Columns[at].IsNull(row.At)), nil
	}
	return holds, o.said(predicate.IsNull), nil
}

// said is what a test says of the table's row. Of floating point nothing is: some writers leave NaN
// out of bounds.
func (o operand) said(op predicate.Op, values ...predicate.Value) predicate.Predicate {
	if !o.column() || o.of.column.Side != Table || op != predicate.IsNull && (o.bound.Type.Kind == delta.Float || o.bound.Type.Kind == delta.Double) {
		return undecided
	}
	return predicate.Predicate{Op: op, Column: table.Column(o.bound.Name), Values: values}
}

// truth compiles a column or literal that is true or false by itself.
func (b binder) truth(e Expr) (boolean, predicate.Predicate, error) {
	o, err := b.operand(e)
	if err != nil {
		return nil, undecided, err
	}
	if o.null() {
		return constant(unknown), undecided, nil
	}
	if o.bound.Type.Kind != delta.Boolean {
		return nil, undecided, errors.New("a value that is not true or false stands where a condition is wanted")
	}
	holds := func(of, from Row) (truth, error) {
		v, err := o.value(of, from)
		if v.IsNull() {
			return unknown, err
		}
		return truthOf(v.I != 0), err
	}
	return holds, o.said(predicate.Eq, predicate.BoolValue(true)), nil
}
