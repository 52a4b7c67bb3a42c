package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ajlo/job/object"
	"ajlo/state"
)

// StateFile is where a state is.
type StateFile struct {
	Location string        // a path on this machine, or the URL of a state in object storage
	Open     object.Opener // of folders in storage; object.Open where nil
}

// StateFile is that of the night's config.
func (n Night) StateFile() StateFile { return StateFile{n.Config.State, n.opener()} }

// folder is where the state is, with what is kept beside it, and its name there. ok is false
// for a path on this machine.
func (f StateFile) folder() (at state.Stored, ok bool, err error) {
	if object.IsLocal(f.Location) {
		return at, false, nil
	}
	folder, name := object.Split(f.Location)
	objects, err := f.opener()(folder)
	if err != nil {
		return at, true, fmt.Errorf("state: %w", err)
	}
	return state.Stored{Objects: objects, Name: name}, true, nil
}

func (f StateFile) open(ctx context.Context, clock func() time.Time) (*state.Store, error) {
	at, stored, err := f.folder()
	switch {
	case err != nil:
		return nil, err
	case stored:
		return state.OpenStored(ctx, at, clock)
	}
	if err := f.emptied(); err != nil {
		return nil, err
	}
	return state.Open(ctx, f.Location, clock)
}

// emptied is state.ErrEmptied of a file on this machine that lost all of its bytes. A run that is killed
// while it makes its state leaves an empty file, too, but there are no plans then.
func (f StateFile) emptied() error {
	info, err := os.Stat(f.Location)
	if err != nil || info.Size() > 0 {
		return nil // opening it says what else is wrong
	}
	plans, err := os.ReadDir(filepath.Join(filepath.Dir(f.Location), plansFolder))
	if err != nil || len(plans) == 0 {
		return nil
	}
	return fmt.Errorf("state %s: %w", f.Location, state.ErrEmptied)
}

// read opens the state for reading. Where there is none it is an error that matches
// fs.ErrNotExist.
func (f StateFile) read(ctx context.Context) (*state.Store, error) {
	at, stored, err := f.folder()
	switch {
	case err != nil:
		return nil, err
	case stored:
		return state.OpenStoredReadOnly(ctx, at)
	}
	if err := f.emptied(); err != nil {
		return nil, err
	}
	return state.OpenReadOnly(ctx, f.Location)
}

// demand is read for callers to whom a state that is not there is a mistake of the user's.
func (f StateFile) demand(ctx context.Context) (*state.Store, error) {
	store, err := f.read(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &UsageError{err.Error()}
	}
	return store, err
}
