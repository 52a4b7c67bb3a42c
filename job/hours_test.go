package job

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// An attempt that begins before quiet hours may; one after another writer was faster, inside them,
// may not, whatever the budget holds.
func TestNoAttemptBeginsInQuietHours(t *testing.T) {
	c, err := config.Parse([]byte("sources: [{logs: x}]\nbudget: {rewrite: 1GB}\nquiet: [{tables: [a.b], from: '06:00', to: '22:00', zone: Europe/Berlin}]\n"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 29, 3, 59, 59, 0, time.UTC) // clocks were set an hour ahead three hours ago
	n := Night{Config: c, Clock: func() time.Time { return at }}
	s := plan.Step{Table: "a.b", Location: "/lake/a.db/b", Kind: plan.Rekey}
	rec := stepRecorder{step: s, quiet: n.quiet, purse: newPurse(plan.Settings{Budget: unit.GB, Storage: unit.GB})}
	if err := rec.Spend(unit.MB); err != nil {
		t.Errorf("a second before: %v", err)
	}
	at = at.Add(time.Second)
	var refused *execute.Refusal
	if err := rec.Spend(unit.MB); !errors.As(err, &refused) || !strings.Contains(err.Error(), "quiet hours last until 2026-03-29T20:00:00Z") {
		t.Errorf("as they begin: %v", err)
	}
	rec.step.Table = "a.c"
	if err := rec.Spend(unit.MB); err != nil {
		t.Errorf("another table: %v", err)
	}
}
