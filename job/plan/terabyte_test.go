package plan_test

import (
	"fmt"
	"testing"
	"time"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

const (
	logFiles = 15_625 // of 64 MB: one terabyte
	logUsers = 10_000_000
)

// logEntries is the metadata of a terabyte of log entries, a year of them in the order of
// time, any user in any file.
func logEntries() lake.Snapshot {
	s := lake.Snapshot{
		Table: "t", Location: "/lake/t", Format: lake.Delta, SchemaHash: "h", Owner: "none", Layout: layout.Unordered(),
		Columns: []lake.Column{{Name: "at", Type: "timestamp"}, {Name: "user", Type: "long"}, {Name: "status", Type: "integer"}},
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	step := (365 * 24 * time.Hour).Microseconds() / logFiles
	for f := range int64(logFiles) {
		s.Files = append(s.Files, lake.File{Path: fmt.Sprint(f), Bytes: 64 * unit.MB, Rows: 1_000_000, Bounds: map[table.Column]prune.Bounds{
			"at":     {Min: predicate.TimestampValue(start + f*step), Max: predicate.TimestampValue(start + (f+1)*step - 1), Rows: 1_000_000},
			"user":   {Min: predicate.IntValue(0), Max: predicate.IntValue(logUsers - 1), Rows: 1_000_000},
			"status": {Min: predicate.IntValue(200), Max: predicate.IntValue(599), Rows: 1_000_000},
		}})
	}
	return s
}

// A terabyte is weighed on its metadata alone, without a row read: look-ups of users that read
// all of it are foretold to read little, and the day's reports stay near what they read.
func TestATerabyteIsWeighedOnItsBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("a million sketched rows")
	}
	in := input(plan.TableInput{Snapshot: logEntries(), Names: []table.Name{"t"}})
	in.Settings.TargetFile, in.Settings.Budget, in.Settings.Storage = 64*unit.MB, 2*unit.TB, unit.TB
	in.Queries = nil
	day := func(n int) predicate.Value {
		return predicate.TimestampValue(time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC).UnixMicro())
	}
	for i := range 20 {
		in.Queries = append(in.Queries, scan("by-user", "t", between("user", int64(i)*400_000, int64(i)*400_000)))
		in.Queries = append(in.Queries, scan("by-day", "t", span("at", day(300+i), day(301+i))))
	}
	columns, err := plan.Columns(in.Tables[0], in)
	if err != nil {
		t.Fatal(err)
	}
	s := in.Tables[0].Snapshot
	in.Tables[0].Sample = lake.Sketch(s, columns, plan.SampleRows(s, in.Settings.TargetFile))
	began := time.Now()
	got := decide(t, in).Tables[0]
	t.Logf("%s: %s instead of %s a window, %d candidates in %s", got.Chosen, got.ScannedBytesThen, got.ScannedBytesNow, len(got.Candidates), time.Since(began).Round(time.Millisecond))
	for _, c := range got.Queries {
		t.Logf("%s: %s instead of %s", c.Fingerprint, c.Then/unit.Bytes(c.Executions), c.Now/unit.Bytes(c.Executions))
	}
	if 5*got.ScannedBytesThen > got.ScannedBytesNow {
		t.Errorf("%s reads %s a window instead of %s: want a fifth at most", got.Chosen, got.ScannedBytesThen, got.ScannedBytesNow)
	}
}
