package object

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// newFile lets everyone read and only the owner's umask say more, as Hadoop's local file
// system does; engines under other accounts read what ajlo wrote.
const newFile = 0o644

const newFolder = 0o755

// localWriter writes a file under its final name.
type localWriter struct {
	file *os.File
	key  string
	done bool
}

func (l local) Create(ctx context.Context, key string) (Writer, error) {
	name, err := l.prepare(ctx, "create", key)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", key, err)
	}
	return &localWriter{file: f, key: key}, nil
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
	err := errors.Join(w.file.Sync(), w.file.Close())
	if err == nil {
		err = syncFolder(filepath.Dir(w.file.Name()))
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", w.key, err)
	}
	return nil
}

func (w *localWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	if err := errors.Join(w.file.Close(), os.Remove(w.file.Name())); err != nil {
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
