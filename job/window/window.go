// Package window holds the span of time whose workload one run looks at: half-open, in UTC,
// to the microsecond. In go an end and a length, out comes the span and the night it is of.
package window

import "time"

// Days is the length of the default window, as the AJLO paper sets it.
const Days = 7

// Window is the half-open span [Start, End) in UTC.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Ending gives the window of the given length that ends at end; microseconds are the
// finest unit that is kept (rule 11).
func Ending(end time.Time, length time.Duration) Window {
	end = end.UTC().Truncate(time.Microsecond)
	return Window{Start: end.Add(-length), End: end}
}

// Contains reports whether t lies in the window.
func (w Window) Contains(t time.Time) bool { return !t.Before(w.Start) && t.Before(w.End) }

// Night is the run key: the UTC date of the window's end, "2026-11-29".
func (w Window) Night() string { return w.End.UTC().Format(time.DateOnly) }
