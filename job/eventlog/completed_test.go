package eventlog

import (
	"testing"

	"pgregory.net/rapid"
)

// The set has what was added, as far back as it reaches, and nothing else.
func TestRecent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(0, 3*recentStages), rapid.Int64Range(0, 1<<40))).Draw(t, "ids")
		set, added, newest := completed{}, map[int64]bool{}, int64(-1)
		for _, id := range ids {
			newest = max(newest, id)
			set.add(id, 0)
			added[id] = true
		}
		for _, id := range append(ids, 0, 1, recentStages, newest+1) {
			want := added[id] && id > newest-recentStages
			if got := set.has(id, 0); got != want {
				t.Errorf("%d of %v: %v, want %v", id, ids, got, want)
			}
			if set.has(id, 1) {
				t.Errorf("another attempt of %d completed", id)
			}
		}
	})
}

// Attempts beyond those that a log of Spark's has take no memory.
func TestAttemptsAreBounded(t *testing.T) {
	set := completed{}
	for attempt := range int64(1000) {
		set.add(7, attempt)
	}
	if len(set) != maxAttempts || !set.has(7, 3) {
		t.Errorf("%d attempts are remembered, want %d", len(set), maxAttempts)
	}
}
