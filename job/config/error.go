package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// Error is a fault in the configuration file, shown where it stands. The command line ends
// with exit code 2 for it.
type Error struct {
	File    string // as it was given to Load; empty where only bytes were parsed
	Line    int    // 1 for the first
	Column  int    // 1 for the first character
	Message string
	Next    string // what to do about it
	excerpt string
	at      *token.Token
}

// Error gives "FILE:LINE:COLUMN: MESSAGE", the lines around the fault with a caret under it,
// and the next step.
func (e *Error) Error() string {
	var b strings.Builder
	name := e.File
	if name == "" {
		name = "config"
	}
	fmt.Fprintf(&b, "%s:%d:%d: %s\n%s", name, e.Line, e.Column, e.Message, e.excerpt)
	if e.Next != "" {
		fmt.Fprintf(&b, "next: %s", e.Next)
	}
	return strings.TrimRight(b.String(), "\n")
}

// place fills in where the fault is and what the file says there.
func (e *Error) place(file string, data []byte) {
	e.File, e.Line, e.Column = file, 1, 1
	if e.at != nil && e.at.Position != nil {
		e.Line, e.Column = max(e.at.Position.Line, 1), max(e.at.Position.Column, 1)
	}
	e.excerpt = excerpt(strings.Split(string(data), "\n"), e.Line, e.Column)
}

// around is how many lines are shown before the faulty one, for orientation.
const around = 2

func excerpt(lines []string, line, column int) string {
	if line > len(lines) {
		return ""
	}
	var b strings.Builder
	for n := max(1, line-around); n <= line; n++ {
		fmt.Fprintf(&b, "%5d | %s\n", n, masked(strings.TrimRight(lines[n-1], "\r")))
	}
	fmt.Fprintf(&b, "      | %s^\n", blank(lines[line-1], column-1))
	return b.String()
}

// blank is as wide as the first n characters of the line; tabs stay, so that the caret
// stands under its character on any terminal.
func blank(line string, n int) string {
	var b strings.Builder
	for _, r := range line {
		if n--; n < 0 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
