// Package predicate holds what a scan was told to look for: a tree of typed comparisons
// with SQL's three-valued logic. Parsing of the engines' filter texts stands beside it.
//
// In: the texts in which Spark and Iceberg print the filters of a scan, with the columns,
// their types and the zones they were printed in (a Scope).
//
// Out: predicates. What cannot be read, and what no bound can decide, is Unknown.
//
// What always holds: no text makes a parser fail, or run longer than in proportion to its
// length. Where a text can be read in two ways, because a literal looks like a filter or a
// separator, the result is Unknown or the reading in which every bracket fits.
//
// It refuses nothing.
package predicate

import (
	"slices"

	"ajlo/job/table"
)

// Op names what a node of a predicate does.
type Op string

// The operators. And, Or and Not have Args; the others have a Column and Values.
const (
	And        Op = "and"
	Or         Op = "or"
	Not        Op = "not"
	Eq         Op = "eq"
	Ne         Op = "ne"
	Lt         Op = "lt"
	Le         Op = "le"
	Gt         Op = "gt"
	Ge         Op = "ge"
	In         Op = "in"
	Prefix     Op = "prefix"
	IsNull     Op = "is_null"
	NotNull    Op = "not_null"
	EqNullSafe Op = "eq_null_safe"
	// Unknown stands for a filter that could not be read or that no bound can decide: it
	// may be true for any row, so it never prunes.
	Unknown Op = "unknown"
)

// Predicate is one node. The zero value is not valid; an absent predicate is a nil pointer.
type Predicate struct {
	Op     Op           `json:"op"`
	Column table.Column `json:"column,omitempty"`
	Values []Value      `json:"values,omitempty"`
	Args   []Predicate  `json:"args,omitempty"`
	// Unread is the text of an Unknown, for people; it is no part of the predicate.
	Unread string `json:"-"`
}

// Conjunction joins predicates by AND; it is nil for none and the predicate itself for one.
func Conjunction(args []Predicate) *Predicate {
	switch len(args) {
	case 0:
		return nil
	case 1:
		return &args[0]
	}
	return &Predicate{Op: And, Args: args}
}

// oneOf is the list of values that a column may have, in their order: engines print one list in
// several.
func oneOf(column table.Column, values []Value) Predicate {
	values = slices.Clone(values)
	slices.SortStableFunc(values, Order)
	return Predicate{Op: In, Column: column, Values: values}
}

// Columns calls yield for each column named below p, in order of appearance, repeats included.
func (p *Predicate) Columns(yield func(table.Column, Op) bool) bool {
	if p == nil {
		return true
	}
	if p.Column != "" && !yield(p.Column, p.Op) {
		return false
	}
	for i := range p.Args {
		if !p.Args[i].Columns(yield) {
			return false
		}
	}
	return true
}
