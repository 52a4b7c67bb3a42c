package window_test

import (
	"testing"
	"time"

	"ajlo/job/window"
)

func TestWindowIsHalfOpen(t *testing.T) {
	end := time.Date(2026, 11, 30, 0, 0, 0, 999, time.FixedZone("UTC+5", 5*3600))
	w := window.Ending(end, 7*24*time.Hour)
	for name, tc := range map[string]struct {
		at   time.Time
		want bool
	}{
		"its start":                    {w.Start, true},
		"a microsecond before it":      {w.Start.Add(-time.Microsecond), false},
		"a microsecond before its end": {w.End.Add(-time.Microsecond), true},
		"its end":                      {w.End, false},
	} {
		if got := w.Contains(tc.at); got != tc.want {
			t.Errorf("%s: Contains = %v, want %v", name, got, tc.want)
		}
	}
	if w.End.Location() != time.UTC || w.End.Nanosecond() != 0 {
		t.Errorf("end %v is not in UTC to the microsecond", w.End)
	}
}

// The night is the date in UTC: midnight in Tashkent still belongs to the day before.
func TestNightIsTheUTCDate(t *testing.T) {
	tashkent := time.FixedZone("UTC+5", 5*3600)
	w := window.Ending(time.Date(2026, 11, 30, 0, 0, 0, 0, tashkent), time.Hour)
	if got := w.Night(); got != "2026-11-29" {
		t.Errorf("night %s, want 2026-11-29", got)
	}
}
