package delta

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"ajlo/job/object"
	"ajlo/job/pause"
)

// Change is one commit: some files out, some in. Unless Alters is set it is a rearrangement, with
// the same rows in both.
type Change struct {
	// Alters says what a change that alters rows went by; nil for a rearrangement.
	Alters *Alteration

	// Remove are live files of the snapshot that was read.
	Remove []Add
	// Add needs Path, Size, Stats and ModificationTime, and Tags where the layout is to be
	// found again. RawPath and DataChange are filled in by Commit. Files that were part of the
	// table before come back as they were, row ids and deletion vectors among it.
	Add []Add
	// Metadata, where it is not nil, is the table's with columns more, see Snapshot.Grown, or, of a
	// rearrangement, with other partition columns, see Metadata.PartitionedBy. Every live file goes out
	// then, and any commit that comes first is a conflict, an append too: its files would lie by the
	// partition columns of before.
	Metadata *Metadata
	// Keys replaces the table's declared keys where it is not nil; see Snapshot.DeclaredKeys.
	Keys *Domain
	// Operation is the commit's name in the table's history: "OPTIMIZE", "MERGE".
	Operation string
	// Parameters are the operation's, in the history's form: texts, numbers and booleans as
	// they are, anything else as JSON within a string.
	Parameters   map[string]any
	Metrics      map[string]string // operationMetrics
	UserMetadata string
	EngineInfo   string
	TxnID        string // a UUID that no other commit has
	Time         int64  // of the commit, ms since the epoch
}

// Committed is a commit that is in the table.
type Committed struct {
	Version  int64
	Attempts int // versions tried
	// Checkpoint is why no checkpoint was written where one was due. The commit stands, and
	// readers do well without it.
	Checkpoint error
}

// ErrRefused is wrapped when a change must not be committed to the snapshot it was made
// from; nothing was written.
var ErrRefused = errors.New("commit refused")

// ErrOutcomeUnknown is wrapped when storage did not say whether the commit was written. It
// may be in the table now or later: the change's files must not be deleted.
var ErrOutcomeUnknown = errors.New("it is not known whether the commit was written")

// maxAttempts bounds the versions lost to others in a row. Each was written by a commit that
// succeeded, so a table that takes this many commits in the meantime is being written to
// faster than ajlo can follow.
const maxAttempts = 100

// Pauses between lost attempts: about the time a commit takes on a local disk, up to one on
// object storage. They vary by half to either side so that two losers do not meet again.
const (
	firstPause = 5 * time.Millisecond
	longPause  = time.Second
)

// Commit writes the change as the next free version after read. When others committed in
// between, their commits are read first: if one touches what the change touches, the error
// is a *Conflict; it is never a guess. Errors other than ErrOutcomeUnknown mean that the
// table is without the change.
//
// The commit's own time is Change.Time; a table's history is ordered by version, and engines
// put times in order themselves where clocks disagree.
func Commit(ctx context.Context, store object.Store, read Snapshot, c Change) (Committed, error) {
	done, err := commit(ctx, store, read, c)
	if err != nil {
		return Committed{}, fmt.Errorf("commit to Delta table %s after version %d: %w", store.URL(), read.Version, err)
	}
	return done, nil
}

func commit(ctx context.Context, store object.Store, read Snapshot, c Change) (Committed, error) {
	if err := c.check(read); err != nil {
		return Committed{}, err
	}
	next, err := firstAttempt(read)
	if err != nil {
		return Committed{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	w := &writer{store: store, change: c, read: read, next: next, stakes: c.stakes(), pause: newPause()}
	for tried := 1; tried <= maxAttempts; tried++ {
		won, err := w.try(ctx)
		if won {
			return Committed{w.next.version, tried, w.checkpoint(ctx)}, nil
		}
		if err == nil {
			err = w.catchUp(ctx)
		}
		if err != nil {
			return Committed{}, err
		}
	}
	return Committed{}, fmt.Errorf("others committed first %d times in a row; try again when the table is quieter", maxAttempts)
}

// writer is one change on its way into the table.
type writer struct {
	store  object.Store
	change Change
	read   Snapshot
	next   attempt // every version before it is known not to conflict
	stakes stakes
	pause  *backoff.ExponentialBackOff
}

func newPause() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = firstPause, longPause
	b.Reset()
	return b
}

// checkpoint writes one where it is due. The commit is in the table, whatever comes of it. What
// VACUUM may forget goes by the time of the version that was read, where our clock is ahead of it:
// a clock that is wrong by days must not have files vacuumed that were removed today.
func (w *writer) checkpoint(ctx context.Context) error {
	if !checkpointDue(w.read, w.next.version) {
		return nil
	}
	return writeCheckpoint(ctx, w.store, w.next.version, time.UnixMilli(min(w.change.Time, w.read.Time.UnixMilli())))
}

// try writes the next version. It is lost, without an error, when someone was first.
func (w *writer) try(ctx context.Context) (won bool, err error) {
	version := w.next.version
	data, err := w.change.encode(w.read, w.next)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	failure := w.store.PutIfAbsent(ctx, commitKey(version), data)
	if failure == nil {
		return true, nil
	}
	// The reply may have been lost while the commit was not, also on an earlier attempt of
	// the storage client: then the version is taken, by us.
	ours, taken, err := w.isOurs(context.WithoutCancel(ctx), version)
	switch {
	case err != nil:
		return false, errors.Join(ErrOutcomeUnknown, failure, err)
	case ours:
		return true, nil
	case taken, errors.Is(failure, object.ErrExists):
		// A storage may say that the key is taken a moment before what took it can be read.
		return false, nil
	case errors.Is(failure, object.ErrUncertain):
		return false, errors.Join(ErrOutcomeUnknown, failure)
	}
	return false, failure
}

// isOurs reads a version back and reports whether there is one and whether it is this change.
func (w *writer) isOurs(ctx context.Context, version int64) (ours, taken bool, err error) {
	actions, err := readCommit(ctx, w.store, version)
	if errors.Is(err, object.ErrNotFound) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	for _, a := range actions {
		if a.CommitInfo != nil && a.CommitInfo.TxnID == w.change.TxnID {
			return true, true, nil
		}
	}
	return false, true, nil
}

// catchUp waits a little, reads every commit that came first and checks it.
func (w *writer) catchUp(ctx context.Context) error {
	if err := pause.For(ctx, w.pause.NextBackOff()); err != nil {
		return err
	}
	for {
		actions, err := readCommit(ctx, w.store, w.next.version)
		if errors.Is(err, object.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if conflict := w.stakes.findConflict(actions, w.next.version); conflict != nil {
			return conflict
		}
		if w.next, err = w.next.after(actions); err != nil {
			return err
		}
	}
}

func pathSet(files []Add) map[string]bool {
	set := make(map[string]bool, len(files))
	for _, f := range files {
		set[f.Path] = true
	}
	return set
}
