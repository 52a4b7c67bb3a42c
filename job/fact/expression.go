package fact

import (
	"strconv"
	"strings"
)

// originOf says where the value of a Catalyst expression comes from: a bare attribute from
// its column, an expression over one column from that column (and it is marked), COALESCE
// of attributes from any of theirs. Everything else comes from no one column.
func (s *scope) originOf(expression string) origin {
	expression = unwrap(expression)
	if a, ok := parseAttribute(expression); ok {
		n, known := s.attribute(a)
		if known || n.origin.gap && isPlain(a) {
			return n.origin
		}
	}
	mentions, ok := s.mentions(expression)
	if !ok || len(mentions) == 0 {
		return origin{}
	}
	plain := withoutIDs(expression, mentions)
	if alternatives, ok := s.coalesced(expression); ok {
		alternatives.expression = plain
		return alternatives
	}
	joined := origin{}
	for _, m := range mentions {
		joined = joined.same(m.origin)
	}
	if len(joined.refs) != 1 {
		return origin{expression: plain, gap: joined.gap}
	}
	return origin{refs: joined.refs, expression: plain, gap: joined.gap}
}

// isPlain reports whether an attribute is one beyond doubt, and no expression that ends in
// one.
func isPlain(a attribute) bool { return !strings.ContainsAny(a.name, " ()#") }

// wrappers change how a value is compared, not which one it is.
var wrappers = []string{"knownfloatingpointnormalized(", "normalizenanandzero(", "knownnotnull("}

func unwrap(expression string) string {
	for {
		before := expression
		for _, w := range wrappers {
			if inner, ok := strings.CutPrefix(expression, w); ok && strings.HasSuffix(inner, ")") {
				expression = inner[:len(inner)-1]
			}
		}
		if expression == before {
			return expression
		}
	}
}

// coalesced reads "coalesce(a#1, b#2)" of two attributes or more.
func (s *scope) coalesced(expression string) (origin, bool) {
	inner, ok := strings.CutPrefix(expression, "coalesce(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return origin{}, false
	}
	joined, attributes := origin{}, 0
	for _, item := range cutList(inner[:len(inner)-1], true) {
		a, ok := parseAttribute(item)
		n, known := s.lookup(a.id)
		if !ok || !known || n.name != a.name {
			return origin{}, false
		}
		joined = joined.same(n.origin)
		attributes++
	}
	return joined, attributes > 1
}

// mention is one place where an expression names an attribute.
type mention struct {
	named
	at, end int // of "#12L"
}

// idMark finds the first "#12" or "#12L" of text, as ids stand inside an expression; a
// literal may look the same. at is −1 where there is none.
func idMark(text string) (id string, at, end int) {
	for at = 0; ; at = end {
		mark := strings.IndexByte(text[at:], '#')
		if mark < 0 {
			return "", -1, -1
		}
		at += mark
		end = at + 1
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if id = text[at+1 : end]; id != "" {
			if end < len(text) && text[end] == 'L' {
				end++
			}
			return id, at, end
		}
	}
}

// mentions finds the attributes that an expression names. ok is false where it names the
// result of an aggregate function, which is nobody's column.
func (s *scope) mentions(expression string) (found []mention, ok bool) {
	for from := 0; ; {
		digits, at, end := idMark(expression[from:])
		if at < 0 {
			return found, true
		}
		at, end, from = from+at, from+end, from+end
		id, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			continue
		}
		n, known := s.lookup(id)
		switch {
		case known && strings.HasSuffix(expression[:at], n.name):
			found = append(found, mention{named: n, at: at, end: end})
		case strings.HasSuffix(expression[:at], ")"):
			return nil, false
		}
	}
}

// withoutIDs spells an expression as a person would.
func withoutIDs(expression string, mentions []mention) string {
	var b strings.Builder
	from := 0
	for _, m := range mentions {
		b.WriteString(expression[from:m.at])
		from = m.end
	}
	b.WriteString(expression[from:])
	return b.String()
}

// firstList gives the first bracketed list of an argument line.
func firstList(text string) string {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// expandLists takes an Expand's arguments apart: the rows, item by item, and the output
// list as text.
func expandLists(text string) (rows [][]string, output string) {
	all := firstList(text)
	_, output, _ = strings.Cut(text[len(all):], ", ")
	body := strings.TrimSuffix(strings.TrimPrefix(all, "["), "]")
	for body != "" {
		row := firstList(body)
		items, _ := splitKeys(field{text: row, count: -1})
		rows = append(rows, items)
		body = strings.TrimPrefix(body[len(row):], ", ")
	}
	return rows, output
}
