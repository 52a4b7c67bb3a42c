package execute

import (
	"context"
	"errors"
	"fmt"

	"ajlo/job/delta"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/plan"
)

// Open reads the newest version of a step's table and gives it in both forms. What is no Delta
// table, or one whose log cannot be read, is a *Refusal.
func Open(ctx context.Context, store object.Store, step plan.Step) (delta.Snapshot, lake.Snapshot, error) {
	d, err := delta.Replay(ctx, store)
	if errors.Is(err, delta.ErrNoTable) {
		return delta.Snapshot{}, lake.Snapshot{}, Refuse(step, "%v: the table is gone or is not Delta; make a new plan", err)
	}
	if err != nil && ctx.Err() == nil {
		return delta.Snapshot{}, lake.Snapshot{}, Refuse(step, "its log cannot be read: %v", err)
	}
	if err != nil {
		return delta.Snapshot{}, lake.Snapshot{}, fmt.Errorf("open table %s: %w", step.Table, err)
	}
	l, err := lake.OfDelta(d, step.Table, step.Location)
	return d, l, err
}

// Refuse is the refusal of a step.
func Refuse(step plan.Step, format string, args ...any) *Refusal {
	return &Refusal{Table: step.Table, Reason: fmt.Sprintf(format, args...)}
}
