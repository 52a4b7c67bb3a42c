package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"ajlo/job/object"
)

// Newer is a state that was not replaced by a copy, since it knows of runs that the copy does not.
type Newer struct{ Runs []string }

func (e *Newer) Error() string {
	return fmt.Sprintf("the state has %d runs that the copy does not have as they are, among them %s", len(e.Runs), e.Runs[0])
}

// Replacing says what may become of a state that is newer than the copy.
type Replacing string

// The two ways: a newer state is kept, or is replaced by what is older all the same.
const (
	KeepNewer Replacing = "keep-newer"
	Replace   Replacing = "replace"
)

// errUnsound is a file that SQLite's own check finds faults in.
var errUnsound = errors.New("SQLite's check found faults")

// ErrEmptied is wrapped where a state that had a history has no byte left.
var ErrEmptied = errors.New("the file is empty, and runs left plans beside it: put a backup in its place (state restore), or move it away and have it written anew (state rebuild)")

// IsDamaged reports whether an error is of a file that is damaged, cut short or no SQLite file.
func IsDamaged(err error) bool {
	code := primaryCode(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || errors.Is(err, errUnsound) || errors.Is(err, ErrEmptied)
}

// timeInName is the form of moments in the names of files.
const timeInName = "20060102T150405.000000Z"

// Restore replaces what the state holds by what a copy of the same format holds, in one
// transaction, as the next version where the state is in object storage. It fails with
// *LeaseHeld while a run is at work, and with *Newer where the copy lacks something and how does
// not allow that. What was there is first copied to the place that is returned; "" where it had
// no run. Nobody has the lease afterwards: a run that was at work when the copy was made reads as
// interrupted once the next one begins.
func (s *Store) Restore(ctx context.Context, from Copy, how Replacing, dead func(holder string) bool) (aside string, err error) {
	if _, err := s.db.ExecContext(ctx, "ATTACH ? AS copy", from.Path); err != nil {
		return "", fmt.Errorf("state %s: opening the copy %s: %w", s.path, from.Path, explain(err))
	}
	defer func() {
		_, detached := s.db.ExecContext(ctx, "DETACH copy")
		err = errors.Join(err, detached)
	}()
	before, err := s.dataVersion(ctx, s.db)
	if err != nil {
		return "", err
	}
	if aside, err = s.setAside(ctx); err != nil {
		return "", fmt.Errorf("state %s: keeping what is there: %w", s.path, explain(err))
	}
	err = s.inTx(ctx, "restoring a copy", func(tx *sql.Tx) error {
		if err := leaseFree(ctx, tx, s.now(), dead); err != nil {
			return err
		}
		if now, err := s.dataVersion(ctx, tx); err != nil || now != before {
			return errors.Join(err, errors.New("another process has written to the state meanwhile: look at it and try again"))
		}
		if how == KeepNewer {
			if err := mayReplace(ctx, tx); err != nil {
				return err
			}
		}
		return replaceAll(ctx, tx)
	})
	if err != nil {
		return "", errors.Join(err, s.dropAside(ctx, aside))
	}
	return aside, nil
}

// dataVersion changes when another connection has changed the file.
func (s *Store) dataVersion(ctx context.Context, db querier) (version int64, err error) {
	return version, db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
}

// setAside copies the state beside itself; nothing where it has no run.
func (s *Store) setAside(ctx context.Context) (string, error) {
	var runs int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM runs`).Scan(&runs); err != nil || runs == 0 {
		return "", err
	}
	name := "before-restore-" + s.now().UTC().Format(timeInName)
	if s.stored == nil {
		to := beside(s.path, name)
		_, err := s.db.ExecContext(ctx, "VACUUM INTO ?", to)
		return to, err
	}
	data, err := s.whole(ctx)
	if err != nil {
		return "", err
	}
	key := s.stored.Name + "." + name
	return s.stored.Objects.URL() + "/" + key, s.stored.Objects.PutIfAbsent(ctx, key, data)
}

// dropAside takes away the copy of a state that stays as it is.
func (s *Store) dropAside(ctx context.Context, aside string) error {
	switch {
	case aside == "":
		return nil
	case s.stored == nil:
		return os.Remove(aside)
	}
	_, key := object.Split(aside)
	return s.stored.Objects.Delete(ctx, key)
}

// mayReplace fails with *Newer where the state has runs or steps that ended otherwise than the
// copy has them.
func mayReplace(ctx context.Context, tx *sql.Tx) error {
	const query = `SELECT m.id FROM (SELECT * FROM main.runs EXCEPT SELECT * FROM copy.runs) m LEFT JOIN copy.runs c ON c.id = m.id
			WHERE m.outcome IS NOT NULL OR c.id IS NULL
		UNION SELECT m.run_id FROM (SELECT * FROM main.steps EXCEPT SELECT * FROM copy.steps) m LEFT JOIN copy.steps c ON c.run_id = m.run_id AND c.step = m.step
			WHERE m.status NOT IN ('pending', 'running') OR c.run_id IS NULL
		ORDER BY 1`
	runs, err := texts(ctx, tx, query)
	if err == nil && len(runs) > 0 {
		return &Newer{runs}
	}
	return err
}

// replaceAll puts the copy's rows in the place of the state's. Keys are checked at the end.
func replaceAll(ctx context.Context, tx *sql.Tx) error {
	tables, err := texts(ctx, tx, `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
		return err
	}
	for _, name := range tables {
		if err := replaceTable(ctx, tx, name); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	return nil
}

func replaceTable(ctx context.Context, tx *sql.Tx, name string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM main."+name); err != nil || name == "lease" {
		return err
	}
	columns, err := texts(ctx, tx, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, name)
	if err != nil {
		return err
	}
	list := strings.Join(columns, ", ")
	_, err = tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO main.%s (%s) SELECT %s FROM copy.%s", name, list, list, name))
	return err
}

// MoveAside renames a damaged state file, with what SQLite keeps beside it, so that a new one can
// take its place.
func MoveAside(path string, name string) (string, error) {
	to := beside(path, name)
	for _, ending := range []string{"-wal", "-shm", ""} {
		if !exists(path + ending) {
			continue
		}
		if exists(to + ending) {
			return "", fmt.Errorf("state %s: moving it away: %s is there already", path, to+ending)
		}
		if err := os.Rename(path+ending, to+ending); err != nil {
			return "", fmt.Errorf("state %s: moving it away: %w", path, explain(err))
		}
	}
	return to, nil
}

// OpenStoredAfresh is OpenStored for a state whose newest version is damaged: it begins empty, and
// what is recorded becomes the version after the damaged one, which stays.
func OpenStoredAfresh(ctx context.Context, at Stored, now func() time.Time) (*Store, error) {
	s := &Store{path: at.url(), now: now, stored: &versions{Stored: at}}
	file, err := s.stored.download(ctx)
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", s.path, err)
	}
	if err := os.Remove(file); err != nil {
		return nil, errors.Join(err, s.stored.forget())
	}
	local, err := Open(ctx, file, now)
	if err != nil {
		return nil, errors.Join(err, s.stored.forget())
	}
	s.db = local.db
	return s, nil
}
