package layout

import (
	"slices"
	"strings"
	"time"

	"ajlo/job/table"
)

// Period is a part of a table by time: its rows whose column lies from From up to, but without,
// To, both in UTC.
type Period struct {
	Column table.Column `json:"column"`
	Type   string       `json:"type"` // of the column: date, timestamp or timestamp_ntz
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"`
}

// String says the period to people: "started from 2026-11-28 to 2026-11-30".
func (p Period) String() string {
	return string(p.Column) + " from " + shortTime(p.From) + " to " + shortTime(p.To)
}

func shortTime(t time.Time) string {
	if t.Equal(t.Truncate(hoursPerDay * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

const hoursPerDay = 24

// Meets reports whether two periods have a moment in common.
func (p Period) Meets(o Period) bool { return o.From.Before(p.To) && p.From.Before(o.To) }

// Joined puts periods of one column in order and makes one of those that touch.
func Joined(list []Period) []Period {
	var joined []Period
	for _, p := range slices.SortedFunc(slices.Values(list), func(a, b Period) int { return a.From.Compare(b.From) }) {
		if last := len(joined) - 1; last >= 0 && !joined[last].To.Before(p.From) {
			if p.To.After(joined[last].To) {
				joined[last].To = p.To
			}
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// ScopeOf is what a layout for some periods of a table holds for; WholeTable where there are none.
func ScopeOf(periods []Period) string {
	if len(periods) == 0 {
		return WholeTable
	}
	texts := make([]string, len(periods))
	for i, p := range periods {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}
