package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule is a cron expression in a zone.
type Schedule struct {
	spec cron.Schedule
	zone *time.Location
}

// Firing is one time that a night is due.
type Firing struct {
	At time.Time
	// End is that of the night's window: At, kept inside the UTC day that has the date At has in
	// the schedule's zone, so that each date is one night whatever the zone does.
	End time.Time
}

// Night is the run key, "2026-11-30".
func (f Firing) Night() string { return f.End.Format(time.DateOnly) }

// Parse reads five fields, minute to day of the week, or @daily, @weekly and the like.
func Parse(expression string, zone *time.Location) (Schedule, error) {
	wrong := func(why string) (Schedule, error) {
		return Schedule{}, fmt.Errorf("cron expression %q: %s: want minute, hour, day, month and day of the week, such as %q", expression, why, "30 2 * * *")
	}
	switch {
	case strings.Contains(expression, "TZ="):
		return wrong("it names a zone, which is told apart from it")
	case strings.HasPrefix(expression, "@every"):
		return wrong("it names no time of the day")
	}
	spec, err := cron.ParseStandard(expression)
	if err != nil {
		return wrong(err.Error())
	}
	s := Schedule{spec, zone}
	if spec.Next(time.Unix(0, 0).UTC()).IsZero() {
		return wrong("no day is like that")
	}
	return s, nil
}

// reach is more than any zone's clock was ever set at once.
const reach = 25 * time.Hour

// Next is the first firing after a time. Times of the wall clock come in another order than
// their moments where the clock is set, so all in reach are looked at.
func (s Schedule) Next(after time.Time) Firing {
	var first time.Time
	for wall := s.spec.Next(s.wall(after).Add(-reach)); first.IsZero() || wall.Before(s.wall(first).Add(reach)); wall = s.spec.Next(wall) {
		if at := s.moment(wall); at.After(after) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return s.firing(first)
}

// spans are how far Latest looks back, the shortest first: a schedule of every minute is not
// asked for all the minutes of years.
var spans = []time.Duration{time.Hour, 24 * time.Hour, 32 * 24 * time.Hour, 366 * 24 * time.Hour, 9 * 366 * 24 * time.Hour}

// Latest is the last firing up to a time; ok is false where there was none for years.
func (s Schedule) Latest(until time.Time) (f Firing, ok bool) {
	for _, span := range spans {
		for next := s.Next(until.Add(-span)); !next.At.After(until); next = s.Next(next.At) {
			f, ok = next, true
		}
		if ok {
			return f, true
		}
	}
	return Firing{}, false
}

func (s Schedule) firing(at time.Time) Firing {
	date := at.In(s.zone)
	day := time.Date(date.Year(), date.Month(), date.Day(), 0, 0, 0, 0, time.UTC)
	end := at.UTC()
	if end.Before(day) {
		end = day
	}
	if last := day.Add(24*time.Hour - time.Microsecond); end.After(last) {
		end = last
	}
	return Firing{At: at, End: end}
}

// wall is what clocks of the zone show, as a time in UTC.
func (s Schedule) wall(at time.Time) time.Time {
	t := at.In(s.zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// moment is the first time at which clocks of the zone show what wall is; where they never do,
// it is late by what was left out.
func (s Schedule) moment(wall time.Time) time.Time {
	before, after := s.offset(wall.Add(-reach)), s.offset(wall.Add(reach))
	early, late := wall.Add(-max(before, after)), wall.Add(-min(before, after))
	switch {
	case s.wall(early).Equal(wall):
		return early.In(s.zone)
	case s.wall(late).Equal(wall):
		return late.In(s.zone)
	}
	return wall.Add(-before).In(s.zone)
}

// offset is how far the zone is ahead of UTC.
func (s Schedule) offset(at time.Time) time.Duration {
	_, seconds := at.In(s.zone).Zone()
	return time.Duration(seconds) * time.Second
}
