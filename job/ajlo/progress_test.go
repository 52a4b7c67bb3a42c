package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/unit"
)

// Lines come at least half a minute apart, one step begins where another is told of, and the
// time left is what the rest takes at the rate so far.
func TestPaces(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var lines []string
	p := &paces{clock: func() time.Time { return now }, tell: func(step string, p pace) {
		lines = append(lines, fmt.Sprintf("%s %d of %d, %d/s, %s left", step, p.done, p.total, p.rate(), p.left()))
	}}
	for _, event := range []struct {
		after time.Duration
		step  string
		done  unit.Bytes
	}{
		{0, "a", 0}, {10 * time.Second, "a", 100}, {25 * time.Second, "a", 350}, {10 * time.Second, "a", 400}, {time.Minute, "a", 1000},
		{time.Minute, "b", 0}, {30 * time.Second, "b", 0}, {30 * time.Second, "b", 600},
	} {
		now = now.Add(event.after)
		p.progress(event.step, event.done, 1000)
	}
	want := []string{
		"a 350 of 1000, 10/s, 1m5s left", "a 1000 of 1000, 9/s, 0s left", "b 0 of 1000, 0/s, 0s left", "b 600 of 1000, 10/s, 40s left",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}
