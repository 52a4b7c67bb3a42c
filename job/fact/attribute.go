package fact

import (
	"slices"
	"strconv"
	"strings"
)

// attribute is a column of a plan: a name, which may hold anything, and an id.
type attribute struct {
	name string
	id   int64
	long bool // marked L: its type is bigint
}

// attributeEnd finds the "#12" or "#12L" that every attribute ends in: the place of the mark
// and that behind the last digit.
func attributeEnd(text string) (mark, digits int, ok bool) {
	digits = len(strings.TrimSuffix(text, "L"))
	for mark = digits - 1; mark >= 0 && isDigit(text[mark]); {
		mark--
	}
	return mark, digits, mark >= 0 && text[mark] == '#' && digits-mark > 1
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseAttribute reads text as one bare attribute, "p, q#9L#11L".
func parseAttribute(text string) (attribute, bool) {
	mark, digits, ok := attributeEnd(text)
	if !ok {
		return attribute{}, false
	}
	id, err := strconv.ParseInt(text[mark+1:digits], 10, 64)
	if err != nil {
		return attribute{}, false
	}
	return attribute{name: text[:mark], id: id, long: digits < len(text)}, true
}

func (a attribute) text() string {
	text := a.name + "#" + strconv.FormatInt(a.id, 10)
	if a.long {
		text += "L"
	}
	return text
}

// splitItems takes a list like "[a#1, max(b#2)#3 AS c#4L]" apart. It cuts at ", " outside
// brackets and, where the items are attributes, only after an id; should that not give the
// number of items that the plan announces, every ", " after an id is a cut.
func splitItems(f field) []string {
	body := strings.TrimSuffix(strings.TrimPrefix(f.text, "["), "]")
	if body == "" {
		return nil
	}
	items := cutList(body, true)
	if f.count >= 0 && len(items) != f.count {
		if loose := cutList(body, false); len(loose) == f.count {
			return loose
		}
	}
	return items
}

// cutList cuts after ids; outside asks that no bracket be open.
func cutList(body string, outside bool) []string {
	var items []string
	from, depth := 0, 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if strings.HasPrefix(body[i:], ", ") && endsInID(body[from:i]) && (!outside || depth == 0) {
				items = append(items, body[from:i])
				from, depth = i+2, 0
			}
		}
	}
	return append(items, body[from:])
}

func endsInID(text string) bool {
	_, _, ok := attributeEnd(text)
	return ok
}

// splitKeys takes a list of expressions apart. Where all of them are attributes their ids
// tell; else brackets do, and the plan's count says whether to believe them.
func splitKeys(f field) (keys []string, ok bool) {
	if items := splitItems(f); len(items) == f.count && allAttributes(items) {
		return items, true
	}
	return splitExpressions(f)
}

// splitExpressions cuts a list where brackets say.
func splitExpressions(f field) (keys []string, ok bool) {
	body := strings.TrimSuffix(strings.TrimPrefix(f.text, "["), "]")
	if body == "" {
		return nil, f.count <= 0
	}
	keys = cutOutside(body)
	return keys, f.count < 0 || len(keys) == f.count
}

func allAttributes(items []string) bool {
	return !slices.ContainsFunc(items, func(item string) bool {
		_, ok := parseAttribute(item)
		return !ok
	})
}

// cutOutside cuts at every ", " outside brackets.
func cutOutside(body string) (items []string) {
	from, depth := 0, 0
	for i := range len(body) {
		switch body[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 && strings.HasPrefix(body[i:], ", ") {
				items = append(items, body[from:i])
				from = i + 2
			}
		}
	}
	return append(items, body[from:])
}

// attributesOf reads a list of bare attributes. ok is false where an item is none, or
// where they are fewer or more than the plan says.
func attributesOf(f field) (all []attribute, ok bool) {
	for _, item := range splitItems(f) {
		a, ok := parseAttribute(item)
		if !ok {
			return nil, false
		}
		all = append(all, a)
	}
	return all, f.count < 0 || len(all) == f.count
}

// lastAlias finds the " AS " that names an expression, −1 for a bare attribute.
func lastAlias(item string) int {
	depth := 0
	for at := len(item) - len(" AS "); at > 0; at-- {
		switch item[at+3] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			depth--
		}
		if depth == 0 && item[at:at+4] == " AS " {
			return at
		}
	}
	return -1
}
