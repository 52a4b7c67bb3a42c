package execute

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

	"ajlo/job/object"
)

// Named is what a table's log says of a list of files.
type Named struct {
	Paths   map[string]bool // those that something in the log names
	Version int64           // of the commit that names one, −1 where none is left that does
}

// LogFolder is the table's log, where nothing is ever deleted.
const LogFolder = "_delta_log"

// FindNamed looks for files in everything that lies in the table's log, whatever says of them
// that they are or were part of the table. A file's own name holds a UUID and no character that
// the log would escape, so that a plain search of the text finds it; the log spells the folders
// of partitions in another way.
func FindNamed(ctx context.Context, store object.Store, paths []string) (Named, error) {
	found := Named{Paths: map[string]bool{}, Version: -1}
	if len(paths) == 0 {
		return found, nil
	}
	for info, err := range store.List(ctx, LogFolder+"/", "") {
		if err != nil {
			return Named{}, fmt.Errorf("look for a commit: %w", err)
		}
		before := len(found.Paths)
		if err := found.search(ctx, store, info.Key, paths); err != nil {
			return Named{}, fmt.Errorf("look for a commit in %s: %w", info.Key, err)
		}
		if version, ok := commitVersion(info.Key); ok && len(found.Paths) > before {
			found.Version = version
		}
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

// search adds the paths that a file of the log names. A file that is not yet a part of the
// log, or that went away since it was listed, names none.
func (n Named) search(ctx context.Context, store object.Store, key string, paths []string) error {
	if object.IsTemporary(key) {
		return nil
	}
	var err error
	if strings.HasSuffix(key, ".parquet") {
		err = n.searchCheckpoint(ctx, store, key, paths)
	} else {
		var text []byte
		text, err = store.ReadAll(ctx, key)
		n.searchText(text, paths)
	}
	if errors.Is(err, object.ErrNotFound) {
		return nil
	}
	return err
}

func (n Named) searchText(text []byte, paths []string) {
	for _, p := range paths {
		if !n.Paths[p] && bytes.Contains(text, []byte(path.Base(p))) {
			n.Paths[p] = true
		}
	}
}

// searchCheckpoint reads the path columns of a checkpoint: those of added, removed and
// sidecar files.
func (n Named) searchCheckpoint(ctx context.Context, store object.Store, key string, paths []string) (err error) {
	r, err := store.Open(ctx, key)
	if err != nil {
		return err
	}
	// parquet-go gives up by panic on some damaged files.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %v", p)
		}
		err = errors.Join(err, r.Close())
	}()
	file, err := parquet.OpenFile(r, r.Size())
	if err != nil {
		return err
	}
	for _, action := range file.Root().Columns() {
		column := action.Column("path")
		if column == nil || !column.Leaf() {
			continue
		}
		for _, group := range file.RowGroups() {
			if err := n.searchChunk(group.ColumnChunks()[column.Index()], paths); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n Named) searchChunk(chunk parquet.ColumnChunk, paths []string) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = n.searchPage(page, paths)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func (n Named) searchPage(page parquet.Page, paths []string) error {
	if page.NumValues() == 0 {
		return nil
	}
	values, from := make([]parquet.Value, page.NumValues()), page.Values()
	for {
		read, err := from.ReadValues(values)
		for _, v := range values[:read] {
			if !v.IsNull() {
				n.searchText(v.ByteArray(), paths)
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err == nil && read == 0:
			return io.ErrNoProgress
		case err != nil:
			return err
		}
	}
}
