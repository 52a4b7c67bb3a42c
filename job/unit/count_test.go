package unit_test

import (
	"testing"

	"ajlo/job/unit"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int64]string{0: "0 queries", 1: "1 query", 2: "2 queries"} {
		if got := unit.Counted(n, "query", "queries"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
