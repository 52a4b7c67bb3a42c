package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ajlo/job/table"
)

// Quiet are hours of the day in which no rewrite of some tables begins. They are read on the wall
// clock of a zone, so that they stay where they are when clocks are set.
type Quiet struct {
	// Tables are the tables they hold for; all where there is none.
	Tables []Pattern `json:"tables"`
	// From and To are minutes of the day, To up to 1440. Where To is not above From they reach into
	// the next day.
	From int `json:"from"`
	To   int `json:"to"`
	// Days are the days of the week that they begin on.
	Days []time.Weekday `json:"days"`
	Zone string         `json:"zone"`
}

const minutesOfDay = 24 * 60

// QuietUntil says until when no rewrite of the table may begin, the zero time where it is always
// quiet; ok is false where one may begin at once.
func (c Config) QuietUntil(name table.Name, location table.Location, at time.Time) (until time.Time, ok bool) {
	// The end of one may lie within another: a week of minutes is the most there is to look at,
	// a day more where clocks are set.
	const most = 8 * minutesOfDay
	quiet := c.clocks(name, location)
	for until = at; slices.ContainsFunc(quiet, func(c clock) bool { return c.inside(until) }); until = until.Truncate(time.Minute).Add(time.Minute) {
		if until.Sub(at) > most*time.Minute {
			return time.Time{}, true
		}
	}
	return until.UTC(), !until.Equal(at)
}

// clock is quiet hours with the zone they are read in.
type clock struct {
	Quiet
	zone *time.Location
}

// clocks are the quiet hours of a table.
func (c Config) clocks(name table.Name, location table.Location) (list []clock) {
	for _, q := range c.Quiet {
		if !q.holds(name, location) {
			continue
		}
		zone, err := time.LoadLocation(q.Zone)
		if err != nil {
			panic(fmt.Sprintf("config: zone of quiet hours: %v", err)) // it was loaded when the config was read
		}
		list = append(list, clock{q, zone})
	}
	return list
}

func (q Quiet) holds(name table.Name, location table.Location) bool {
	return len(q.Tables) == 0 || slices.ContainsFunc(q.Tables, func(p Pattern) bool { return p.matches(name, location) })
}

// inside reads the wall clock: an hour that a zone has twice is inside twice, and one that it
// leaves out is inside never.
func (q clock) inside(at time.Time) bool {
	local := at.In(q.zone)
	minute := local.Hour()*60 + local.Minute()
	today := slices.Contains(q.Days, local.Weekday())
	if q.From < q.To {
		return today && q.From <= minute && minute < q.To
	}
	yesterday := slices.Contains(q.Days, (local.Weekday()+6)%7)
	return today && minute >= q.From || yesterday && minute < q.To
}

func (r *reader) quiet(written []quiet) []Quiet {
	list := []Quiet{}
	for i, w := range written {
		at := fmt.Sprintf("$.quiet[%d]", i)
		r.require(w.From, at, "quiet hours without `from`", "give the time of day they begin at, such as 06:00")
		r.require(w.To, at, "quiet hours without `to`", "give the time of day they end at, such as 22:00")
		q := Quiet{Tables: r.write(w.Tables), From: read(r, w.From, timeOfDay), To: read(r, w.To, timeOfDay), Days: r.days(w.Days)}
		if q.Zone = "UTC"; w.Zone.given {
			q.Zone = read(r, w.Zone, zone)
		}
		if r.fault == nil && q.From == q.To {
			r.fault = &Error{Message: fmt.Sprintf("quiet hours from %s to %s: they are none", w.From.value, w.To.value), at: w.To.at, Next: "for a whole day write from 00:00 to 24:00"}
		}
		list = append(list, q)
	}
	return list
}

// timeOfDay reads a minute of the day, 00:00 to 24:00.
func timeOfDay(text string) (int, error) {
	if text == "24:00" {
		return minutesOfDay, nil
	}
	t, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fmt.Errorf("time of day %q: want one from 00:00 to 24:00, such as 06:30", text)
	}
	return t.Hour()*60 + t.Minute(), nil
}

func zone(text string) (string, error) {
	_, err := time.LoadLocation(text)
	if err == nil && (text == "" || text == "Local") { // of the machine, whatever that is
		err = errors.New("it is no zone")
	}
	if err != nil {
		return "", fmt.Errorf("zone %q: want a name such as Europe/Berlin", text)
	}
	return text, nil
}

// shortDay is how many letters of a day's name tell it from the others.
const shortDay = 3

// days reads days of the week; every day where there is none.
func (r *reader) days(written []text) []time.Weekday {
	days := []time.Weekday{}
	for _, t := range written {
		days = append(days, read(r, t, weekday))
	}
	if len(written) == 0 {
		for d := time.Sunday; d <= time.Saturday; d++ {
			days = append(days, d)
		}
	}
	slices.Sort(days)
	return days
}

func weekday(text string) (time.Weekday, error) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(text, d.String()) || strings.EqualFold(text, d.String()[:shortDay]) {
			return d, nil
		}
	}
	return 0, fmt.Errorf("day %q: want one such as mon or monday", text)
}
