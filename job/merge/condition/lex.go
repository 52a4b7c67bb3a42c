package condition

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// token is a piece of a text. Words are kept as they are spelt.
type token struct {
	kind tokenKind
	text string
}

type tokenKind byte

const (
	end tokenKind = iota
	word
	quotedName // in backticks
	text       // in quotes
	number
	sign
)

func (t token) String() string {
	if t.kind == end {
		return "its end"
	}
	return fmt.Sprintf("%q", t.text)
}

// is reports whether the token is a sign or a word in any case.
func (t token) is(what string) bool {
	return t.kind == sign && t.text == what || t.kind == word && strings.EqualFold(t.text, what)
}

// signs, longer ones first.
var signs = []string{"<=>", "<=", ">=", "<>", "!=", "==", "=", "<", ">", "(", ")", ",", ".", "-", "+"}

// lex takes a text apart.
func lex(source string) (tokens []token, err error) {
	for {
		source = strings.TrimLeft(source, " \t\r\n")
		if source == "" {
			return append(tokens, token{}), nil
		}
		t, length, err := next(source)
		if err != nil {
			return nil, err
		}
		tokens, source = append(tokens, t), source[length:]
	}
}

func next(source string) (t token, length int, err error) {
	switch c := source[0]; {
	case c == '\'' || c == '"':
		return quoted(source, text)
	case c == '`':
		return quoted(source, quotedName)
	case isDigit(c) || c == '.' && len(source) > 1 && isDigit(source[1]):
		length = span(source, func(c byte) bool { return isDigit(c) || isWord(c) || c == '.' })
		if strings.ContainsAny(source[:length], "eE") && length < len(source) && (source[length] == '-' || source[length] == '+') {
			length += 1 + span(source[length+1:], isWord)
		}
		return token{number, source[:length]}, length, nil
	case isWord(c):
		length = span(source, isWord)
		return token{word, source[:length]}, length, nil
	}
	for _, s := range signs {
		if strings.HasPrefix(source, s) {
			return token{sign, s}, len(s), nil
		}
	}
	first, _ := utf8.DecodeRuneInString(source)
	return token{}, 0, fmt.Errorf("%q is not known here", first)
}

// quoted reads what stands in quotes. In texts, what engines read by their settings is refused.
func quoted(source string, kind tokenKind) (t token, length int, err error) {
	quote := source[:1]
	inner, _, closed := strings.Cut(source[1:], quote)
	if !closed {
		return token{}, 0, fmt.Errorf("the quote %s is not closed", quote)
	}
	length = len(inner) + 2
	switch {
	case strings.HasPrefix(source[length:], quote):
		return token{}, 0, fmt.Errorf("the quote %s stands twice in a row, which engines read in two ways: put the text into the other kind of quotes", quote)
	case kind == text && strings.Contains(inner, `\`):
		return token{}, 0, fmt.Errorf(`a text with a backslash is read by Spark's settings`)
	case kind == quotedName && inner == "":
		return token{}, 0, fmt.Errorf("a name is empty")
	}
	return token{kind, inner}, length, nil
}

func span(source string, in func(byte) bool) (length int) {
	for length < len(source) && in(source[length]) {
		length++
	}
	return length
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
