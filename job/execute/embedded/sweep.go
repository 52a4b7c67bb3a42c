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

// Sweep finds out what of a dead step's list is part of the table and deletes the rest.
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
	found, err := findNamed(ctx, store, paths)
	if err != nil {
		return execute.Swept{}, fmt.Errorf("sweep %s: %w", location, err)
	}
	swept := execute.Swept{}
	if len(found.paths) > 0 {
		swept = execute.Swept{Committed: true, Version: found.version}
	}
	swept.Gone, err = deleteOthers(ctx, store, paths, found.paths)
	return swept, err
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

// deleteOthers deletes the files of the list but for those that are named in the log.
func deleteOthers(ctx context.Context, store object.Store, paths []string, named map[string]bool) (gone []string, err error) {
	for _, p := range paths {
		if named[p] {
			continue
		}
		if err := store.Delete(ctx, p); err != nil && !errors.Is(err, object.ErrNotFound) {
			return gone, fmt.Errorf("sweep: %w", err)
		}
		gone = append(gone, p)
	}
	return gone, nil
}
