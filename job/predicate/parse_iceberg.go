package predicate

import (
	"strings"

	"ajlo/job/table"
)

// ParseIceberg reads the filters that an Iceberg scan prints of itself, "a IS NOT NULL, a >=
// 5, s = 'x'" (Spark3Util.describe). Their values are Iceberg's own: dates are days,
// timestamps microseconds, both bare numbers, so that they are of use only where no
// condition above the scan says the same.
func (s *Scope) ParseIceberg(text string) []Predicate {
	s.refuel(text)
	if text == "" {
		return nil
	}
	pieces := splitBefore(text, ", ", func(rest string) bool {
		_, _, named := s.leadingField(rest, " ")
		return named || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "NOT (") || strings.HasPrefix(rest, "is_nan(")
	})
	return s.joinPieces(pieces, ", ", s.parseIcebergTerm)
}

// TextColumns are the columns that Iceberg's filters compare with a quoted literal, and
// that are therefore strings: nothing else in a log says so.
func (s *Scope) TextColumns(filters []Predicate) map[table.Column]bool {
	found := map[table.Column]bool{}
	for _, f := range filters {
		for _, v := range f.Values {
			if v.Kind == String {
				found[f.Column] = true
			}
		}
		for c := range s.TextColumns(f.Args) {
			found[c] = true
		}
	}
	return found
}

// icebergOperators are the infix operators, longest first.
var icebergOperators = []struct {
	text string
	op   Op
}{
	{" >= ", Ge}, {" <= ", Le}, {" != ", Ne}, {" = ", Eq}, {" > ", Gt}, {" < ", Lt},
}

func (s *Scope) parseIcebergTerm(text string) (Predicate, bool) {
	if !s.burn(text) {
		return Predicate{}, false
	}
	if inner, ok := strings.CutPrefix(text, "NOT "); ok {
		p, ok := s.parseIcebergTerm(inner)
		return negate(p), ok
	}
	if inner, ok := brackets(text); ok {
		return s.parseIcebergJunction(inner)
	}
	if f, rest, ok := s.leadingField(text, " IS "); ok {
		return Predicate{Op: map[string]Op{"NULL": IsNull, "NOT NULL": NotNull}[rest], Column: f.Name},
			rest == "NULL" || rest == "NOT NULL"
	}
	if f, rest, ok := s.leadingField(text, " LIKE "); ok {
		prefix, whole := unquote(rest)
		prefix, open := strings.CutSuffix(prefix, "%")
		return comparison(Prefix, f.Name, StringValue(prefix)), whole && open
	}
	for _, o := range icebergOperators {
		if f, literal, ok := s.leadingField(text, o.text); ok {
			v, ok := icebergLiteral(literal)
			return comparison(o.op, f.Name, v), ok
		}
	}
	return s.parseIcebergList(text)
}

func (s *Scope) parseIcebergJunction(inner string) (Predicate, bool) {
	for _, junction := range junctions {
		for at := range s.cuts(inner, junction.word, anywhere...) {
			right, ok := s.parseIcebergTerm(inner[at+len(junction.word):])
			if !ok {
				continue
			}
			if left, ok := s.parseIcebergTerm(inner[:at]); ok {
				return Predicate{Op: junction.op, Args: []Predicate{left, right}}, true
			}
		}
	}
	return s.parseIcebergTerm(inner)
}

// parseIcebergList reads "a IN (1, 2)"; other terms that begin with a column are whole but
// say nothing.
func (s *Scope) parseIcebergList(text string) (Predicate, bool) {
	f, list, ok := s.leadingField(text, " IN (")
	list, closed := strings.CutSuffix(list, ")")
	if !ok || !closed {
		f, _, ok := s.leadingField(text, " NOT ")
		return Predicate{Op: Unknown, Column: f.Name}, ok
	}
	var values []Value
	for _, element := range icebergElements(list) {
		v, ok := icebergLiteral(element)
		if !ok {
			return Predicate{Op: Unknown, Column: f.Name}, true
		}
		values = append(values, v)
	}
	return oneOf(f.Name, values), true
}

// icebergElements takes a list apart. Quoted elements may hold commas: they part where one
// quote closes and the next opens.
func icebergElements(list string) []string {
	inner, quoted := unquote(list)
	if !quoted {
		return strings.Split(list, ", ")
	}
	elements := strings.Split(inner, "', '")
	for i, e := range elements {
		elements[i] = "'" + e + "'"
	}
	return elements
}

func icebergLiteral(text string) (Value, bool) {
	if inner, ok := unquote(text); ok {
		return StringValue(inner), true
	}
	if text == "" || strings.ContainsAny(text, "'(, ") {
		return Value{}, false // cut in the wrong place, or masked ("(2-digit-int)")
	}
	return guessLiteral(text, nil)
}

func unquote(text string) (string, bool) {
	inner, open := strings.CutPrefix(text, "'")
	inner, closed := strings.CutSuffix(inner, "'")
	return inner, open && closed
}
