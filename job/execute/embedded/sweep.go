package embedded

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/rewrite"
)

// Sweep finds out what of a dead step's list is part of the table and deletes the rest.
// Before anything is deleted the whole log is read: commits, checkpoints and whatever else
// lies there; a file of the list that any of them names stays, live or not. So does one whose
// footer does not name the run: a list alone is no leave to delete.
func (e *Engine) Sweep(ctx context.Context, left execute.Leftover) (execute.Swept, error) {
	swept, err := e.sweep(ctx, left)
	if err != nil {
		return swept, fmt.Errorf("sweep %s: %w", left.Location, err)
	}
	return swept, nil
}

func (e *Engine) sweep(ctx context.Context, left execute.Leftover) (execute.Swept, error) {
	for _, p := range left.Paths {
		if err := checkSweepable(p); err != nil {
			return execute.Swept{}, err
		}
	}
	store, err := e.o.Open(string(left.Location))
	if errors.Is(err, object.ErrNotFound) {
		return execute.Swept{}, nil
	}
	if err != nil {
		return execute.Swept{}, err
	}
	found, err := execute.FindNamed(ctx, store, left.Paths)
	if err != nil {
		return execute.Swept{}, err
	}
	swept := execute.Swept{}
	if len(found.Paths) > 0 {
		swept = execute.Swept{Committed: true, Version: found.Version}
	}
	for _, p := range left.Paths {
		if !found.Paths[p] && err == nil {
			err = sweepFile(ctx, store, left.Run, p, &swept)
		}
	}
	return swept, err
}

// sweepFile deletes a file that the run wrote. Files get their names when they are whole, so
// that there is a footer to ask; what is left of others goes by their names.
func sweepFile(ctx context.Context, store object.Store, run, name string, swept *execute.Swept) error {
	by, err := rewrite.WrittenBy(ctx, store, name)
	switch {
	case errors.Is(err, object.ErrNotFound), err == nil && by == run && run != "":
		if err := store.Delete(ctx, name); err != nil && !errors.Is(err, object.ErrNotFound) {
			return err
		}
		swept.Gone = append(swept.Gone, name)
		return nil
	case err == nil:
		swept.Foreign = append(swept.Foreign, name)
	}
	return err
}

// checkSweepable refuses names that no rewrite of ours ever had.
func checkSweepable(name string) error {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case !strings.HasSuffix(name, ".parquet"), path.Clean(name) != name, path.IsAbs(name), strings.HasPrefix(name, ".."):
		return fmt.Errorf("%q is no data file of the table", name)
	case first == execute.LogFolder, strings.ContainsAny(name, "\\\x00"):
		return fmt.Errorf("%q is no data file of the table", name)
	}
	return nil
}
