package predicate

import (
	"regexp"
	"strings"
)

// filterStart finds where a filter of Spark's data source API may begin
// (org.apache.spark.sql.sources.Filter).
//
// A star before it says that the source applies it whole (Spark 2.x, Gluten).
var filterStart = regexp.MustCompile(`^\*?(?:EqualTo|EqualNullSafe|GreaterThan|GreaterThanOrEqual|LessThan|` +
	`LessThanOrEqual|In|IsNull|IsNotNull|And|Or|Not|StringStartsWith|StringEndsWith|StringContains|` +
	`AlwaysTrue|AlwaysFalse)\(`)

// cutOff is what Spark puts where it left elements of a list out; metadata cut at its
// length ends in dots.
var cutOff = regexp.MustCompile(`(?:\.\.\. \d+ more fields|\.\.\.)$`)

// ParsePushed reads a PushedFilters list: "[IsNotNull(a), GreaterThan(a,5)]". Its elements
// are a conjunction. lost counts elements that the text no longer holds.
func (s *Scope) ParsePushed(text string) (conjuncts []Predicate, lost int) {
	s.refuel(text)
	body, open := strings.CutPrefix(text, "[")
	body, closed := strings.CutSuffix(body, "]")
	if !open || body == "" {
		return nil, 0
	}
	pieces := splitBefore(body, ", ", func(rest string) bool {
		return filterStart.MatchString(rest) || cutOff.MatchString(rest)
	})
	if last := pieces[len(pieces)-1]; !closed || cutOff.MatchString(last) {
		lost, pieces = 1, pieces[:len(pieces)-1]
	}
	return s.joinPieces(pieces, ", ", s.parseFilter), lost
}

// splitBefore cuts at separators after which starts says a new element may begin.
func splitBefore(text, separator string, starts func(rest string) bool) []string {
	var pieces []string
	from, at := 0, 0
	for {
		next := strings.Index(text[at:], separator)
		if next < 0 {
			return append(pieces, text[from:])
		}
		at += next + len(separator)
		if starts(text[at:]) {
			pieces = append(pieces, text[from:at-len(separator)])
			from = at
		}
	}
}

// maxJoin bounds how many pieces one literal is believed to have been cut into.
const maxJoin = 8

// joinPieces parses pieces one by one. Where a piece makes no sense, a literal may have
// looked like the beginning of the next one: it is tried together with what follows.
func (s *Scope) joinPieces(pieces []string, separator string, parse func(string) (Predicate, bool)) []Predicate {
	var all []Predicate
	for i := 0; i < len(pieces); {
		p, used := s.unknown(pieces[i]), 1
		for n := 1; n <= maxJoin && i+n <= len(pieces); n++ {
			if read, ok := parse(strings.Join(pieces[i:i+n], separator)); ok {
				p, used = read, n
				break
			}
		}
		all = append(all, p)
		i += used
	}
	return all
}

// comparisons are the filters of a column and a literal.
var comparisons = map[string]Op{
	"EqualTo": Eq, "EqualNullSafe": EqNullSafe,
	"GreaterThan": Gt, "GreaterThanOrEqual": Ge, "LessThan": Lt, "LessThanOrEqual": Le,
	"StringStartsWith": Prefix,
}

// parseFilter reads text as one whole filter. Filters that are whole but say nothing about
// bounds (StringContains, nested fields) are Unknown; ok is false where the text is no
// filter.
func (s *Scope) parseFilter(text string) (p Predicate, ok bool) {
	name, inner, ok := call(strings.TrimPrefix(text, "*"))
	if !ok || !s.burn(text) {
		return Predicate{}, false
	}
	switch name {
	case "And":
		return s.parsePair(And, inner)
	case "Or":
		return s.parsePair(Or, inner)
	case "Not":
		p, ok := s.parseFilter(inner)
		return negate(p), ok
	case "IsNull":
		return s.nullTest(IsNull, inner)
	case "IsNotNull":
		return s.nullTest(NotNull, inner)
	case "In":
		return s.parseIn(inner)
	}
	if op, known := comparisons[name]; known {
		return s.parseComparison(op, inner)
	}
	return s.unknown(text), filterStart.MatchString(text)
}

// call takes "Name(inner)" apart.
func call(text string) (name, inner string, ok bool) {
	name, inner, ok = strings.Cut(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	return name, inner, ok && closed
}

// parsePair reads "left,right". The comma that no bracket encloses is tried first; then,
// should a literal hold an odd bracket, every other one.
func (s *Scope) parsePair(op Op, inner string) (Predicate, bool) {
	for at := range s.cuts(inner, ",", anywhere...) {
		if !filterStart.MatchString(inner[at+1:]) {
			continue
		}
		right, ok := s.parseFilter(inner[at+1:])
		if !ok {
			continue
		}
		if left, ok := s.parseFilter(inner[:at]); ok {
			return Predicate{Op: op, Args: []Predicate{left, right}}, true
		}
	}
	return Predicate{}, false
}

func (s *Scope) nullTest(op Op, name string) (Predicate, bool) {
	if f, ok := s.field(name); ok {
		return Predicate{Op: op, Column: f.Name}, true
	}
	return Predicate{Op: Unknown}, isNested(name)
}

// nested is a field inside a column, which no bound of the column speaks of.
var nested = regexp.MustCompile("^(?:[\\pL_][\\pL\\pN_]*|`(?:[^`]|``)*`)(?:\\.(?:[\\pL_][\\pL\\pN_]*|`(?:[^`]|``)*`))*$")

func isNested(name string) bool { return nested.MatchString(name) }

func (s *Scope) parseComparison(op Op, inner string) (Predicate, bool) {
	f, literal, ok := s.leadingField(inner, ",")
	if !ok {
		name, _, comma := strings.Cut(inner, ",")
		return Predicate{Op: Unknown}, comma && isNested(name)
	}
	if literal == "null" && (op == EqNullSafe || !isText(f.Type)) {
		return comparison(op, f.Name, Value{}), true
	}
	v, ok := s.parsePushedLiteral(f.Type, literal)
	if !ok {
		return Predicate{Op: Unknown, Column: f.Name}, true
	}
	return comparison(op, f.Name, v), true
}

// parseIn reads "a, [1,2,3]".
func (s *Scope) parseIn(inner string) (Predicate, bool) {
	list, closed := strings.CutSuffix(inner, "]")
	f, list, ok := s.leadingField(list, ", [")
	if !ok || !closed {
		name, _, comma := strings.Cut(inner, ", [")
		return Predicate{Op: Unknown}, closed && comma && isNested(name)
	}
	values, ok := parseList(f.Type, list, ",", s.parsePushedLiteral)
	if !ok {
		return Predicate{Op: Unknown, Column: f.Name}, true
	}
	return oneOf(f.Name, values), true
}
