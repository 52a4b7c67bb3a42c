package job_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"ajlo/job"
	"ajlo/state"
)

// The same log lies in two nights' windows. What the state has of the first is made to differ, as
// other code would have scored it: that is drift only where it is said to be of this code.
func TestWindowsOfOtherCodeAreScoredAnew(t *testing.T) {
	const otherScores = `DELETE FROM fingerprints WHERE edge > 1; DELETE FROM edge_pairs WHERE edge > 1; DELETE FROM edges WHERE edge > 1`
	for _, tt := range []struct {
		name, statement string
		fired           bool
		reason          string
	}{
		{"of this code", otherScores, true, "is first seen and carries"},
		{"of other code", otherScores + `; UPDATE windows SET scoring = 'facts 1, graph 0'`, false, "drift 0.000 from the last run's window and 0.000 from the window of the plan in force"},
		{"of code that left no name", otherScores + `; UPDATE windows SET scoring = NULL`, false, "drift 0.000 from the last run's window"},
		{"of other code, and its logs are gone", otherScores + `; UPDATE windows SET scoring = NULL, start_us = start_us - 2592000000000, end_us = end_us - 2592000000000`, false,
			"drift is not known; not compared with the last run's window: its window was scored by other code, and of its logs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLake(t, "tpch.orders")
			l.config.Window = 7 * 24 * time.Hour
			l.mustRun(t, firstNight, job.Execute, state.Applied)
			db, err := sql.Open("sqlite", "file:"+l.config.State)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(tt.statement); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			result, err := l.night(t, firstNight.Add(24*time.Hour), job.DryRun)
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Decision.Trigger; got.Fired != tt.fired || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("fired %t: %s; want %t, %q", got.Fired, got.Reason, tt.fired, tt.reason)
			}
		})
	}
}
