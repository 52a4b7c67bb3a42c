package config

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func quietConfig(t testing.TB, entries string) Config {
	t.Helper()
	c, err := Parse([]byte(least+"quiet: "+entries+"\n"), "/etc/ajlo")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestQuietUntil(t *testing.T) {
	for _, tt := range []struct{ name, entries, at, until string }{
		{"before them", "[{from: '06:00', to: '22:00'}]", "2026-11-30T05:59:59Z", ""},
		{"as they begin", "[{from: '06:00', to: '22:00'}]", "2026-11-30T06:00:00Z", "2026-11-30T22:00:00Z"},
		{"as they end", "[{from: '06:00', to: '22:00'}]", "2026-11-30T22:00:00Z", ""},
		{"over midnight", "[{from: '22:00', to: '06:00'}]", "2026-11-30T23:00:00Z", "2026-12-01T06:00:00Z"},
		{"after midnight, of the day before", "[{from: '22:00', to: '06:00', days: [mon]}]", "2026-12-01T05:00:00Z", "2026-12-01T06:00:00Z"},
		{"after midnight, of no day before", "[{from: '22:00', to: '06:00', days: [tue]}]", "2026-12-01T05:00:00Z", ""},
		{"one follows another", "[{from: '06:00', to: '12:00'}, {from: '12:00', to: '13:00'}]", "2026-11-30T07:00:00Z", "2026-11-30T13:00:00Z"},
		{"another table's", "[{tables: [tpch.part], from: '06:00', to: '12:00'}]", "2026-11-30T07:00:00Z", ""},
		{"the table's database", "[{tables: ['tpch.*'], from: '06:00', to: '12:00'}]", "2026-11-30T07:00:00Z", "2026-11-30T12:00:00Z"},
		{"in a zone", "[{from: '06:00', to: '12:00', zone: Europe/Berlin}]", "2026-11-30T05:30:00Z", "2026-11-30T11:00:00Z"},
		{"a whole day", "[{from: '00:00', to: '24:00', days: [sun]}]", "2026-11-29T12:00:00Z", "2026-11-30T00:00:00Z"},
		{"always", "[{from: '00:00', to: '24:00'}]", "2026-11-29T12:00:00Z", "0001-01-01T00:00:00Z"},
		// On 29 March 2026 Berlin's clocks go from 02:00 to 03:00, on 25 October from 03:00 to 02:00.
		{"they begin in an hour that is left out", "[{from: '02:30', to: '04:00', zone: Europe/Berlin}]", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
		{"before an hour that is left out", "[{from: '02:30', to: '04:00', zone: Europe/Berlin}]", "2026-03-29T00:59:00Z", ""},
		{"they end in an hour that is left out", "[{from: '01:00', to: '02:30', zone: Europe/Berlin}]", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"},
		{"an hour that comes twice, first", "[{from: '02:00', to: '02:30', zone: Europe/Berlin}]", "2026-10-25T00:10:00Z", "2026-10-25T00:30:00Z"},
		{"an hour that comes twice, again", "[{from: '02:00', to: '02:30', zone: Europe/Berlin}]", "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"},
		{"a day of 25 hours", "[{from: '00:00', to: '24:00', days: [sun], zone: Europe/Berlin}]", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			until, ok := quietConfig(t, tt.entries).QuietUntil("tpch.orders", "/w/orders", at)
			got := ""
			if ok {
				got = until.Format(time.RFC3339)
			}
			if got != tt.until {
				t.Errorf("until %q, want %q", got, tt.until)
			}
		})
	}
}

// Whenever it is: up to the time given all is quiet, and then it is not.
func TestQuietEndsWhereItIsSaid(t *testing.T) {
	start := time.Date(2026, 3, 25, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		from, to := rapid.IntRange(0, 1439).Draw(r, "from"), rapid.IntRange(0, 1439).Draw(r, "to")
		if from == to {
			return
		}
		c := quietConfig(t, fmt.Sprintf("[{from: '%02d:%02d', to: '%02d:%02d', zone: Europe/Berlin, days: [sun, mon, wed]}]", from/60, from%60, to/60, to%60))
		at := start.Add(time.Duration(rapid.Int64Range(0, int64(8*24*time.Hour)).Draw(r, "at")))
		until, ok := c.QuietUntil("a.b", "/w", at)
		if !ok {
			return
		}
		if _, still := c.QuietUntil("a.b", "/w", until); still {
			r.Fatalf("at %v: quiet until %v, and after that", at, until)
		}
		if _, before := c.QuietUntil("a.b", "/w", until.Add(-time.Microsecond)); !before {
			r.Fatalf("at %v: quiet until %v, and not right before", at, until)
		}
	})
}
