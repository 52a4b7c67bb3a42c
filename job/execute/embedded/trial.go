package embedded

import (
	"context"
	"math"

	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// maxTrialParts is how many partitions are tried of a partitioned table; the others are taken to
// change as those do.
const maxTrialParts = 4

// Trial foretells how many bytes the step's files will have: it reads them, makes some of the new
// ones and keeps none. It refuses what Apply would.
func (e *Engine) Trial(ctx context.Context, step plan.Step) (unit.Bytes, error) {
	t, err := e.open(ctx, step)
	if err != nil {
		return 0, err
	}
	s, err := t.scope(step)
	if err != nil {
		return 0, err
	}
	before, after := unit.Bytes(0), unit.Bytes(0)
	for i := range min(len(s.parts), maxTrialParts) {
		task := s.parts[(2*i+1)*len(s.parts)/(2*min(len(s.parts), maxTrialParts))].task
		made, err := rewrite.Trial(ctx, task, rewrite.Options{
			Memory: e.o.Memory, Spill: e.o.Spill, Parallel: e.o.Parallel, Run: e.o.NewID(), // as long as a run's own
			Room: func(bytes unit.Bytes) error { return e.checkRoom(step, t.store, wanted{spilled: bytes}) },
		})
		if err != nil {
			return 0, t.refusal(err)
		}
		before, after = before+bytesOf(task), after+made
	}
	if before == 0 {
		return execute.SizeOf(s.files), nil
	}
	return unit.Bytes(math.Round(float64(execute.SizeOf(s.files)) * float64(after) / float64(before))), nil
}
