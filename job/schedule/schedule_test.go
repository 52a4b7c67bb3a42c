package schedule_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/schedule"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func parsed(t testing.TB, expression string, in *time.Location) schedule.Schedule {
	t.Helper()
	s, err := schedule.Parse(expression, in)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is due on days on which clocks are set: night, moment and window's end, as RFC 3339.
func TestDaysOnWhichClocksAreSet(t *testing.T) {
	for _, tt := range []struct {
		name, cron, zone, after string
		want                    []string
	}{
		{"UTC knows no such days", "30 2 * * *", "UTC", "2026-03-28T12:00:00Z", []string{
			"2026-03-29 at 2026-03-29T02:30:00Z to 2026-03-29T02:30:00Z", "2026-03-30 at 2026-03-30T02:30:00Z to 2026-03-30T02:30:00Z"}},
		{"an hour that is left out", "30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", []string{
			"2026-03-28 at 2026-03-28T01:30:00Z to 2026-03-28T01:30:00Z",
			"2026-03-29 at 2026-03-29T01:30:00Z to 2026-03-29T01:30:00Z", // 03:30 on the wall
			"2026-03-30 at 2026-03-30T00:30:00Z to 2026-03-30T00:30:00Z"}},
		{"an hour that comes twice", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", []string{
			"2026-10-25 at 2026-10-25T00:30:00Z to 2026-10-25T00:30:00Z", "2026-10-26 at 2026-10-26T01:30:00Z to 2026-10-26T01:30:00Z"}},
		{"two firings on one date of UTC are two nights", "30 1 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", []string{
			"2026-03-29 at 2026-03-29T00:30:00Z to 2026-03-29T00:30:00Z", "2026-03-30 at 2026-03-29T23:30:00Z to 2026-03-30T00:00:00Z"}},
		{"half an hour in Lord Howe", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", []string{
			"2026-10-04 at 2026-10-03T15:45:00Z to 2026-10-04T00:00:00Z", "2026-10-05 at 2026-10-04T15:15:00Z to 2026-10-05T00:00:00Z"}},
		{"midnight that is left out in Beirut", "0 0 * * *", "Asia/Beirut", "2026-03-28T12:00:00Z", []string{
			"2026-03-29 at 2026-03-28T22:00:00Z to 2026-03-29T00:00:00Z", "2026-03-30 at 2026-03-29T21:00:00Z to 2026-03-30T00:00:00Z"}},
		{"a day that Samoa left out", "30 2 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", []string{
			"2011-12-29 at 2011-12-29T12:30:00Z to 2011-12-29T12:30:00Z", "2011-12-31 at 2011-12-30T12:30:00Z to 2011-12-31T00:00:00Z"}},
		{"west of Greenwich", "0 22 * * *", "America/New_York", "2026-11-01T12:00:00Z", []string{
			"2026-11-01 at 2026-11-02T03:00:00Z to 2026-11-01T23:59:59.999999Z", "2026-11-02 at 2026-11-03T03:00:00Z to 2026-11-02T23:59:59.999999Z"}},
		{"every half hour, in the order of moments", "*/30 1-3 * * *", "Europe/Berlin", "2026-03-29T00:15:00Z", []string{
			"2026-03-29 at 2026-03-29T00:30:00Z to 2026-03-29T00:30:00Z", "2026-03-29 at 2026-03-29T01:00:00Z to 2026-03-29T01:00:00Z",
			"2026-03-29 at 2026-03-29T01:30:00Z to 2026-03-29T01:30:00Z", "2026-03-30 at 2026-03-29T23:00:00Z to 2026-03-30T00:00:00Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, tt.cron, zone(t, tt.zone))
			at, err := time.Parse(time.RFC3339, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for range tt.want {
				f := s.Next(at)
				got = append(got, f.Night()+" at "+f.At.UTC().Format(time.RFC3339Nano)+" to "+f.End.Format(time.RFC3339Nano))
				if l, ok := s.Latest(f.At); !ok || !l.At.Equal(f.At) {
					t.Errorf("the latest up to %v is %v", f.At, l.At)
				}
				if l, ok := s.Latest(f.At.Add(-time.Microsecond)); !ok || l.At.After(at) && len(got) == 1 || !l.At.Before(f.At) {
					t.Errorf("the latest before %v is %v", f.At, l.At)
				}
				at = f.At
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, cron, want string }{
		{"nothing", "", "empty spec string"},
		{"seconds", "0 30 2 * * *", "expected exactly 5 fields"},
		{"a minute too many", "60 2 * * *", "above maximum"},
		{"words", "at night", "expected exactly 5 fields"},
		{"a zone of its own", "CRON_TZ=Asia/Tokyo 30 2 * * *", "told apart"},
		{"no time of the day", "@every 24h", "no time of the day"},
		{"no day", "0 0 31 2 *", "no day is like that"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := schedule.Parse(tt.cron, time.UTC)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"30 2 * * *"`) {
				t.Errorf("got %v, want %q and an example", err, tt.want)
			}
		})
	}
	if f := parsed(t, "@daily", time.UTC).Next(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)); f.Night() != "2026-11-30" {
		t.Errorf("@daily is next due in the night %s", f.Night())
	}
}
