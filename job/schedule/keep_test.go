package schedule_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/schedule"
)

// installation is a machine with a clock, and a state that remembers what was run.
type installation struct {
	now    time.Time     // in truth
	wrong  time.Duration // by how much the clock is ahead
	took   time.Duration // by a night
	until  time.Time     // when the process is stopped
	nights []string      // in the order they were done
	runs   int           // those that found their night done included
	stop   context.CancelFunc
	// set changes the clock at times of truth.
	set []setting
}

type setting struct {
	at    time.Time
	wrong time.Duration
}

var errStopped = errors.New("the process was stopped")

func (i *installation) clock() time.Time { return i.now.Add(i.wrong) }

func (i *installation) pass(d time.Duration) {
	i.now = i.now.Add(d)
	for len(i.set) > 0 && !i.set[0].at.After(i.now) {
		i.wrong = i.set[0].wrong
		i.set = i.set[1:]
	}
	if !i.now.Before(i.until) {
		i.stop()
	}
}

func (i *installation) done(night string) bool { return slices.Contains(i.nights, night) }

// up keeps the schedule until a time, as one process.
func (i *installation) up(s schedule.Schedule, until time.Time) {
	ctx, cancel := context.WithCancel(context.Background())
	i.until, i.stop = until, cancel
	defer cancel()
	_ = schedule.Keeper{
		Schedule: s, Clock: i.clock,
		Wait: func(ctx context.Context, d time.Duration) error {
			i.pass(d)
			return ctx.Err()
		},
		Missed: func(_ context.Context, f schedule.Firing) (bool, error) {
			return len(i.nights) > 0 && !i.done(f.Night()), nil
		},
		Run: func(_ context.Context, f schedule.Firing) {
			i.runs++
			if !i.done(f.Night()) {
				i.nights = append(i.nights, f.Night())
				i.pass(i.took)
			}
		},
	}.Keep(ctx)
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestKeep(t *testing.T) {
	type up struct{ from, until string }
	for _, tt := range []struct {
		name string
		cron string
		took time.Duration
		set  map[string]time.Duration // by how much the clock is wrong from when on
		ups  []up
		want []string
		runs int
	}{
		{"night after night", "30 2 * * *", time.Hour, nil, []up{{"2026-11-27 12:00", "2026-11-30 12:00"}},
			[]string{"2026-11-28", "2026-11-29", "2026-11-30"}, 3},
		{"nothing is made up for at the first start", "30 2 * * *", time.Hour, nil, []up{{"2026-11-29 12:00", "2026-11-29 13:00"}}, nil, 0},
		{"a night that was missed is made up for", "30 2 * * *", time.Hour, nil,
			[]up{{"2026-11-27 12:00", "2026-11-28 12:00"}, {"2026-11-29 08:00", "2026-11-30 12:00"}}, []string{"2026-11-28", "2026-11-29", "2026-11-30"}, 3},
		{"of many that were missed the latest", "30 2 * * *", time.Hour, nil,
			[]up{{"2026-11-10 12:00", "2026-11-11 12:00"}, {"2026-11-29 08:00", "2026-11-29 12:00"}}, []string{"2026-11-11", "2026-11-29"}, 2},
		{"a start after a night that was run", "30 2 * * *", time.Hour, nil,
			[]up{{"2026-11-27 12:00", "2026-11-28 04:00"}, {"2026-11-28 08:00", "2026-11-28 12:00"}}, []string{"2026-11-28"}, 1},
		{"a night longer than a day", "30 2 * * *", 50 * time.Hour, nil, []up{{"2026-11-20 12:00", "2026-11-26 00:00"}},
			[]string{"2026-11-21", "2026-11-23", "2026-11-25"}, 3},
		{"firings beyond the first try the night again", "*/30 2-3 * * *", time.Minute, nil, []up{{"2026-11-28 12:00", "2026-11-29 12:00"}}, []string{"2026-11-29"}, 4},
		{"a clock an hour ahead that is set right", "30 2 * * *", time.Minute, map[string]time.Duration{"2026-11-28 12:00": time.Hour, "2026-11-29 01:45": 0},
			[]up{{"2026-11-27 12:00", "2026-11-30 12:00"}}, []string{"2026-11-28", "2026-11-29", "2026-11-30"}, 3},
		{"a clock an hour behind that is set right", "30 2 * * *", time.Minute, map[string]time.Duration{"2026-11-28 12:00": -time.Hour, "2026-11-29 03:45": 0},
			[]up{{"2026-11-27 12:00", "2026-11-30 12:00"}}, []string{"2026-11-28", "2026-11-29", "2026-11-30"}, 3},
		{"a clock years ahead for an hour", "30 2 * * *", time.Minute, map[string]time.Duration{"2026-11-28 12:00": 3650 * 24 * time.Hour, "2026-11-28 13:00": 0},
			[]up{{"2026-11-27 12:00", "2026-11-30 12:00"}}, []string{"2026-11-28", "2036-11-25", "2026-11-29", "2026-11-30"}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := &installation{took: tt.took}
			for _, when := range slices.Sorted(maps.Keys(tt.set)) {
				i.set = append(i.set, setting{at(t, when), tt.set[when]})
			}
			for _, u := range tt.ups {
				i.now = at(t, u.from)
				i.up(parsed(t, tt.cron, time.UTC), at(t, u.until))
			}
			if diff := cmp.Diff(tt.want, i.nights); diff != "" || i.runs != tt.runs {
				t.Errorf("%d runs, want %d\n%s", i.runs, tt.runs, diff)
			}
		})
	}
}

