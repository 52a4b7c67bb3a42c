// Package pause waits for time to pass.
//
// In come a context and a duration; out comes nil once the time is over. What always holds: a pause
// ends when its context does, and says so. Whoever pauses takes For as a value where tests must not
// wait in earnest.
package pause

import (
	"context"
	"time"
)

// For waits by the system's timer, or until the context ends, whose error it then gives.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
