package object

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// newFile lets everyone read and only the owner's umask say more, as Hadoop's local file
// system does; engines under other accounts read what ajlo wrote.
const newFile = 0o644

const newFolder = 0o755

// localWriter writes a file that gets its name when it is whole, so that of one whose writer
// was killed nothing is ever seen under that name.
type localWriter struct {
	file *os.File
	key  string
	name string // the path that the file will have
	// temporary is the path that it has until then; "" for a file that has none.
	temporary string
	done      bool
}

func (l local) Create(ctx context.Context, key string) (Writer, error) {
	name, err := l.prepare(ctx, "create", key)
	if err != nil {
		return nil, err
	}
	w := &localWriter{key: key, name: name}
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("create %s: %w", key, err)
	}
	return w, nil
}

// open starts a file without a name, or, where the file system knows none such, under a
// temporary one.
func (w *localWriter) open() (err error) {
	if _, err := os.Lstat(w.name); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, ErrExists)
	}
	if w.file, err = nameless(filepath.Dir(w.name)); err == nil {
		return nil
	}
	w.temporary = unfinished(w.name)
	w.file, err = os.OpenFile(w.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	return err
}

// unfinished is the temporary name of a file until it is whole; Delete of the file takes away
// what is there under it, too.
func unfinished(name string) string {
	return filepath.Join(filepath.Dir(name), TemporaryPrefix+filepath.Base(name))
}

// prepare gives the path on disk of a key that is about to be written, with its folder made.
func (l local) prepare(ctx context.Context, operation, key string) (string, error) {
	name, err := l.where(operation, key)
	if err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("%s %s: %w", operation, key, err)
	}
	if err := os.MkdirAll(filepath.Dir(name), newFolder); err != nil {
		return "", fmt.Errorf("%s %s: %w", operation, key, err)
	}
	return name, nil
}

func (w *localWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if err != nil {
		return n, fmt.Errorf("write %s: %w", w.key, err)
	}
	return n, nil
}

// Close brings the bytes to the disk first and the file's name after them.
func (w *localWriter) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	err := w.file.Sync()
	if err == nil && w.temporary == "" {
		err = w.named()
	}
	if err = errors.Join(err, w.file.Close()); err == nil && w.temporary != "" {
		err = os.Link(w.temporary, w.name)
	}
	err = errors.Join(err, w.tidy())
	if err == nil {
		err = syncFolder(filepath.Dir(w.name))
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", w.key, err)
	}
	return nil
}

// named gives a nameless file its name. Where the file system makes such files and then gives
// them none, its bytes are copied.
func (w *localWriter) named() error {
	err := giveName(w.file, w.name)
	if err == nil || errors.Is(err, ErrExists) {
		return err
	}
	temporary := unfinished(w.name)
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return err
	}
	w.temporary = temporary
	_, err = io.Copy(f, io.NewSectionReader(w.file, 0, math.MaxInt64))
	return errors.Join(err, f.Sync(), f.Close())
}

// tidy takes the temporary name away.
func (w *localWriter) tidy() error {
	if w.temporary == "" {
		return nil
	}
	return os.Remove(w.temporary)
}

func (w *localWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	if err := errors.Join(w.file.Close(), w.tidy()); err != nil {
		return fmt.Errorf("abort %s: %w", w.key, err)
	}
	return nil
}

// PutIfAbsent writes a file and then links it to its name: link() fails when the name is taken,
// in one step and between processes, which rename() does not.
func (l local) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	name, err := l.prepare(ctx, "put", key)
	if err != nil {
		return err
	}
	folder := filepath.Dir(name)
	err = appear(folder, name, data)
	if err == nil {
		err = syncFolder(folder)
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
}

// appearNamed does it by way of a temporary file beside the name.
func appearNamed(folder, name string, data []byte) error {
	temporary, err := writeTemporary(folder, data)
	if err == nil {
		err = os.Link(temporary, name)
	}
	if temporary != "" {
		err = errors.Join(err, os.Remove(temporary))
	}
	return err
}

// writeTemporary makes a durable file with a name nobody else uses. The name comes back
// whenever there is something to remove, also beside an error.
func writeTemporary(folder string, data []byte) (name string, err error) {
	name = filepath.Join(folder, TemporaryPrefix+rand.Text())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	return name, errors.Join(err, f.Sync(), f.Close())
}

// syncFolder makes new names in a folder survive a power cut.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
