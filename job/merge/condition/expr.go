package condition

import (
	"ajlo/job/delta"
	"ajlo/job/predicate"
)

// Side is whose row a column is of.
type Side byte

// The sides of a merge, by the names that rows have in conditions.
const (
	Table  Side = 't'
	Source Side = 's'
)

func (s Side) String() string { return string(rune(s)) }

// Column is a column of one side, as the text spells it.
type Column struct {
	Side Side
	Name string
}

// Expr is a text that was read, before its columns are known.
type Expr struct {
	op      op
	args    []Expr
	column  Column
	literal literal
}

type op string

const (
	isColumn  op = "column"
	isLiteral op = "literal"
	and       op = "AND"
	or        op = "OR"
	not       op = "NOT"
	isNull    op = "IS NULL"
	in        op = "IN" // the first of the arguments among the others
	between   op = "BETWEEN"
)

// comparisons are the operators between two values.
var comparisons = map[string]predicate.Op{
	"=": predicate.Eq, "==": predicate.Eq, "<>": predicate.Ne, "!=": predicate.Ne, "<": predicate.Lt, "<=": predicate.Le,
	">": predicate.Gt, ">=": predicate.Ge, "<=>": predicate.EqNullSafe,
}

// literal is a value with its type; NULL has none.
type literal struct {
	value predicate.Value
	typ   delta.Type
}

// Columns calls yield for every column, repeats included.
func (e Expr) Columns(yield func(Column) bool) bool {
	if e.op == isColumn && !yield(e.column) {
		return false
	}
	for _, arg := range e.args {
		if !arg.Columns(yield) {
			return false
		}
	}
	return true
}

// Value takes a value apart: the name of a column, or a literal with its type, NULL without one.
func (e Expr) Value() (name string, v predicate.Value, of delta.Type) {
	if e.op == isColumn {
		return e.column.Name, predicate.Value{}, delta.Type{}
	}
	return "", e.literal.value, e.literal.typ
}
