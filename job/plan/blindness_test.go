package plan_test

import (
	"strings"
	"testing"

	"ajlo/job/plan"
)

// Rule 6: what hides too much is told, with the names and the figures.
func TestBlindness(t *testing.T) {
	usual := func(applications, ms float64) *plan.Usual {
		return &plan.Usual{Windows: 4, Applications: applications, TaskMS: ms, Least: 0.7}
	}
	for _, tt := range []struct {
		name string
		seen plan.Coverage
		want string // part of the reason; none for enough
	}{
		{"nothing at all", plan.Coverage{}, ""},
		{"a tenth from tables not found", plan.Coverage{ScannedBytes: 1000, UnresolvedBytes: 100}, ""},
		{"over a tenth", plan.Coverage{ScannedBytes: 1000, UnresolvedBytes: 101, UnresolvedTables: []string{"db.a", "db.b"}}, "101 B of 1.00 kB scanned come from tables that were not found (db.a, db.b)"},
		{"no window before", plan.Coverage{Applications: 1}, ""},
		{"as usual", plan.Coverage{Applications: 10, TaskMS: 9000, Usual: usual(10, 9000)}, ""},
		{"seven tenths", plan.Coverage{Applications: 7, TaskMS: 7000, Usual: usual(10, 10_000)}, ""},
		{"half of the applications", plan.Coverage{Applications: 5, TaskMS: 9000, Usual: usual(10, 9000)}, "5 applications ran, under 70 % of the 10 of the last 4 windows"},
		{"half of the task time", plan.Coverage{Applications: 10, TaskMS: 3_600_000, Usual: usual(10, 7_200_000)}, "1h0m0s of task time were seen, under 70 % of the 2h0m0s"},
		{"windows that do not say", plan.Coverage{Applications: 1, TaskMS: 9000, Usual: usual(0, 9000)}, ""},
		{"no limit", plan.Coverage{Applications: 1, Usual: &plan.Usual{Windows: 4, Applications: 10, TaskMS: 10}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.seen.Blindness()
			if tt.seen.Blind() != (tt.want != "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
