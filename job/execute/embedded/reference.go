package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"ajlo/job/execute"
	"ajlo/job/object"
)

// findCommit looks for the named files in everything that lies in the table's log, whatever
// says of them that they are or were part of the table. All files of an attempt are in one
// commit, so one that is named means that the attempt committed. Names hold a UUID and no
// character that the log would escape, so that a plain search of the text finds them.
func findCommit(ctx context.Context, store object.Store, paths []string) (found execute.Swept, err error) {
	if len(paths) == 0 {
		return execute.Swept{}, nil
	}
	for info, err := range store.List(ctx, logFolder+"/", "") {
		if err != nil {
			return execute.Swept{}, fmt.Errorf("look for a commit: %w", err)
		}
		named, err := names(ctx, store, info.Key, paths)
		if err != nil {
			return execute.Swept{}, fmt.Errorf("look for a commit in %s: %w", info.Key, err)
		}
		if !named {
			continue
		}
		if version, ok := commitVersion(info.Key); ok {
			return execute.Swept{Committed: true, Version: version}, nil
		}
		found = execute.Swept{Committed: true, Version: -1}
	}
	return found, nil
}

// commitVersion is the version of a commit's file: twenty digits and ".json".
func commitVersion(key string) (int64, bool) {
	digits, ok := strings.CutSuffix(path.Base(key), ".json")
	if !ok || len(digits) != 20 {
		return 0, false
	}
	version, err := strconv.ParseInt(digits, 10, 64)
	return version, err == nil
}

// names reports whether a file of the log names one of the paths. A file that is not yet a
// part of the log, or that went away since it was listed, names none.
func names(ctx context.Context, store object.Store, key string, paths []string) (bool, error) {
	if object.IsTemporary(key) {
		return false, nil
	}
	var named bool
	var err error
	if strings.HasSuffix(key, ".parquet") {
		named, err = checkpointNames(ctx, store, key, paths)
	} else {
		var text []byte
		text, err = store.ReadAll(ctx, key)
		named = holdsAny(text, paths)
	}
	if errors.Is(err, object.ErrNotFound) {
		return false, nil
	}
	return named, err
}

func holdsAny(text []byte, paths []string) bool {
	for _, p := range paths {
		if bytes.Contains(text, []byte(p)) {
			return true
		}
	}
	return false
}

// checkpointNames reads the path columns of a checkpoint: those of added, removed and
// sidecar files.
func checkpointNames(ctx context.Context, store object.Store, key string, paths []string) (named bool, err error) {
	r, err := store.Open(ctx, key)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	file, err := parquet.OpenFile(r, r.Size())
	if err != nil {
		return false, err
	}
	for _, action := range file.Root().Columns() {
		column := action.Column("path")
		if column == nil || !column.Leaf() {
			continue
		}
		for _, group := range file.RowGroups() {
			named, err := chunkNames(group.ColumnChunks()[column.Index()], paths)
			if err != nil || named {
				return named, err
			}
		}
	}
	return false, nil
}

func chunkNames(chunk parquet.ColumnChunk, paths []string) (named bool, err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		named, err := pageNames(page, paths)
		parquet.Release(page)
		if err != nil || named {
			return named, err
		}
	}
}

func pageNames(page parquet.Page, paths []string) (bool, error) {
	values := make([]parquet.Value, page.NumValues())
	n, err := page.Values().ReadValues(values)
	if err != nil && err != io.EOF {
		return false, err
	}
	for _, v := range values[:n] {
		if !v.IsNull() && holdsAny(v.ByteArray(), paths) {
			return true, nil
		}
	}
	return false, nil
}
