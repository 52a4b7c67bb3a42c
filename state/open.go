package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// busyTimeout is how long a connection waits for another process's write, in milliseconds:
// writes take milliseconds, a checkpoint of a large file on a slow disk some seconds.
const busyTimeout = 15_000

// Store is an open state file. Its methods may be called by several goroutines.
type Store struct {
	db     *sql.DB // nil before a copy of a stored state is open
	path   string  // or URL
	now    func() time.Time
	stored *versions // nil for a file on a local disk
}

// Open opens the state file for writing. A missing file is made, and so is its folder; an
// older one is brought to the present format. now is the clock that leases and times follow.
func Open(ctx context.Context, path string, now func() time.Time) (*Store, error) {
	if err := noFolder(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("state %s: making its folder: %w", path, explain(err))
	}
	s, err := open(path, "_txlock=immediate", now)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("state %s: opening: %w", path, explain(err)), s.Close())
	}
	return s, nil
}

// noFolder refuses a folder, at which SQLite would blame the disk.
func noFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("state %s: it is a folder: name a file in it, such as %s", path, filepath.Join(path, "ajlo.db"))
	}
	return nil
}

// OpenReadOnly opens an existing state file for reading; nothing on disk changes. A missing
// file is an error that matches fs.ErrNotExist.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("state %s: no such file: give the path of a state file, or let a run make one (%w)", path, fs.ErrNotExist)
	}
	if err := noFolder(path); err != nil {
		return nil, err
	}
	s, err := openChecked(ctx, path, "mode=ro")
	if primaryCode(err) == cantOpen && !exists(path+"-wal") {
		// A file in WAL mode needs its side files, which cannot be made in a folder that
		// must not be written. Without a log beside it the file is complete by itself.
		s, err = openChecked(ctx, path, "immutable=1")
	}
	return s, err
}

func openChecked(ctx context.Context, path, options string) (*Store, error) {
	s, err := open(path, options, nil)
	if err != nil {
		return nil, err
	}
	if err := s.check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("state %s: opening to read: %w", path, explain(err)), s.Close())
	}
	return s, nil
}

func open(path, options string, now func() time.Time) (*Store, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("state %s: finding its absolute path: %w", path, err)
	}
	// synchronous=FULL: what the write-ahead list names must be on disk before the files
	// are, and a night writes too little for the difference to matter.
	settings := fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)&", busyTimeout)
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: settings + options}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("state %s: opening: %w", path, err)
	}
	db.SetMaxOpenConns(1) // one writer at a time: goroutines queue here, not on file locks
	return &Store{db: db, path: path, now: now}, nil
}

// Close closes the file. Runs that were not finished stay open until their lease expires.
func (s *Store) Close() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	if s.stored != nil {
		err = errors.Join(err, s.stored.forget())
	}
	if err != nil {
		return fmt.Errorf("state %s: closing: %w", s.path, err)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// inTx runs do in one transaction that is on disk, and in the storage where the state is kept in
// one, when it returns nil.
func (s *Store) inTx(ctx context.Context, what string, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("state %s: %s: %w", s.path, what, explain(err))
	}
	if err := do(tx); err != nil {
		return errors.Join(fmt.Errorf("state %s: %s: %w", s.path, what, explain(err)), rollback(tx))
	}
	err = tx.Commit()
	if err == nil {
		err = s.publish(ctx)
	}
	if err != nil {
		return fmt.Errorf("state %s: %s: %w", s.path, what, explain(err))
	}
	return nil
}

// rollback undoes tx; that a cancelled context has done so already is no error.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }
