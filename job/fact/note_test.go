package fact

import (
	"context"
	"os"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
)

// explain reads the Delta fixture for notes on one query.
func explain(t *testing.T, execution int64) []Note {
	t.Helper()
	fsys := os.DirFS("../../testdata/spark40-delta/eventlogs")
	found, err := eventlog.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	var reading eventlog.Reading
	_, notes, err := Explain(eventlog.Events(context.Background(), fsys, found[0], &reading), execution)
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

// A query's notes say of each join that its plans draw what was made of it.
func TestNotesOnJoins(t *testing.T) {
	tests := []struct {
		name      string
		execution int64
		want      map[string]string
	}{
		{"a merge joins once", 180, map[string]string{"SortMergeJoin Inner": takenWhole, "SortMergeJoin RightOuter": leftMerged}},
		{"removed at run time", 174, map[string]string{"BroadcastHashJoin Inner BuildRight": takenRemoved}},
		{"no equality", 110, map[string]string{"CartesianProduct Inner": takenKeyless}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := map[string]string{}
			for _, n := range explain(t, test.execution) {
				if strategyOf(&node{name: n.Operator, block: newBlock(n.Operator)}) != NoStrategy {
					got[n.Operator] = n.Reason
				}
			}
			if d := gocmp.Diff(test.want, got); d != "" {
				t.Errorf("notes (-want +got)\n%s", d)
			}
		})
	}
}

// What needs no explanation keeps none of a plan's text.
func TestNotesOnlyWhereAsked(t *testing.T) {
	x := newExtractor()
	e := &execution{id: 1, root: 1, last: plan{text: realPlans(t)["cast-key.txt"]}}
	x.digest(e)
	for _, j := range e.digested.joins {
		if j.note != (Note{}) {
			t.Errorf("a note %+v", j.note)
		}
	}
	if len(e.digested.joins) == 0 || len(e.digested.passed) > 0 {
		t.Errorf("%d joins, passed %v", len(e.digested.joins), e.digested.passed)
	}
}
