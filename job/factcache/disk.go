package factcache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	folderMode = 0o700
	fileMode   = 0o600
)

// disk is a folder of this machine.
type disk string

func (d disk) path(name string) string { return filepath.Join(string(d), name) }

func (d disk) list(context.Context) ([]string, error) {
	entries, err := os.ReadDir(string(d))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// read gives a file of a sensible size; what is none, such as a pipe, would never end.
func (d disk) read(_ context.Context, name string) ([]byte, error) {
	info, err := os.Stat(d.path(name))
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", d.path(name))
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, more than any that ajlo writes", d.path(name), info.Size())
	}
	return os.ReadFile(d.path(name))
}

// maxFile is a hundred times what a week of one busy application takes.
const maxFile = 1 << 30 // bytes

func (d disk) remove(_ context.Context, name string) error { return os.Remove(d.path(name)) }

func (d disk) close(ctx context.Context) error {
	if names, err := d.list(ctx); err != nil || len(names) > 0 {
		return err
	}
	if info, err := os.Lstat(string(d)); err != nil || !info.IsDir() { // a link is somebody's
		return gone(err)
	}
	return gone(os.Remove(string(d)))
}

// write does not sync: what a power cut leaves of a file does not have its digest.
func (d disk) write(_ context.Context, name string, file []byte) (err error) {
	if err := os.MkdirAll(string(d), folderMode); err != nil {
		return err
	}
	t, err := os.CreateTemp(string(d), temporary+"*") // 0600 from the start
	if err != nil {
		return err
	}
	_, err = t.Write(file)
	if err = errors.Join(err, t.Chmod(fileMode), t.Close()); err == nil {
		err = os.Rename(t.Name(), d.path(name))
	}
	if err != nil {
		err = errors.Join(err, gone(os.Remove(t.Name())))
	}
	return err
}

func (d disk) olderThan(name string, t time.Time) bool {
	info, err := os.Lstat(d.path(name))
	return err == nil && info.ModTime().Before(t)
}
