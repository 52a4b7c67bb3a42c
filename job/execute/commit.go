package execute

import (
	"context"
	"errors"
	"fmt"

	"ajlo/job/delta"
	"ajlo/job/object"
	"ajlo/job/rewrite"
)

// Commit makes a change part of the table, or takes its new files away again. While it is not
// known whether the commit was written they stay, and the next sweep finds out.
func Commit(ctx context.Context, store object.Store, read delta.Snapshot, c delta.Change) (delta.Committed, error) {
	paths := make([]string, len(c.Add))
	for i, f := range c.Add {
		paths[i] = f.Path
	}
	done, err := delta.Commit(ctx, store, read, c)
	afterwards := context.WithoutCancel(ctx)
	if errors.Is(err, delta.ErrOutcomeUnknown) {
		found, readErr := FindNamed(afterwards, store, paths)
		if readErr != nil || len(found.Paths) == 0 {
			return delta.Committed{}, errors.Join(fmt.Errorf("the new files are kept, the next run finds out: %w", err), readErr)
		}
		done, err = delta.Committed{Version: found.Version, Attempts: 1}, nil
	}
	if err != nil {
		return delta.Committed{}, errors.Join(err, rewrite.Discard(afterwards, store, paths))
	}
	return done, nil
}

// NoCheckpoint is the warning of a commit whose checkpoint was not written.
func NoCheckpoint(done delta.Committed) (warnings []string) {
	if done.Checkpoint == nil {
		return nil
	}
	return []string{fmt.Sprintf("no checkpoint was written after version %d, the next one that is due makes up for it: %v", done.Version, done.Checkpoint)}
}
