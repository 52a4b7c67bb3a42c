package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ajlo/job/pause"
	"ajlo/schema"

	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID marks the file as ajlo's in SQLite's header: "ajlo" in ASCII.
const applicationID = 0x616a6c6f

const (
	cantOpen = sqlite3.SQLITE_CANTOPEN
	busy     = sqlite3.SQLITE_BUSY
)

// prepare makes a file that was just opened for writing ready: sound, ours, in WAL mode and
// of the present format.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.sound(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	return s.enterWAL(ctx)
}

// check is prepare for readers: the file must be sound, ours and of the present format.
func (s *Store) check(ctx context.Context) error {
	if err := s.sound(ctx); err != nil {
		return err
	}
	steps, err := migrations()
	if err != nil {
		return err
	}
	version, err := formatOf(ctx, s.db, len(steps))
	if err == nil && version < len(steps) {
		err = fmt.Errorf("it has format %d and this ajlo reads %d: let a run bring it up to date", version, len(steps))
	}
	return err
}

// sound reads the whole file once: a truncated one would otherwise fail in the middle of a
// night. A state file of years is some tens of megabytes.
func (s *Store) sound(ctx context.Context) error {
	var verdict string
	if err := s.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s: %s", errUnsound, verdict, damaged)
	}
	return nil
}

// SQLite does not wait for other processes when it enters WAL mode, though that is done only
// once in a file's life: whoever finds the file busy tries again after walPause.
const (
	walPause    = 20 * time.Millisecond
	walAttempts = busyTimeout / 20
)

func (s *Store) enterWAL(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		var mode string
		err := s.db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		switch {
		case err == nil && mode == "wal":
			return nil
		case err == nil:
			return fmt.Errorf("its journal stays in mode %s: put the state file on a local disk", mode)
		case primaryCode(err) != busy || attempt == walAttempts:
			return fmt.Errorf("entering WAL mode: %w", err)
		}
		if err := pause.For(ctx, walPause); err != nil {
			return err
		}
	}
}

// migrate brings the file to the present format, each step whole or not at all.
func (s *Store) migrate(ctx context.Context) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	version, err := formatOf(ctx, s.db, len(steps))
	for err == nil && version < len(steps) {
		version, err = s.migrateOnce(ctx, steps)
	}
	return err
}

// migrateOnce applies the next step and returns the format it leaves. The format is read
// again inside the transaction, since another process may have gone first.
func (s *Store) migrateOnce(ctx context.Context, steps []string) (version int, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	version, err = formatOf(ctx, tx, len(steps))
	if err == nil && version < len(steps) {
		version++
		stamp := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, version)
		if _, err = tx.ExecContext(ctx, steps[version-1]+";\n"+stamp); err != nil {
			err = fmt.Errorf("migrating to format %d: %w", version, err)
		}
	}
	if err != nil {
		return 0, errors.Join(err, rollback(tx))
	}
	return version, tx.Commit()
}

// querier is what *sql.DB and *sql.Tx have in common for reading.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// formatOf reads the file's format, 0 for an empty file, and refuses the files of newer
// versions and of other programs.
func formatOf(ctx context.Context, db querier, known int) (version int, err error) {
	var application, objects int
	const query = `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`
	if err := db.QueryRowContext(ctx, query).Scan(&version, &application, &objects); err != nil {
		return 0, err
	}
	switch {
	case application != applicationID && (objects > 0 || version != 0):
		return 0, errors.New("it is an SQLite file of another program: give ajlo a path of its own")
	case version > known:
		return 0, fmt.Errorf("it has format %d and this ajlo knows up to %d: use the newer ajlo that wrote it", version, known)
	}
	return version, nil
}

// migrations are the texts of the steps: the one at index i makes format i + 1.
func migrations() ([]string, error) {
	names, err := fs.Glob(schema.Migrations, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("listing the migrations: %w", err)
	}
	slices.Sort(names)
	steps := make([]string, len(names))
	for i, name := range names {
		text, err := schema.Migrations.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading migration %s: %w", name, err)
		}
		steps[i] = string(text)
	}
	return steps, nil
}