// A process that cannot ask what was run says so and runs nothing.
func TestKeepWithoutAState(t *testing.T) {
	k := schedule.Keeper{Schedule: parsed(t, "30 2 * * *", time.UTC), Clock: func() time.Time { return at(t, "2026-11-30 12:00") },
		Missed: func(context.Context, schedule.Firing) (bool, error) { return false, errStopped }}
	if err := k.Keep(t.Context()); !errors.Is(err, errStopped) {
		t.Errorf("got %v", err)
	}
}

// Whatever the zone, and though the clock is up to an hour wrong and set again and again, each
// date has one night, as long as the process is up.
func TestEveryDateIsOneNight(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Tashkent", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Africa/Casablanca"}
	rapid.Check(t, func(rt *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(rt, "zone"))
		hour, minute := rapid.IntRange(0, 23).Draw(rt, "hour"), rapid.IntRange(0, 59).Draw(rt, "minute")
		s := parsed(t, time.Date(0, 1, 1, hour, minute, 0, 0, time.UTC).Format("4 15 * * *"), loc)
		begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 364).Draw(rt, "day"))
		i := &installation{now: begin, took: time.Duration(rapid.IntRange(0, 300).Draw(rt, "minutes")) * time.Minute}
		for range rapid.IntRange(0, 6).Draw(rt, "settings") {
			last := begin
			if len(i.set) > 0 {
				last = i.set[len(i.set)-1].at
			}
			i.set = append(i.set, setting{last.Add(time.Duration(rapid.IntRange(1, 48).Draw(rt, "hours")) * time.Hour),
				time.Duration(rapid.IntRange(-60, 60).Draw(rt, "wrong")) * time.Minute})
		}
		const days = 12
		i.up(s, begin.AddDate(0, 0, days))
		for n := 1; n < len(i.nights); n++ {
			before, night := at(t, i.nights[n-1]+" 00:00"), at(t, i.nights[n]+" 00:00")
			if night.Sub(before) != 24*time.Hour {
				rt.Errorf("after the night of %s comes that of %s", i.nights[n-1], i.nights[n])
			}
		}
		if len(i.nights) < days-1 || len(i.nights) > days+1 || i.runs != len(i.nights) {
			rt.Errorf("%d nights and %d runs in %d days", len(i.nights), i.runs, days)
		}
	})
}
