package eventlog

import (
	"regexp"
	"strconv"
	"time"
)

// leapAfter is how many keys in a row have to be too old before the rest of them is passed
// over: a page of a listing, so that leaping never costs more than twice what listing would.
const leapAfter = 1000

// leap gives the key behind which the listing goes on, where names tell that what lies between
// began too early to be wanted.
func (l *listing) leap(key string) (after string, ok bool) {
	if l.starts.IsZero() {
		return "", false
	}
	kind, start, ok := startOf(key)
	if !ok || !start.Before(l.starts) {
		l.old = 0
		return "", false
	}
	if kind.prefix != l.oldKind {
		l.old, l.oldKind = 0, kind.prefix
	}
	if l.old++; l.old < leapAfter {
		return "", false
	}
	l.old = 0
	after = kind.before(l.starts)
	return after, after > key
}

// startKind is a way of names to tell when an application began, below one folder: names that
// begin so sort as their starts do.
type startKind struct {
	prefix string
	form   func(time.Time) string
}

// before is a key up to which all of the kind began before a time.
func (k startKind) before(t time.Time) string { return k.prefix + k.form(t.Add(-time.Millisecond)) }

// startNames are the names that begin with the application's start: local-<milliseconds>,
// a standalone cluster's app-<time in its own zone>-<number>, and folders of a date. YARN's ids
// tell the start of their cluster and Kubernetes' none; those are always listed.
var startNames = []struct {
	name *regexp.Regexp // prefix, time
	read func(string) (time.Time, error)
	form func(time.Time) string
}{
	{regexp.MustCompile(`^((?:.*/)?(?:eventlog_v2_)?local-)(\d{13})(?:\D|$)`), readMillis, writeMillis},
	{regexp.MustCompile(`^((?:.*/)?(?:eventlog_v2_)?app-)(\d{14})-\d`), readAs("20060102150405"), writeAs("20060102150405")},
	{regexp.MustCompile(`^((?:.*?/)??(?:[A-Za-z_]+=)?)(\d{4}-\d{2}-\d{2})/`), readAs(time.DateOnly), writeAs(time.DateOnly)},
	{regexp.MustCompile(`^((?:.*?/)??)(\d{4}/\d{2}/\d{2})/`), readAs("2006/01/02"), writeAs("2006/01/02")},
}

// startOf reads when the application of a key began. A name inside a folder of a date is told
// by the folder.
func startOf(key string) (kind startKind, start time.Time, ok bool) {
	for i := len(startNames) - 1; i >= 0; i-- {
		n := startNames[i]
		m := n.name.FindStringSubmatch(key)
		if m == nil {
			continue
		}
		if start, err := n.read(m[2]); err == nil {
			return startKind{m[1], n.form}, start, true
		}
	}
	return startKind{}, time.Time{}, false
}

func readMillis(text string) (time.Time, error) {
	ms, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMilli(ms), err
}

func writeMillis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

func readAs(form string) func(string) (time.Time, error) {
	return func(text string) (time.Time, error) { return time.Parse(form, text) }
}

func writeAs(form string) func(time.Time) string {
	return func(t time.Time) string { return t.UTC().Format(form) }
}
