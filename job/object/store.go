package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strings"
	"time"
)

// ErrExists is wrapped by errors of Create and PutIfAbsent when the key is taken.
var ErrExists = fs.ErrExist

// ErrNotFound is wrapped by errors of reads and deletes of a key that is not there.
var ErrNotFound = fs.ErrNotExist

// ErrBadKey is wrapped when a key is empty, absolute or climbs out of the store.
var ErrBadKey = errors.New("key is not a clean relative path")

// ErrUncertain is wrapped by PutIfAbsent when the storage did not answer: the file may be
// there, not there, or appear later.
var ErrUncertain = errors.New("the storage did not say whether it was written")

// ErrCold is wrapped by reads of a file that is there and that its storage gives out only some hours
// after it was asked to restore it.
var ErrCold = errors.New("it lies in cold storage and has to be restored before it can be read")

// Store is one folder or prefix of some storage. Errors name the key and wrap the
// storage's own (full disk, no permission). Methods may be called from many goroutines.
type Store interface {
	// URL is where the store is, with a scheme and without a trailing slash.
	URL() string
	// List yields the files whose key starts with prefix and is greater than after, in
	// bytewise order of keys, subfolders included. A prefix that matches nothing yields
	// nothing. It stops after the first error.
	List(ctx context.Context, prefix, after string) iter.Seq2[Info, error]
	// ReadAll gives the whole file.
	ReadAll(ctx context.Context, key string) ([]byte, error)
	// Open gives random access to a file, which the caller closes.
	Open(ctx context.Context, key string) (Reader, error)
	// Create starts a new file; ErrExists when the key is taken, now or when it is closed. The
	// key is there from Close on; a process that is killed before leaves nothing, or a file
	// that IsTemporary, which Delete of the key takes away.
	Create(ctx context.Context, key string) (Writer, error)
	// PutIfAbsent makes a whole file appear at once, durably, or fails with ErrExists when
	// someone was first. After any other error the file may or may not be there, but it
	// does not appear later, unless the error is ErrUncertain.
	PutIfAbsent(ctx context.Context, key string, data []byte) error
	// Delete removes a file, and what is left of one that was never finished; ErrNotFound when
	// there is neither.
	Delete(ctx context.Context, key string) error
}

// Info describes one file.
type Info struct {
	Key      string
	Size     int64 // bytes
	Modified time.Time
}

// Reader reads anywhere in one file.
type Reader interface {
	io.ReaderAt
	io.Closer
	// Size is the file's length in bytes when it was opened.
	Size() int64
}

// Writer writes one new file.
type Writer interface {
	io.Writer
	// Close makes the file durable. The file is complete only when Close returned nil.
	Close() error
	// Abort gives up and removes what was written. After Close it does nothing.
	Abort() error
}

// CheckKey refuses keys that are no clean path below the root.
func CheckKey(key string) error {
	if !fs.ValidPath(key) || key == "." || strings.ContainsAny(key, "\x00") {
		return fmt.Errorf("%w: %q", ErrBadKey, key)
	}
	return nil
}

// TemporaryPrefix starts the names of files that are not yet what they will be. Readers of
// table formats pass over names that start with a dot.
const TemporaryPrefix = ".ajlo-tmp-"

// IsTemporary reports whether key names such a file.
func IsTemporary(key string) bool { return strings.HasPrefix(path.Base(key), TemporaryPrefix) }
