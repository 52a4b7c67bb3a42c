package schedule

import (
	"context"
	"time"
)

// Keeper runs nights as they are due.
type Keeper struct {
	Schedule Schedule
	Clock    func() time.Time
	// Wait waits for a time, or until the context ends, whose error it then gives.
	Wait func(ctx context.Context, d time.Duration) error
	// Missed reports whether a night was due before and has not been run.
	Missed func(ctx context.Context, f Firing) (bool, error)
	// Run runs a night. What becomes of it is the night's own story: it ends nothing here.
	Run func(ctx context.Context, f Firing)
}

const (
	// glance is how long the clock is not looked at, at most: it may be set, and machines sleep.
	glance = time.Minute
	// setBack is by how much a clock has to be behind the last firing for that firing to have
	// been a mistake of the clock's. Less is waited for.
	setBack = 24 * time.Hour
)

// Keep runs nights until the context ends, which is no error. First it makes up for a night that
// was missed.
func (k Keeper) Keep(ctx context.Context) error {
	last := k.Clock()
	if f, ok := k.Schedule.Latest(last); ok {
		missed, err := k.Missed(ctx, f)
		if err != nil {
			return err
		}
		if missed {
			k.Run(ctx, f)
		}
	}
	for ctx.Err() == nil {
		if last = k.until(ctx, last); ctx.Err() != nil {
			break
		}
		f, ok := k.Schedule.Latest(k.Clock())
		if ok && f.At.After(last) {
			k.Run(ctx, f)
			last = f.At
		}
	}
	return nil
}

// until waits for the first firing after a time, and gives the time back; an earlier one where
// the clock was found to be set back by far.
func (k Keeper) until(ctx context.Context, last time.Time) time.Time {
	for due := k.Schedule.Next(last); ; {
		now := k.Clock()
		if now.Before(last.Add(-setBack)) {
			last = now
			due = k.Schedule.Next(last)
		}
		left := due.At.Sub(now)
		if left <= 0 || k.Wait(ctx, min(left, glance)) != nil {
			return last
		}
	}
}
