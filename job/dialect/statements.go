package dialect

import "strings"

// Statements takes a text of this package's apart: statements that end in ";", which backticks
// and literals may hold too. Lines that are comments are left out.
func Statements(text string) []string {
	var list []string
	begin := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`' || c == '\'':
			i = afterQuote(text, i, c)
		case strings.HasPrefix(text[i:], "--"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}
			text = text[:i] + text[i+end:]
			i--
		case c == ';':
			list = append(list, strings.TrimSpace(text[begin:i]))
			begin = i + 1
		}
	}
	if rest := strings.TrimSpace(text[begin:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// afterQuote is the place of the quote that ends what begins at i. Within backticks two stand for
// one, which begins the next at once; within a literal a backslash takes the next character along.
func afterQuote(text string, i int, quote byte) int {
	for i++; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' && quote == '\'' {
			i++
		}
	}
	return i
}
