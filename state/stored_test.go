package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ajlo/job/object"
)

func storage(t *testing.T) (object.Store, string) {
	t.Helper()
	dir := t.TempDir()
	objects, err := object.OpenLocal(dir)
	must(t, err)
	return objects, filepath.Join(dir, "night.db")
}

func storedAt(t *testing.T, objects object.Store) Stored {
	t.Helper()
	return Stored{Objects: objects, Name: "night.db", Scratch: t.TempDir()}
}

// openStored opens a state with a copy of its own, as another machine would.
func openStored(t *testing.T, objects object.Store, c *clock) *Store {
	t.Helper()
	s, err := OpenStored(t.Context(), storedAt(t, objects), c.now)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func names(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

const oneFinished = `SELECT group_concat(run || ' ' || coalesce(outcome, 'open'), ', ') FROM (SELECT * FROM audit_runs ORDER BY run)`

func TestStoredStateOutlivesItsMachine(t *testing.T) {
	objects, folder := storage(t)
	c := newClock()
	first := storedAt(t, objects)
	s, err := OpenStored(t.Context(), first, c.now)
	must(t, err)
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a state that nothing was recorded in is there: %v", err)
	}
	r := begin(t, s, beginning("r1", 1))
	finish(t, r, NothingToDo)
	must(t, s.Close())
	if left := names(t, first.Scratch); left != nil {
		t.Errorf("the copy is left: %v", left)
	}

	read, err := OpenStoredReadOnly(t.Context(), storedAt(t, objects))
	must(t, err)
	if got := cell(t, read, oneFinished); got != "r1 nothing_to_do" {
		t.Errorf("runs %q", got)
	}
	must(t, read.Close())

	next := openStored(t, objects, c)
	var done *AlreadyDone
	if _, err := next.Begin(t.Context(), beginning("r2", 1)); !errors.As(err, &done) || done.Run != "r1" {
		t.Errorf("got %v, want the night to be done by r1", err)
	}
	finish(t, begin(t, next, beginning("r3", 2)), NothingToDo)
}

func TestStoredStateIsNotThere(t *testing.T) {
	objects, _ := storage(t)
	at := storedAt(t, objects)
	if _, err := OpenStoredReadOnly(t.Context(), at); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if left := names(t, at.Scratch); left != nil {
		t.Errorf("left %v", left)
	}
}

// Two machines have fetched the same version: the second to record finds the first one's lease.
func TestOfTwoCopiesOneBegins(t *testing.T) {
	objects, _ := storage(t)
	c := newClock()
	one, other := openStored(t, objects, c), openStored(t, objects, c)
	r := begin(t, one, beginning("r1", 1))
	var held *LeaseHeld
	if _, err := other.Begin(t.Context(), beginning("r2", 1)); !errors.As(err, &held) || held.Run != "r1" {
		t.Fatalf("got %v, want the lease to be held by r1", err)
	}
	finish(t, r, Failed)
	finish(t, begin(t, other, beginning("r2", 1)), NothingToDo)
	if got := cell(t, other, oneFinished); got != "r1 failed, r2 nothing_to_do" {
		t.Errorf("runs %q: what the other copy recorded must not be lost", got)
	}
}

// A run that stalls beyond its lease loses it, and nothing of its stale copy gets in.
func TestStaleCopyIsNotPut(t *testing.T) {
	for _, versions := range []int{1, 3 * keptVersions} { // the next version is there; and is deleted again
		t.Run(fmt.Sprint(versions), func(t *testing.T) {
			objects, folder := storage(t)
			c := newClock()
			stalled := begin(t, openStored(t, objects, c), beginning("stalled", 1))
			c.advance(lease + time.Second)
			s := openStored(t, objects, c)
			r := begin(t, s, beginning("next", 1))
			for range versions - 1 {
				must(t, r.Extend(t.Context()))
			}
			for range 2 {
				if err := stalled.Finish(t.Context(), NothingToDo, nil); !errors.Is(err, ErrLeaseLost) {
					t.Errorf("got %v, want the lease to be lost", err)
				}
			}
			finish(t, r, Applied)
			read, err := OpenStoredReadOnly(t.Context(), storedAt(t, objects))
			must(t, err)
			if got := cell(t, read, oneFinished); got != "next applied, stalled interrupted" {
				t.Errorf("runs %q", got)
			}
			must(t, read.Close())
			if kept := len(names(t, folder)); kept > 2*keptVersions {
				t.Errorf("%d versions are kept", kept)
			}
		})
	}
}

// silent is a storage that does not say what became of what is put: it writes all, or nothing,
// as long as its faults last.
type silent struct {
	object.Store
	writes bool
	faults int
}

func (s *silent) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if s.faults == 0 {
		return s.Store.PutIfAbsent(ctx, key, data)
	}
	s.faults--
	var err error
	if s.writes {
		err = s.Store.PutIfAbsent(ctx, key, data)
	}
	return errors.Join(fmt.Errorf("no answer: %w", object.ErrUncertain), err)
}

// gone is a storage that cannot be reached, though what was sent got there.
type gone struct {
	object.Store
	away *bool
}

func (g gone) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	err := g.Store.PutIfAbsent(ctx, key, data)
	if *g.away {
		return errors.Join(errors.New("connection lost"), err)
	}
	return err
}

func TestStorageDoesNotAnswer(t *testing.T) {
	for _, writes := range []bool{true, false} {
		t.Run(fmt.Sprintf("written %t", writes), func(t *testing.T) {
			objects, _ := storage(t)
			r := begin(t, openStored(t, &silent{objects, writes, 1}, newClock()), beginning("r1", 1))
			finish(t, r, NothingToDo)
			if got := cell(t, openStored(t, objects, newClock()), oneFinished); got != "r1 nothing_to_do" {
				t.Errorf("runs %q", got)
			}
		})
	}
}

// What was put without an answer is this run's own when the storage is back: the run can end.
func TestRunEndsAfterALostAnswer(t *testing.T) {
	objects, _ := storage(t)
	away := false
	s := openStored(t, gone{objects, &away}, newClock())
	r := begin(t, s, beginning("r1", 1))
	away = true
	if err := r.Extend(t.Context()); err == nil || errors.Is(err, ErrLeaseLost) {
		t.Fatalf("got %v, want a lost connection", err)
	}
	away = false
	finish(t, r, Failed)
	if got := cell(t, openStored(t, objects, newClock()), oneFinished); got != "r1 failed" {
		t.Errorf("runs %q", got)
	}
}

func TestDamagedVersionIsNamed(t *testing.T) {
	objects, folder := storage(t)
	finish(t, begin(t, openStored(t, objects, newClock()), beginning("r1", 1)), NothingToDo)
	all := names(t, folder)
	newest := filepath.Join(folder, slices.Max(all))
	text, err := os.ReadFile(newest)
	must(t, err)
	must(t, os.WriteFile(newest, text[:len(text)/2], 0o644))
	at := storedAt(t, objects)
	for _, open := range []func() (*Store, error){
		func() (*Store, error) { return OpenStored(t.Context(), at, newClock().now) },
		func() (*Store, error) { return OpenStoredReadOnly(t.Context(), at) },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), slices.Max(all)) || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("got %v", err)
		}
	}
	if left := names(t, at.Scratch); left != nil {
		t.Errorf("left %v", left)
	}
	if now := names(t, folder); !slices.Equal(now, all) {
		t.Errorf("versions %v, were %v", now, all)
	}
}
