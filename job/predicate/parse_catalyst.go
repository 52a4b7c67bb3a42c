package predicate

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"ajlo/job/table"
)

// ParseCatalyst reads a condition as Catalyst prints it, "(isnotnull(a#1) AND (a#1 > 5))",
// and gives its conjuncts. What says nothing about bounds (functions, casts, column
// against column, LIKE) is Unknown. Run-time filters of dynamic partition pruning are left
// out: they hold no literal. lost counts conjuncts that the text no longer holds.
func (s *Scope) ParseCatalyst(text string) (conjuncts []Predicate, lost int) {
	s.refuel(text)
	if text == "" || text == "true" {
		return nil, 0
	}
	if cut := cutOff.FindStringIndex(text); cut != nil {
		return []Predicate{s.unknown(text[:cut[0]])}, 1
	}
	p, ok := s.parseBoolean(text)
	if !ok && s.burn("") {
		p = s.unknown(text)
	}
	return p.Conjuncts(), len(cutInside.FindAllStringIndex(text, -1))
}

// cutInside is how a list of values ends that was too long to be printed, inside a
// condition.
var cutInside = regexp.MustCompile(`, \.\.\. \d+ more fields\b`)

// ParseCatalystList reads a list of conditions, "[isnotnull(p#1), (p#1 = 2)]", as scans
// print their DataFilters and PartitionFilters.
func (s *Scope) ParseCatalystList(text string) (conjuncts []Predicate, lost int) {
	s.refuel(text)
	body, open := strings.CutPrefix(text, "[")
	body, closed := strings.CutSuffix(body, "]")
	if !open || body == "" {
		return nil, 0
	}
	pieces := splitBefore(body, ", ", func(rest string) bool {
		_, _, attribute := s.leadingAttribute(rest, " ")
		return attribute || strings.HasPrefix(rest, "(") || booleanStart(rest) || cutOff.MatchString(rest)
	})
	if last := pieces[len(pieces)-1]; !closed || cutOff.MatchString(last) {
		lost, pieces = 1, pieces[:len(pieces)-1]
	}
	pieces = slices.DeleteFunc(pieces, func(piece string) bool {
		return strings.HasPrefix(piece, "dynamicpruningexpression(")
	})
	for _, p := range s.joinPieces(pieces, ", ", s.parseBoolean) {
		conjuncts = append(conjuncts, p.Conjuncts()...)
	}
	return conjuncts, lost
}

// booleanStart is how a boolean expression begins that is neither in brackets nor an
// attribute.
func booleanStart(text string) bool {
	return strings.HasPrefix(text, "NOT ") || beginsCall(text, "_")
}

// parseBoolean reads text as one whole boolean expression. ok is false where it cannot be
// one: the caller then knows that it cut in the wrong place.
func (s *Scope) parseBoolean(text string) (p Predicate, ok bool) {
	if !s.burn("") {
		return Predicate{Op: Unknown}, false
	}
	if inner, found := strings.CutPrefix(text, "NOT "); found {
		p, ok := s.parseBoolean(inner)
		return negate(p), ok
	}
	if p, ok := s.parseAttributeTest(text); ok {
		return p, true
	}
	if p, ok := s.parseCall(text); ok {
		return p, true
	}
	if inner, ok := brackets(text); ok {
		return s.parseBracketed(inner)
	}
	return Predicate{Op: Unknown}, text == "true" || text == "false"
}

// brackets takes "(inner)" apart.
func brackets(text string) (inner string, ok bool) {
	inner, open := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	return inner, open && closed
}

// parseBracketed reads what stands in brackets: AND or OR of two expressions, or a
// comparison of two operands.
func (s *Scope) parseBracketed(inner string) (Predicate, bool) {
	for _, last := range anywhere {
		for _, j := range junctions {
			if p, ok := s.parseJunction(inner, j.word, j.op, last); ok {
				return p, true
			}
		}
	}
	if p, ok := s.parseOperands(inner); ok {
		return p, true
	}
	if !s.burn(inner) || !balanced(inner) {
		return Predicate{Op: Unknown}, false
	}
	return s.unknown(inner), true
}

// junctions are the words that join two conditions, and those of Spark before 3.0.
var junctions = []struct {
	word string
	op   Op
}{{" AND ", And}, {" OR ", Or}, {" && ", And}, {" || ", Or}}

