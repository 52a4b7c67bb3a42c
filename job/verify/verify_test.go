package verify_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/verify"
)

func TestRows(t *testing.T) {
	rows := execute.RowSum{Rows: 3, Hi: 7, Lo: 9}
	if err := verify.Rows(execute.Result{Removed: rows, Added: rows}); err != nil {
		t.Errorf("equal rows: %v", err)
	}
	for name, added := range map[string]execute.RowSum{
		"a row lost":             {Rows: 2, Hi: 7, Lo: 9},
		"a value changed":        {Rows: 3, Hi: 7, Lo: 8},
		"a value changed, above": {Rows: 3, Hi: 6, Lo: 9},
	} {
		if err := verify.Rows(execute.Result{Removed: rows, Added: added}); !errors.Is(err, verify.ErrRowsDiffer) {
			t.Errorf("%s: %v, want ErrRowsDiffer", name, err)
		}
	}
}

func snapshot(bounds ...[2]int64) lake.Snapshot {
	s := lake.Snapshot{Table: "t"}
	for _, b := range bounds {
		s.Files = append(s.Files, lake.File{Rows: 10, Bounds: map[table.Column]prune.Bounds{
			"a": {Min: predicate.IntValue(b[0]), Max: predicate.IntValue(b[1]), Rows: 10},
		}})
	}
	return s
}

func TestEffects(t *testing.T) {
	before, after := snapshot([2]int64{1, 9}, [2]int64{1, 9}), snapshot([2]int64{1, 4}, [2]int64{5, 9})
	number := func(f float64) *float64 { return &f }
	got := append([]verify.Effect{verify.Scanned(2, "t", plan.Expected{ScannedBytesNow: 100, ScannedBytesThen: 40}, 50)},
		verify.Bounds(2, before, after, []table.Column{"a", "without bounds"})...)
	want := []verify.Effect{
		{Step: 2, Table: "t", Measure: verify.ScannedBytes, Unit: "bytes", Before: number(100), Foretold: number(40), After: number(50)},
		{Step: 2, Table: "t", Measure: verify.OverlapDepth, Subject: "a", Unit: "files", Before: number(2), After: number(1)},
		{Step: 2, Table: "t", Measure: verify.LookupShare, Subject: "a", Unit: "share", Before: number(1), After: number(0.5)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
