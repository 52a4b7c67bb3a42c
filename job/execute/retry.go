package execute

import (
	"context"
	"fmt"
	"time"

	"ajlo/job/table"
)

// maxAttempts is how often a step is tried because others changed its table meanwhile. Each
// attempt costs a whole rewrite; a table that changes faster than that is being worked on.
const maxAttempts = 5

// Retry tries a step again where others were faster. All fields are required.
type Retry struct {
	Pause time.Duration // about the wait before the second attempt; it doubles each time
	Now   func() time.Time
	// Random gives numbers from 0 to below 1 that spread out pauses, so that two that lost to
	// each other do not meet again.
	Random func() float64
	Wait   func(ctx context.Context, d time.Duration) error
}

// Do tries until an attempt does well or fails for another reason than a conflict. Attempts of
// the result are those that the attempts themselves count, of lost ones, too.
func (r Retry) Do(ctx context.Context, name table.Name, conflicts func(error) bool, try func() (Result, error)) (Result, error) {
	start, tried := r.Now(), 0
	for attempt := 1; ; attempt++ {
		result, err := try()
		tried += result.Attempts
		if err == nil {
			result.Attempts, result.Took = tried, r.Now().Sub(start)
			return result, nil
		}
		if !conflicts(err) {
			return Result{}, err
		}
		if attempt == maxAttempts {
			return Result{}, fmt.Errorf("rewrite %s: others changed it during each of %d attempts, try again when it is quieter: %w",
				name, maxAttempts, err)
		}
		if err := r.Wait(ctx, r.pause(attempt)); err != nil {
			return Result{}, err
		}
	}
}

// pause varies by half to either side.
func (r Retry) pause(attempt int) time.Duration {
	return time.Duration(float64(r.Pause<<(attempt-1)) * (0.5 + r.Random()))
}
