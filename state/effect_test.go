package state

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/drift"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/verify"
)

// rekeyed goes through a night that gave lineitem new keys and kept what it was.
func rekeyed(t *testing.T, s *Store, id string, n int) *Run {
	t.Helper()
	r := begin(t, s, beginning(id, n))
	must(t, r.RecordGraph(t.Context(), graph(n)))
	recordPlan(t, r, n)
	must(t, applyStep(t.Context(), r, 0, "/lake/lineitem"))
	must(t, r.KeepBounds(t.Context(), 0, before(id)))
	finish(t, r, AppliedInPart)
	return r
}

func before(path string) lake.Snapshot {
	return lake.Snapshot{Files: []lake.File{{Bytes: 7, Rows: int64(len(path)), Bounds: map[table.Column]prune.Bounds{
		"f": {Min: predicate.FloatValue(math.Inf(-1)), Max: predicate.StringValue("\xff"), Nulls: -1, Rows: 3},
	}}}}
}

func TestLatestKeptOfEachTable(t *testing.T) {
	s, _ := newStore(t)
	rekeyed(t, s, "one", 1)
	rekeyed(t, s, "second", 2)
	got, err := s.Kept(t.Context(), night(3).End)
	must(t, err)
	want := []verify.Kept{{
		Run: "second", Table: "tpch.lineitem", Location: "/lake/lineitem", Version: 8, Planned: 7, Layout: clustered, Before: layout.Unordered(),
		Since: night(2).End, Files: before("second").Files,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got, err = s.Kept(t.Context(), night(1).End)
	must(t, err)
	if len(got) != 1 || got[0].Run != "one" {
		t.Errorf("up to night 1: %+v", got)
	}
	// New keys whose former bounds were not kept hide those before them: they are gone.
	third := begin(t, s, beginning("third", 3))
	must(t, third.RecordGraph(t.Context(), graph(3)))
	recordPlan(t, third, 3)
	must(t, applyStep(t.Context(), third, 0, "/lake/lineitem"))
	got, err = s.Kept(t.Context(), night(4).End)
	must(t, err)
	if len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Bounds hold values of rows: they are dropped when no verdict takes them any more.
func TestBoundsAreDroppedAfter28Days(t *testing.T) {
	s, _ := newStore(t)
	rekeyed(t, s, "one", 1)
	rekeyed(t, s, "second", 2+verify.KeptDays)
	if runs := cell(t, s, `SELECT group_concat(run_id) FROM kept_bounds`); runs != "second" {
		t.Errorf("kept of %s", runs)
	}
	if got, err := s.Kept(t.Context(), night(3+2*verify.KeptDays).End); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnyBoundsComeBackAsTheyWere(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) predicate.Value {
		return predicate.Value{
			Kind: predicate.Kind(rapid.IntRange(0, int(predicate.LocalTime)).Draw(t, "kind")), Scale: rapid.Int8().Draw(t, "scale"),
			I: rapid.Int64().Draw(t, "i"), F: rapid.Float64().Draw(t, "f"), S: string(rapid.SliceOf(rapid.Byte()).Draw(t, "s")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		want := []lake.File{}
		for range rapid.IntRange(0, 3).Draw(t, "files") {
			f := lake.File{Bytes: unit.Bytes(rapid.Int64().Draw(t, "bytes")), Rows: rapid.Int64().Draw(t, "rows"), Bounds: map[table.Column]prune.Bounds{}}
			for _, c := range rapid.SliceOfN(rapid.SampledFrom([]table.Column{"a", "b.c", "ключ"}), 0, 3).Draw(t, "columns") {
				f.Bounds[c] = prune.Bounds{Min: value.Draw(t, "min"), Max: value.Draw(t, "max"), Nulls: rapid.Int64().Draw(t, "nulls")}
			}
			want = append(want, f)
		}
		packed, err := packFiles(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpackFiles(packed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestVerdictsAndWhatWasLearnt(t *testing.T) {
	s, c := newStore(t)
	rekeyed(t, s, "one", 1)
	r := begin(t, s, beginning("second", 2))
	read := unit.Bytes(70)
	must(t, r.RecordVerdicts(t.Context(), []verify.Judgement{{Run: "one", Table: "tpch.lineitem", Executions: 9, Would: 50, Read: 80, Measured: &read, Verdict: verify.Harmed}}))
	if got := cell(t, s, `SELECT verdict || ' ' || saved_bytes || ' ' || measured_bytes || ' ' || layout FROM audit_verdicts`); got != "harmed -30 70 hilbert(l_orderkey, l_shipdate)" {
		t.Error(got)
	}
	must(t, r.RecordCalibration(t.Context(), []Calibration{{"tpch.lineitem", "spark", 1.1}, {"tpch.lineitem", "other", 3}}))
	finish(t, r, NothingToDo)
	c.advance(time.Hour)
	r = begin(t, s, beginning("third", 3))
	must(t, r.RecordCalibration(t.Context(), []Calibration{{"tpch.lineitem", "spark", 1.2}}))
	got, err := s.Calibrations(t.Context(), "spark")
	must(t, err)
	if diff := cmp.Diff(map[table.Name]float64{"tpch.lineitem": 1.2}, got); diff != "" {
		t.Error(diff)
	}
}

// A night of upkeep alone keeps the plan in force as it is.
func TestUpkeepAloneIsNoPlanInForce(t *testing.T) {
	s, _ := newStore(t)
	live(t, s, "1:applied:gp")
	r := begin(t, s, beginning("2", 2))
	must(t, r.RecordGraph(t.Context(), graph(2)))
	must(t, r.RecordDrift(t.Context(), nil, drift.Trigger{Reason: "nothing moved"}))
	recordPlan(t, r, 2)
	finish(t, r, Applied)
	got, err := s.InForce(t.Context(), night(3).Night())
	must(t, err)
	if got == nil || got.Graph.Window != night(1) {
		t.Errorf("plan in force is not night 1's: %+v", got)
	}
}
