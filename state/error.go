package state

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrLeaseLost is a write of a run whose lease ran out and was taken by another. The run
// must stop: nothing it does from here on is recorded.
var ErrLeaseLost = errors.New("another run has taken the lease: this run must stop; give it a longer lease or look for what stalled it")

// LeaseHeld is a run that cannot begin because another one is at work.
type LeaseHeld struct {
	Run    string
	Holder string // which process, for people
	Until  time.Time
}

func (e *LeaseHeld) Error() string {
	return fmt.Sprintf("run %s (%s) holds the lease until %s: wait for it to end; if it is dead, the next run after that time takes over",
		e.Run, e.Holder, e.Until.UTC().Format(time.RFC3339))
}

// AlreadyDone is a run with nothing left to do: Run has brought the night to a final outcome,
// or has carried out the plan that was brought along.
type AlreadyDone struct {
	Night   string
	Run     string
	Outcome Outcome
}

func (e *AlreadyDone) Error() string {
	return fmt.Sprintf("night %s is done: run %s ended with %s", e.Night, e.Run, e.Outcome)
}

// explain adds the next step to the errors of SQLite that people can do something about.
func explain(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: give this user the right to write there", err)
	}
	if hint := hints[primaryCode(err)]; hint != "" {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

var hints = map[int]string{
	sqlite3.SQLITE_BUSY:     "another process is writing to the file: try again when it is done",
	sqlite3.SQLITE_FULL:     "the disk is full: free some space and run again",
	sqlite3.SQLITE_IOERR:    "the disk gave an error: look at its free space and health, then run again",
	sqlite3.SQLITE_READONLY: "the file cannot be written: give this user the right to write it and its folder",
	sqlite3.SQLITE_PERM:     "the file cannot be read: give this user the right to it and its folder",
	sqlite3.SQLITE_CANTOPEN: "the file cannot be opened: look at the path and at the rights on it and its folder",
	sqlite3.SQLITE_CORRUPT:  damaged,
	sqlite3.SQLITE_NOTADB:   damaged,
}

const damaged = "the file is damaged or no state file: put a backup in its place, or move it away and ajlo starts a new history"

// primaryCode is SQLite's result code without its extension; 0 for errors of other origin.
func primaryCode(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}
