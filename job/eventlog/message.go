package eventlog

import (
	"regexp"
	"strings"
)

// What Connect was asked for is logged as a protobuf message in text form. That of a statement
// has one of these fields in its outermost level, and the statement in the first text below it;
// a DataFrame may have statements further inside, which are only a part of what it asks for.
var (
	statementMessage = regexp.MustCompile(`(?m)^(?:sql|sql_command|with_relations) \{`)
	statementText    = regexp.MustCompile(`(?m)^ *(?:query|sql): "`)
)

// sqlOfMessage is the statement in a message, empty where it is of another kind. Spark 4.0 leaves
// 1,630 characters whole (run); messages are made to cut a text that is too long and to say so at
// its end, which is kept.
func sqlOfMessage(message string) string {
	at := statementMessage.FindStringIndex(message)
	if at == nil {
		return ""
	}
	message = message[at[1]:]
	if at = statementText.FindStringIndex(message); at == nil {
		return ""
	}
	return unescaped(message[at[1]:])
}

// escapes of one letter, as protobuf's text form has them.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v'}

// unescaped reads a quoted text up to the quote that ends it, or to where it is cut off. Bytes
// that are no ASCII are written in octal.
func unescaped(quoted string) string {
	var text strings.Builder
	for i := 0; i < len(quoted) && quoted[i] != '"'; i++ {
		if quoted[i] != '\\' {
			text.WriteByte(quoted[i])
			continue
		}
		if i++; i == len(quoted) {
			break
		}
		if octal, n := leadingOctal(quoted[i:]); n > 0 {
			text.WriteByte(octal)
			i += n - 1
		} else if letter, ok := escapes[quoted[i]]; ok {
			text.WriteByte(letter)
		} else {
			text.WriteByte(quoted[i])
		}
	}
	return strings.ToValidUTF8(text.String(), "")
}

// leadingOctal reads up to three octal digits and gives how many there are.
func leadingOctal(text string) (value byte, n int) {
	for n < min(3, len(text)) && '0' <= text[n] && text[n] <= '7' {
		value = 8*value + text[n] - '0'
		n++
	}
	return value, n
}
