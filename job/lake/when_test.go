package lake

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

func at(text string) time.Time {
	t, err := time.Parse(time.DateTime, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestPeriodOf(t *testing.T) {
	micros := func(text string) predicate.Value { return predicate.TimestampValue(at(text).UnixMicro()) }
	for _, tc := range []struct {
		name      string
		transform string
		kind      string
		bounds    map[table.Column]prune.Bounds
		from, to  string // empty where not known
	}{
		{"a day by its partition", "day", "timestamp", one("day(at)", predicate.DateValue(20422)), "2025-11-30 00:00:00", "2025-12-01 00:00:00"},
		{"an hour", "hour", "timestamp", one("hour(at)", predicate.IntValue(490151)), "2025-11-30 23:00:00", "2025-12-01 00:00:00"},
		{"a month before 1970", "month", "date", one("month(at)", predicate.IntValue(-1)), "1969-12-01 00:00:00", "1970-01-01 00:00:00"},
		{"a year", "year", "date", one("year(at)", predicate.IntValue(54)), "2024-01-01 00:00:00", "2025-01-01 00:00:00"},
		{"the date itself", "identity", "date", one("at", predicate.DateValue(20422)), "2025-11-30 00:00:00", "2025-12-01 00:00:00"},
		{"by bounds, over two days", "day", "timestamp_ntz",
			map[table.Column]prune.Bounds{"at": {Min: micros("2025-11-29 23:59:59"), Max: micros("2025-11-30 00:00:00")}}, "2025-11-29 00:00:00", "2025-12-01 00:00:00"},
		{"neither", "day", "timestamp", nil, "", ""},
		{"not by time", "bucket[16]", "timestamp", one("bucket[16](at)", predicate.IntValue(3)), "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := table.Column(tc.transform + "(at)")
			if tc.transform == "identity" {
				name = "at"
			}
			s := Snapshot{Columns: []Column{{Name: "at", Type: tc.kind}}, Parts: []Part{{Name: name, Source: "at", Transform: tc.transform}}}
			got, ok := s.PeriodOf(File{Bounds: tc.bounds})
			if !ok {
				if tc.from != "" {
					t.Fatal("not known")
				}
				return
			}
			want := layout.Period{Column: "at", Type: tc.kind, From: at(tc.from), To: at(tc.to)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func one(c table.Column, v predicate.Value) map[table.Column]prune.Bounds {
	return map[table.Column]prune.Bounds{c: {Min: v, Max: v}}
}
