package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Copy is a state whole, in a local file of its own that nobody writes to.
type Copy struct {
	Path   string
	Format int // of the file; older than this ajlo's where an older one wrote it
	Runs   int
	Newest string // night of its last run; "" where it has none
}

// CopyOf copies the state at a path to a new local file, as it is at one moment: a run may be
// at work meanwhile. The state must be sound and no newer than this ajlo; it may be older.
func CopyOf(ctx context.Context, path, to string) (Copy, error) {
	if !exists(path) {
		return Copy{}, fmt.Errorf("state %s: no such file (%w)", path, fs.ErrNotExist)
	}
	c, err := copyBy(ctx, path, "mode=ro", to)
	if primaryCode(err) == cantOpen && !exists(path+"-wal") {
		c, err = copyBy(ctx, path, "immutable=1", to) // see OpenReadOnly
	}
	return c, err
}

// Copy is CopyOf for the newest version of a state in object storage.
func (at Stored) Copy(ctx context.Context, to string) (c Copy, err error) {
	v := &versions{Stored: at}
	file, err := v.download(ctx)
	if err != nil {
		return Copy{}, fmt.Errorf("state %s: %w", at.url(), err)
	}
	defer func() { err = errors.Join(err, v.forget()) }()
	if v.version == 0 {
		return Copy{}, fmt.Errorf("state %s: no such state (%w)", at.url(), fs.ErrNotExist)
	}
	if c, err = copyBy(ctx, file, "immutable=1", to); err != nil {
		err = v.named(err)
	}
	return c, err
}

func copyBy(ctx context.Context, path, options, to string) (c Copy, err error) {
	s, err := open(path, options, nil)
	if err != nil {
		return Copy{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if c, err = s.describe(ctx); err == nil {
		c.Path = to
		_, err = s.db.ExecContext(ctx, "VACUUM INTO ?", to)
	}
	if err != nil {
		return Copy{}, fmt.Errorf("state %s: copying: %w", path, explain(err))
	}
	return c, nil
}

// describe reads what a sound file of ajlo holds.
func (s *Store) describe(ctx context.Context) (c Copy, err error) {
	steps, err := migrations()
	if err != nil {
		return c, err
	}
	if err := s.sound(ctx); err != nil {
		return c, err
	}
	if c.Format, err = formatOf(ctx, s.db, len(steps)); err != nil {
		return c, err
	}
	if c.Format == 0 {
		return c, errors.New("it is empty: no run was ever recorded in it")
	}
	return c, s.db.QueryRowContext(ctx, `SELECT count(*), coalesce(max(night), '') FROM runs`).Scan(&c.Runs, &c.Newest)
}

// Latest is the format of this ajlo's states.
func Latest() (int, error) {
	steps, err := migrations()
	return len(steps), err
}

// Upgrade brings a copy to the format of this ajlo.
func (c Copy) Upgrade(ctx context.Context) (Copy, error) {
	s, err := Open(ctx, c.Path, nil)
	if err != nil {
		return c, err
	}
	upgraded, err := s.describe(ctx)
	upgraded.Path = c.Path
	return upgraded, errors.Join(err, s.Close())
}

// beside is a file in the state's folder, named after the state.
func beside(path, what string) string {
	return filepath.Join(filepath.Dir(path), filepath.Base(path)+"."+what)
}
