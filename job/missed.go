package job

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// Missed reports whether a night is still to be run, by a state that was in use before it; one
// that is not there yet has missed nothing.
func Missed(ctx context.Context, at StateFile, night string, clock func() time.Time) (missed bool, err error) {
	store, err := at.read(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil { // it may be as an older ajlo left it
		store, err = at.open(ctx, clock)
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return store.Missed(ctx, night)
}