// finder gives the last place of a word in text, −1 for none.
type finder func(text, word string) int

// anywhere are the finders in the order worth trying. Chains lean to the left, so places
// outside brackets come first, from the end; then, should a literal hold an odd bracket, all.
var anywhere = []finder{lastOutside, strings.LastIndex}

// parseJunction looks for the word that joins the two sides.
func (s *Scope) parseJunction(inner, word string, op Op, last finder) (Predicate, bool) {
	if !strings.Contains(inner, word) {
		return Predicate{}, false // finders are slow
	}
	for at := range s.cuts(inner, word, last) {
		if p, ok := s.parseSides(inner[:at], inner[at+len(word):], op); ok {
			return p, true
		}
	}
	return Predicate{}, false
}

// cuts are the places of word in text, each finder's in turn, from the end.
func (s *Scope) cuts(text, word string, finders ...finder) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, last := range finders {
			for at := last(text, word); at >= 0; at = last(text[:at], word) {
				if !s.burn(text[at:]) || !yield(at) {
					return
				}
			}
		}
	}
}

// lastOutside finds the last word that no bracket encloses, counted from the end of text;
// −1 for none.
func lastOutside(text, word string) int {
	depth := 0
	for at := len(text) - len(word); at >= 0; at-- {
		switch text[at+len(word)-1] {
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 {
				return -1
			}
		}
		if depth == 0 && text[at:at+len(word)] == word {
			return at
		}
	}
	return -1
}

func (s *Scope) parseSides(left, right string, op Op) (Predicate, bool) {
	r, ok := s.parseBoolean(right)
	if !ok {
		return Predicate{}, false
	}
	l, ok := s.parseBoolean(left)
	if !ok {
		return Predicate{}, false
	}
	if l.Op == op && op == And {
		return Predicate{Op: And, Args: append(l.Args, r)}, true
	}
	return Predicate{Op: op, Args: []Predicate{l, r}}, true
}

func balanced(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// operators between an attribute and a literal, with what they become when the literal
// stands on the left.
var operators = []struct {
	text       string
	op, turned Op
}{
	{" <=> ", EqNullSafe, EqNullSafe},
	{" >= ", Ge, Le},
	{" <= ", Le, Ge},
	{" = ", Eq, Eq},
	{" > ", Gt, Lt},
	{" < ", Lt, Gt},
}

// parseOperands reads "a#1 >= 5" or "5 <= a#1".
func (s *Scope) parseOperands(inner string) (Predicate, bool) {
	for _, o := range operators {
		if f, literal, ok := s.leadingOperand(inner, o.text); ok {
			return s.compare(o.op, f, literal), true
		}
	}
	for _, o := range operators {
		literal, attribute, ok := strings.Cut(inner, o.text)
		if f, rest, found := s.leadingOperand(attribute, ""); ok && found && rest == "" {
			return s.compare(o.turned, f, literal), true
		}
	}
	return Predicate{}, false
}

func (s *Scope) compare(op Op, f Field, literal string) Predicate {
	if s.mentionsAttribute(literal) {
		return Predicate{Op: Unknown} // column against column
	}
	if literal == "null" && (op == EqNullSafe || !isText(f.Type)) {
		return comparison(op, f.Name, Value{})
	}
	v, ok := parseLiteral(f.Type, literal, s.Session)
	if !ok {
		return Predicate{Op: Unknown, Column: f.Name}
	}
	return comparison(op, f.Name, v)
}

// parseAttributeTest reads the expressions that begin with a bare attribute.
func (s *Scope) parseAttributeTest(text string) (Predicate, bool) {
	f, rest, ok := s.leadingOperand(text, "")
	if !ok {
		return Predicate{}, false
	}
	list, in := strings.CutPrefix(rest, " IN (")
	list, closed := strings.CutSuffix(list, ")")
	set, inset := strings.CutPrefix(rest, " INSET ")
	switch {
	case rest == "" && (f.Type == "boolean" || f.Type == ""):
		return comparison(Eq, f.Name, BoolValue(true)), true
	case in && closed:
		return s.inList(f, list, ","), true
	case inset && cutOff.MatchString(set):
		return Predicate{Op: Unknown, Column: f.Name, Unread: text}, true
	case inset:
		return s.inList(f, set, ", "), true
	case strings.HasPrefix(rest, " LIKE "), strings.HasPrefix(rest, " RLIKE "), strings.HasPrefix(rest, " ILIKE "):
		return Predicate{Op: Unknown, Column: f.Name}, true
	}
	return Predicate{}, false
}

// mentionsAttribute reports whether text names a column of the scan, alone or inside an
// expression.
func (s *Scope) mentionsAttribute(text string) bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool {
		return f.Attribute != "" && strings.Contains(text, f.Attribute)
	})
}

