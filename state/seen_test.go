package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is usual is told by windows of the same length, one a night, the newest first, however
// their runs ended.
func TestSeen(t *testing.T) {
	s, _ := newStore(t)
	ctx := t.Context()
	for i, w := range []struct {
		night        int
		length       time.Duration // 0: the usual one
		applications int
		outcome      Outcome
	}{
		{1, 0, 10, Applied}, {2, 0, 20, Failed}, {2, 0, 21, NoDrift}, {3, time.Hour, 99, DryRun}, {4, 0, 40, Refused}, {5, 0, 50, NoDrift},
	} {
		b := beginning(fmt.Sprint("run ", i), w.night)
		if w.length > 0 {
			b.Window.Start = b.Window.End.Add(-w.length)
		}
		r := begin(t, s, b)
		g := graph(w.night)
		g.TaskMS = int64(w.applications * 1000)
		must(t, r.RecordGraph(ctx, g))
		if w.night > 1 { // the first is as a run of before has it
			must(t, r.RecordSeen(ctx, w.applications))
		}
		finish(t, r, w.outcome)
	}
	seen, err := s.Seen(ctx, night(5).Night(), 7*24*time.Hour, 4)
	must(t, err)
	of := func(n int) *int { return &n }
	want := []Seen{{of(40), 40_000}, {of(21), 21_000}, {nil, 10_000}}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	if seen, err = s.Seen(ctx, night(5).Night(), 7*24*time.Hour, 1); err != nil || len(seen) != 1 {
		t.Errorf("%d windows, %v; want one", len(seen), err)
	}
}
