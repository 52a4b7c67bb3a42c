package delta

import (
	"context"
	"errors"

	"ajlo/job/object"
)

// ErrNoTable is wrapped when a folder holds no Delta log.
var ErrNoTable = errors.New("no Delta table here")

// Replay reads the newest version of the table at the store's root.
func Replay(ctx context.Context, store object.Store) (Snapshot, error) { panic("not there yet") }

// ReplayAt reads the given version.
func ReplayAt(ctx context.Context, store object.Store, version int64) (Snapshot, error) {
	panic("not there yet")
}
