package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ajlo/job/object"
)

// Stored is a state that lives in object storage, for a machine that keeps no disk. Every
// version of the file is an object of its own, NAME/00…042.db, that is written only where none
// is: of two runs that follow one version one wins, and a stale copy is never put over a newer
// one. Any SQLite tool reads the newest object.
type Stored struct {
	Objects object.Store // the folder that holds the state
	Name    string       // of the state in that folder, such as ajlo.db
	Scratch string       // local folder of the copy that is worked on, the system's for temporary files where ""
}

// OpenStored opens a state in object storage for writing. What a method records is in the
// storage when it returns. One that is not there yet is made by the first record.
func OpenStored(ctx context.Context, at Stored, now func() time.Time) (*Store, error) {
	s := &Store{path: at.url(), now: now, stored: &versions{Stored: at}}
	return s, s.fetch(ctx)
}

// OpenStoredReadOnly opens the newest version of a state in object storage for reading. Where
// there is none it is an error that matches fs.ErrNotExist.
func OpenStoredReadOnly(ctx context.Context, at Stored) (*Store, error) {
	v := &versions{Stored: at}
	file, err := v.download(ctx)
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", at.url(), err)
	}
	if v.version == 0 {
		return nil, errors.Join(fmt.Errorf("state %s: no such state: give the URL of one, or let a run make one (%w)", at.url(), fs.ErrNotExist), v.forget())
	}
	s, err := openChecked(ctx, file, "immutable=1")
	if err != nil {
		return nil, errors.Join(v.named(err), v.forget())
	}
	s.path, s.stored = at.url(), v
	return s, nil
}

func (at Stored) url() string { return at.Objects.URL() + "/" + at.Name }

// fetch opens a copy of the newest version, in the place of the one that was open before.
func (s *Store) fetch(ctx context.Context) error {
	if err := s.Close(); err != nil {
		return err
	}
	file, err := s.stored.download(ctx)
	if err != nil {
		return fmt.Errorf("state %s: %w", s.path, err)
	}
	local, err := Open(ctx, file, s.now)
	if err != nil {
		return errors.Join(s.stored.named(err), s.stored.forget())
	}
	s.db = local.db
	return nil
}

// freshen fetches the newest version where another process has put one since.
func (s *Store) freshen(ctx context.Context) error {
	if s.stored == nil {
		return nil
	}
	err := s.stored.checkNewest(ctx)
	if errors.Is(err, errBehind) {
		return s.fetch(ctx)
	}
	return err
}

// publish puts what was recorded into the storage, as the next version.
func (s *Store) publish(ctx context.Context) error {
	if s.stored == nil {
		return nil
	}
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	data, err := s.whole(ctx)
	if err != nil {
		return err
	}
	return s.stored.put(ctx, data)
}

// whole gives the bytes of the local copy: the file by itself lacks what is still in its
// write-ahead log.
func (s *Store) whole(ctx context.Context) ([]byte, error) {
	whole := filepath.Join(s.stored.folder, "whole.db")
	if err := os.Remove(whole); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", whole); err != nil {
		return nil, fmt.Errorf("copying: %w", err)
	}
	return os.ReadFile(whole)
}
