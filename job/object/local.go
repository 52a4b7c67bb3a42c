package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// local is a folder on a disk of this machine.
type local struct{ root string }

// OpenLocal is the store of an existing local folder.
func OpenLocal(dir string) (Store, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open folder %s: it is a file, want a folder", dir)
	}
	return local{root}, nil
}

func (l local) URL() string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(l.root)}).String()
}

// where gives the path on disk of a key.
func (l local) where(operation, key string) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", fmt.Errorf("%s: %w", operation, err)
	}
	return filepath.Join(l.root, filepath.FromSlash(key)), nil
}

func (l local) List(ctx context.Context, prefix, after string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		folder := ""
		if cut := strings.LastIndexByte(prefix, '/'); cut >= 0 {
			folder = prefix[:cut]
			if err := CheckKey(folder); err != nil {
				yield(Info{}, fmt.Errorf("list: %w", err))
				return
			}
		}
		l.walk(ctx, folder, prefix, after, yield)
	}
}

// walk yields what is below folder in bytewise order of whole keys and reports whether to
// go on. A subfolder sorts as its name with a slash, since that is what its keys start with.
func (l local) walk(ctx context.Context, folder, prefix, after string, yield func(Info, error) bool) bool {
	entries, err := l.entries(ctx, folder)
	if err != nil {
		return yield(Info{}, fmt.Errorf("list %s: %w", prefix, err)) && false
	}
	for _, e := range entries {
		key := path.Join(folder, e.Name())
		if e.IsDir() {
			if mayHold(key+"/", prefix, after) && !l.walk(ctx, key, prefix, after, yield) {
				return false
			}
			continue
		}
		if !strings.HasPrefix(key, prefix) || key <= after {
			continue
		}
		if !l.yieldFile(key, e, yield) {
			return false
		}
	}
	return true
}

// entries reads one folder; one that is not there, or that is a file, is empty.
func (l local) entries(ctx context.Context, folder string) ([]fs.DirEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(l.root, filepath.FromSlash(folder)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(sortName(a), sortName(b)) })
	return entries, nil
}

func sortName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

// mayHold reports whether a folder (with its slash) can hold keys with the prefix after the
// given key.
func mayHold(folder, prefix, after string) bool {
	overlaps := strings.HasPrefix(folder, prefix) || strings.HasPrefix(prefix, folder)
	return overlaps && (folder > after || strings.HasPrefix(after, folder))
}

// yieldFile yields one file and reports whether to go on. A file that went away since its
// folder was read is passed over: a concurrent writer cleaned up.
func (l local) yieldFile(key string, e fs.DirEntry, yield func(Info, error) bool) bool {
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return yield(Info{}, fmt.Errorf("list %s: %w", key, err)) && false
	}
	return yield(Info{Key: key, Size: info.Size(), Modified: info.ModTime()}, nil)
}

func (l local) ReadAll(ctx context.Context, key string) ([]byte, error) {
	name, err := l.where("read", key)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return data, nil
}

// localReader is an open file with its size.
type localReader struct {
	*os.File
	size int64
}

func (r localReader) Size() int64 { return r.size }

func (l local) Open(ctx context.Context, key string) (Reader, error) {
	name, err := l.where("open", key)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open %s: %w", key, err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", key, err), f.Close())
	}
	return localReader{f, info.Size()}, nil
}

func (l local) Delete(ctx context.Context, key string) error {
	name, err := l.where("delete", key)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	left := os.Remove(unfinished(name))
	err = os.Remove(name)
	if left == nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}
