package embedded

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/table"
)

// logFolder is the table's log, where nothing is ever deleted.
const logFolder = "_delta_log"

// Sweep finds out whether a dead attempt committed and deletes what it left if it did not.
// Before anything is deleted the whole log is read: commits, checkpoints and whatever else
// lies there; a file of the list that any of them names stays, live or not.
func (e *Engine) Sweep(ctx context.Context, location table.Location, paths []string) (execute.Swept, error) {
	for _, p := range paths {
		if err := checkSweepable(p); err != nil {
			return execute.Swept{}, fmt.Errorf("sweep %s: %w", location, err)
		}
	}
	store, err := e.o.Open(string(location))
	if errors.Is(err, object.ErrNotFound) {
		return execute.Swept{}, nil
	}
	if err != nil {
		return execute.Swept{}, fmt.Errorf("sweep %s: %w", location, err)
	}
	found, err := findCommit(ctx, store, paths)
	if err != nil || found.Committed {
		return found, err
	}
	return deleteAll(ctx, store, paths)
}

// checkSweepable refuses names that no rewrite of ours ever had.
func checkSweepable(name string) error {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case !strings.HasSuffix(name, ".parquet"), path.Clean(name) != name, path.IsAbs(name), strings.HasPrefix(name, ".."):
		return fmt.Errorf("%q is no data file of the table", name)
	case first == logFolder, strings.ContainsAny(name, "\\\x00"):
		return fmt.Errorf("%q is no data file of the table", name)
	}
	return nil
}

func deleteAll(ctx context.Context, store object.Store, paths []string) (swept execute.Swept, err error) {
	for _, p := range paths {
		err := store.Delete(ctx, p)
		if errors.Is(err, object.ErrNotFound) {
			continue
		}
		if err != nil {
			return swept, fmt.Errorf("sweep: %w", err)
		}
		swept.Removed = append(swept.Removed, p)
	}
	return swept, nil
}
