package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ajlo/job/fact"
	"ajlo/job/unit"
)

// Class is what one class of queries reads of one table in a window, all its executions
// together, as the table is and by the chosen layout.
type Class struct {
	Fingerprint string `json:"fingerprint"`
	// Query is what people know it by: how an execution is described in the log (of several
	// descriptions the first by the alphabet), its statement's text where that has none; cut
	// short, and empty where there is neither.
	Query      string     `json:"query,omitempty"`
	Executions int64      `json:"executions"`
	Now        unit.Bytes `json:"scanned_bytes_now"`
	Then       unit.Bytes `json:"scanned_bytes_then"`
	// Best is what it would read under the layout that is best for it alone, which is that of
	// Candidates[BestCandidate].
	Best          unit.Bytes `json:"scanned_bytes_best"`
	BestCandidate int        `json:"best_candidate"`
	// Protected classes may not be made to read notably more.
	Protected bool `json:"protected"`
}

// String is what people know the class by, and its fingerprint.
func (c Class) String() string {
	if c.Query == "" {
		return c.Fingerprint
	}
	return fmt.Sprintf("%q (%s)", c.Query, c.Fingerprint)
}

// queryRunes is how much of a query's description a plan holds: enough to know it by in a sentence.
const queryRunes = 40

// known is what people know a query by, in one line.
func known(q fact.Query) string {
	words := strings.FieldsFunc(cmp.Or(q.Query, q.SQL), func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
	text := []rune(strings.Join(words, " "))
	if len(text) <= queryRunes {
		return string(text)
	}
	return strings.TrimSpace(string(text[:queryRunes-1])) + "…"
}

// first is the first of two descriptions by the alphabet, so that a plan does not hang on the order of
// its queries.
func first(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return min(a, b)
}

// namedLosers is how many losing classes a reason names; explain lists them all.
const namedLosers = 3

// Losers are the classes that read more, those that lose most first; empty, not nil, where none does.
func Losers(classes []Class) []Class {
	losers := []Class{}
	for _, c := range classes {
		if c.Then > c.Now {
			losers = append(losers, c)
		}
	}
	slices.SortStableFunc(losers, func(a, b Class) int { return cmp.Compare(b.Then-b.Now, a.Then-a.Now) })
	return losers
}

// losses says which classes read more and by how much; empty where none does.
func losses(classes []Class) string {
	losers := Losers(classes)
	var lost unit.Bytes
	for _, c := range losers {
		lost += c.Then - c.Now
	}
	var names []string
	for _, c := range losers[:min(namedLosers, len(losers))] {
		names = append(names, c.String())
	}
	named := strings.Join(names, ", ")
	switch n := len(losers); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("one query class reads %s more: %s", lost, named)
	case n <= namedLosers:
		return fmt.Sprintf("%d query classes read %s more: %s", n, lost, named)
	default:
		return fmt.Sprintf("%d query classes read %s more, most of all %s", n, lost, named)
	}
}
