package job

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"ajlo/state"
)

// Missed reports whether a night is still to be run, by a state that was in use before it; one
// that is not there yet has missed nothing.
func Missed(ctx context.Context, path, night string, clock func() time.Time) (missed bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	store, err := state.Open(ctx, path, clock) // as an older ajlo may have left it
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return store.Missed(ctx, night)
}
