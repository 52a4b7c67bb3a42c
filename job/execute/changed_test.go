package execute_test

import (
	"testing"

	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
)

// Delta counts versions up; Iceberg's are ids of snapshots in no order.
func TestVersionsOfAPlan(t *testing.T) {
	tests := []struct {
		name          string
		format        lake.Format
		planned, now  int64
		isAnotherOnes bool
	}{
		{"the same", lake.Delta, 3, 3, false},
		{"others wrote since", lake.Delta, 3, 5, false},
		{"a version to come", lake.Delta, 5, 3, true},
		{"no version", lake.Delta, -1, 3, true},
		{"a snapshot of a lesser id", lake.Iceberg, 5, 3, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			said := execute.Changed(plan.Step{Version: tc.planned}, lake.Snapshot{Format: tc.format, Version: tc.now})
			if (said != "") != tc.isAnotherOnes {
				t.Errorf("planned at %d, now at %d: %q", tc.planned, tc.now, said)
			}
		})
	}
}

func TestKeysOfAPlan(t *testing.T) {
	var (
		none   = layout.Unordered()
		wanted = layout.ClusteredBy(layout.ZOrder, "a", "b")
		others = layout.ClusteredBy(layout.Hilbert, "c")
	)
	tests := []struct {
		name       string
		was, now   layout.Layout
		owner      string // now; planned for a table of nobody's keys
		hasChanged bool
	}{
		{"as planned", none, none, "none", false},
		{"somebody's keys", none, others, "user", true},
		{"ours, of another run", none, others, "us", true},
		{"declared keys dropped", others, none, "none", true},
		{"an order that is gone", wanted, none, "none", false},
		{"the same keys, somebody's now", others, others, "user", true},
		{"ours, of an attempt before", none, layout.ClusteredBy(layout.Hilbert, "b", "a"), "us", false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			step := plan.Step{Layout: wanted, Was: tc.was, Owner: "none", Declared: layout.SameKeys(tc.was, others)}
			if said := execute.Changed(step, lake.Snapshot{Layout: tc.now, Owner: tc.owner}); (said != "") != tc.hasChanged {
				t.Errorf("%q", said)
			}
		})
	}
}
