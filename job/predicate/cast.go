package predicate

import (
	"regexp"
	"strconv"
	"strings"
)

// castTarget follows the attribute in "cast(a#1 as decimal(20,0))".
var castTarget = regexp.MustCompile(`^ as ([a-z]+(?:\(\d+(?:,\d+)?\))?)\)`)

// leadingOperand finds the column that text begins with, bare or in a cast that keeps every
// value and the order of values, followed by next. The field then has the type of the cast,
// in which the literal beside it is printed.
func (s *Scope) leadingOperand(text, next string) (f Field, rest string, ok bool) {
	if f, rest, ok = s.leadingAttribute(text, next); ok {
		return f, rest, ok
	}
	inner, cast := strings.CutPrefix(text, "cast(")
	if !cast {
		return Field{}, "", false
	}
	f, after, ok := s.leadingAttribute(inner, " as ")
	m := castTarget.FindStringSubmatch(" as " + after)
	if !ok || m == nil || !keepsOrder(f.Type, m[1]) {
		return Field{}, "", false
	}
	rest, ok = strings.CutPrefix((" as " + after)[len(m[0]):], next)
	f.Type = m[1]
	return f, rest, ok
}

// wholeDigits are the most decimal digits that a type of whole numbers takes.
var wholeDigits = map[string]int{"tinyint": 3, "smallint": 5, "int": 10, "integer": 10, "bigint": 19}

// doubleDigits is how many decimal digits of whole numbers a double always keeps.
const doubleDigits = 15

// keepsOrder reports whether a cast gives different values different values, in the same
// order. Casts to dates and strings do not.
func keepsOrder(from, to string) bool {
	digits, whole := wholeDigits[from]
	into, intoWhole := wholeDigits[to]
	precision, scale, decimal := decimalType(to)
	ownPrecision, ownScale, ownDecimal := decimalType(from)
	switch {
	case from == to:
		return true
	case whole && intoWhole:
		return into >= digits
	case whole && decimal:
		return precision-scale >= digits
	case whole:
		return to == "double" && digits <= doubleDigits
	case ownDecimal && decimal:
		return scale >= ownScale && precision-scale >= ownPrecision-ownScale
	}
	return from == "float" && to == "double"
}

// decimalShapeOf is "decimal(15,2)".
var decimalShapeOf = regexp.MustCompile(`^decimal\((\d+),(\d+)\)$`)

func decimalType(text string) (precision, scale int, ok bool) {
	m := decimalShapeOf.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	precision, errPrecision := strconv.Atoi(m[1])
	scale, errScale := strconv.Atoi(m[2])
	return precision, scale, errPrecision == nil && errScale == nil
}
