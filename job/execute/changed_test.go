package execute_test

import (
	"testing"

	"ajlo/job/execute"
	"ajlo/job/lake"
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
