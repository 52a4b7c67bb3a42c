package verify_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/verify"
)

var since = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// asked are n executions that look for a between the bounds, each of which the log says read 9
// bytes.
func asked(at time.Time, n int, low, high int64) (list []fact.Query) {
	p := predicate.Conjunction([]predicate.Predicate{
		{Op: predicate.Ge, Column: "a", Values: []predicate.Value{predicate.IntValue(low)}},
		{Op: predicate.Le, Column: "a", Values: []predicate.Value{predicate.IntValue(high)}},
	})
	for range n {
		list = append(list, fact.Query{Start: at, Status: fact.Succeeded, Fingerprint: "f",
			Scans: []fact.Scan{{Table: "t", Format: "delta", Predicate: p, BytesRead: 9, Measured: true}}})
	}
	return list
}

// sized is snapshot with files of 10 bytes, laid by the step or not.
func sized(laid bool, bounds ...[2]int64) lake.Snapshot {
	s := snapshot(bounds...)
	s.Version = 5
	for i := range s.Files {
		s.Files[i].Bytes, s.Files[i].Laid = 10, laid
	}
	return s
}

func TestJudge(t *testing.T) {
	measured := func(b unit.Bytes) *unit.Bytes { return &b }
	apart, mixed := [][2]int64{{1, 4}, {5, 9}}, [][2]int64{{1, 9}, {1, 9}}
	for _, tc := range []struct {
		name        string
		before, now lake.Snapshot
		queries     []fact.Query
		want        verify.Judgement
	}{
		{"later queries read half", sized(true, mixed...), sized(true, apart...), asked(since, 3, 1, 3),
			verify.Judgement{Executions: 3, Would: 60, Read: 30, Measured: measured(27), Verdict: verify.Helped}},
		{"later queries read twice as much", sized(true, apart...), sized(true, mixed...), asked(since, 3, 1, 3),
			verify.Judgement{Executions: 3, Would: 30, Read: 60, Measured: measured(27), Verdict: verify.Harmed}},
		{"as much as before", sized(true, mixed...), sized(true, mixed...), asked(since, 4, 1, 3),
			verify.Judgement{Executions: 4, Would: 80, Read: 80, Measured: measured(36), Verdict: verify.NoEffect}},
		{"too few to tell", sized(true, apart...), sized(true, mixed...), asked(since, 2, 1, 3),
			verify.Judgement{Executions: 2, Would: 20, Read: 40, Measured: measured(18), Verdict: verify.TooEarly}},
		{"earlier queries are no evidence", sized(true, apart...), sized(true, mixed...), asked(since.Add(-1), 9, 1, 3),
			verify.Judgement{Verdict: verify.TooEarly}},
		{"what came in since counts on both sides", sized(true, mixed...), joined(sized(true, apart...), sized(false, [2]int64{1, 9})), asked(since, 3, 1, 3),
			verify.Judgement{Executions: 3, Would: 90, Read: 60, Measured: measured(27), Verdict: verify.Helped}},
		{"a table that grew in order is scaled", sized(true, mixed...), sized(true, [2]int64{1, 3}, [2]int64{4, 6}, [2]int64{7, 8}, [2]int64{9, 9}), asked(since, 3, 1, 3),
			verify.Judgement{Executions: 3, Would: 120, Read: 30, Measured: measured(27), Verdict: verify.Helped}},
		{"a table that shrank to nothing", sized(true, mixed...), lake.Snapshot{Table: "t", Version: 5}, asked(since, 3, 1, 3),
			verify.Judgement{Executions: 3, Measured: measured(27), Verdict: verify.NoEffect}},
		{"others have committed since", sized(true, mixed...), later(sized(true, mixed...)), asked(since, 3, 1, 3),
			verify.Judgement{Executions: 3, Would: 60, Read: 60, Measured: measured(27), Verdict: verify.NoEffect, Later: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := verify.Kept{Run: "r", Step: 1, Table: "t", Version: 5, Layout: layout.ClusteredBy(layout.Sort, "a"), Before: layout.Unordered(), Since: since, Files: tc.before.Files}
			got, err := verify.Judge(k, tc.now, []table.Name{"t"}, tc.queries)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Run, tc.want.Step, tc.want.Table, tc.want.Layout, tc.want.Before = "r", 1, "t", k.Layout, k.Before
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func joined(a, b lake.Snapshot) lake.Snapshot {
	a.Files = append(a.Files, b.Files...)
	return a
}

func later(s lake.Snapshot) lake.Snapshot {
	s.Version++
	return s
}

func TestCorrect(t *testing.T) {
	for _, tc := range []struct {
		name                  string
		used, foretold, after float64
		want                  float64
	}{
		{"nothing learnt before", 0, 100, 110, 1.1},
		{"one correction on another", 1.1, 100, 110, 1.21},
		{"far off counts as twice", 1, 1, 100, 2},
		{"and as half", 1, 100, 1, 0.5},
		{"nothing foretold teaches nothing", 1.1, 0, 5, 1.1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := verify.Correct(tc.used, tc.foretold, tc.after); got-tc.want > 1e-9 || tc.want-got > 1e-9 {
				t.Errorf("%f, want %f", got, tc.want)
			}
		})
	}
}