func (s *Scope) inList(f Field, list, separator string) Predicate {
	values, ok := parseList(f.Type, list, separator, func(typ, text string) (Value, bool) {
		return parseLiteral(typ, text, s.Session)
	})
	if !ok {
		return Predicate{Op: Unknown, Column: f.Name}
	}
	return oneOf(f.Name, values)
}

// beginsCall reports whether text begins with a function's name and a bracket. The name is
// of letters, digits and the marks; it begins with a letter or the first of the marks.
func beginsCall(text, marks string) bool {
	for i := range len(text) {
		c := text[i]
		switch letter := 'a' <= c|0x20 && c|0x20 <= 'z'; {
		case letter || c == marks[0]:
		case c == '(':
			return i > 0
		case i == 0 || !('0' <= c && c <= '9') && strings.IndexByte(marks, c) < 0:
			return false
		}
	}
	return false
}

func (s *Scope) parseCall(text string) (Predicate, bool) {
	if !beginsCall(text, "_.") {
		return Predicate{}, false
	}
	name, inner, ok := call(text)
	if !ok {
		return Predicate{}, false
	}
	switch name {
	case "isnotnull":
		return s.attributeNull(NotNull, inner)
	case "isnull":
		return s.attributeNull(IsNull, inner)
	case "StartsWith":
		if f, prefix, ok := s.leadingAttribute(inner, ", "); ok && !s.isAttribute(prefix) && !isSubquery(prefix) {
			return comparison(Prefix, f.Name, StringValue(prefix)), true
		}
	}
	return s.unknown(text), true
}

func (s *Scope) attributeNull(op Op, inner string) (Predicate, bool) {
	if f, rest, ok := s.leadingOperand(inner, ""); ok && rest == "" {
		return Predicate{Op: op, Column: f.Name}, true
	}
	return s.unknown(inner), balanced(inner)
}

func (s *Scope) isAttribute(text string) bool {
	_, rest, ok := s.leadingAttribute(text, "")
	return ok && rest == ""
}

// Merge joins what two texts say about one scan: some, the filters that were handed to the
// source, and all, the condition above it, which holds every one of them again. What both
// say is taken once, from some; what some could not read and all did is taken from all.
func Merge(some, all []Predicate) []Predicate {
	if len(all) == 0 {
		return some
	}
	var merged, left []Predicate
	for _, p := range some {
		if !p.Undecided() {
			merged = append(merged, p)
		}
	}
	unmatched := shapes(merged)
	for _, p := range all {
		switch shape := p.Shape(); {
		case p.Undecided():
			left = append(left, p)
		case unmatched[shape] > 0:
			unmatched[shape]--
		default:
			merged = append(merged, p)
		}
	}
	return append(merged, unsaid(left, merged, unmatched)...)
}

// Undecided reports whether a part of p could not be read.
func (p Predicate) Undecided() bool {
	return p.Op == Unknown || slices.ContainsFunc(p.Args, Predicate.Undecided)
}

func shapes(all []Predicate) map[string]int {
	count := map[string]int{}
	for _, p := range all {
		count[p.Shape()]++
	}
	return count
}

// unsaid is Unsaid by those filters that no condition was read as.
func unsaid(left, merged []Predicate, unmatched map[string]int) []Predicate {
	var spare []Predicate
	for _, p := range merged {
		if shape := p.Shape(); unmatched[shape] > 0 {
			unmatched[shape]--
			spare = append(spare, p)
		}
	}
	return Unsaid(left, spare)
}

// Unsaid leaves out unread conditions on a column on which the source was handed a filter that
// no condition was read as: they are the same one.
func Unsaid(conditions, filters []Predicate) []Predicate {
	spare := map[table.Column]int{}
	for _, f := range filters {
		spare[f.Column]++
	}
	return slices.DeleteFunc(slices.Clone(conditions), func(p Predicate) bool {
		if spare[p.Column] == 0 || p.Op != Unknown || p.Column == "" {
			return false
		}
		spare[p.Column]--
		return true
	})
}
