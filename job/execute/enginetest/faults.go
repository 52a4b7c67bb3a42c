package enginetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"ajlo/job/object"
	"ajlo/job/unit"
)

// faults holds that storage that fails leaves the table as it was and no file behind.
func (s suite) faults(t *testing.T) {
	total := s.bytesWritten(t)
	for _, at := range moments(total, 8) {
		t.Run(fmt.Sprintf("the disk is full after %d bytes", at), func(t *testing.T) {
			s.fault(t, syscall.ENOSPC, func(operation, _ string, bytes, _ int) bool {
				return operation == "write" && bytes >= at
			})
		})
	}
	for _, operation := range []string{"create", "close"} {
		t.Run(operation+" fails", func(t *testing.T) {
			s.fault(t, syscall.EIO, func(op, _ string, bytes, _ int) bool { return op == operation && bytes > total/2 })
		})
	}
	t.Run("the commit fails", func(t *testing.T) {
		s.fault(t, syscall.ENOSPC, func(op, key string, _, _ int) bool { return op == "put" && inLog(key) })
	})
	t.Run("the commit may not be written", func(t *testing.T) {
		s.fault(t, syscall.EACCES, func(op, key string, _, _ int) bool { return op == "put" && inLog(key) })
	})
	t.Run("nothing may be written any more", s.lostPermission)
	t.Run("the checkpoint fails", s.failedCheckpoint)
	t.Run("the list of files cannot be kept", func(t *testing.T) {
		dir := itemTable(t)
		step, before := stepFor(t, dir, byPrice, 2*unit.KB), contents(t, dir)
		if _, err := s.plain().Apply(t.Context(), step, &recorder{refuse: syscall.EIO}); !errors.Is(err, syscall.EIO) {
			t.Errorf("got %v, want the recorder's error", err)
		}
		unchanged(t, dir, before)
	})
	t.Run("the lease is lost before the commit", func(t *testing.T) {
		dir, lost := itemTable(t), errors.New("another run has the lease")
		step, before := stepFor(t, dir, byPrice, 2*unit.KB), contents(t, dir)
		if _, err := s.plain().Apply(t.Context(), step, &recorder{lost: lost}); !errors.Is(err, lost) {
			t.Errorf("got %v, want the lost lease", err)
		}
		unchanged(t, dir, before)
	})
	t.Run("the budget does not hold it", func(t *testing.T) {
		dir, poor := itemTable(t), errors.New("over the budget")
		step, before := stepFor(t, dir, byPrice, 2*unit.KB), contents(t, dir)
		rec := &recorder{poor: poor}
		if _, err := s.plain().Apply(t.Context(), step, rec); !errors.Is(err, poor) {
			t.Errorf("got %v, want the budget's refusal", err)
		}
		if len(rec.intended) > 0 {
			t.Errorf("%v were named although the budget does not hold the rewrite", rec.intended)
		}
		unchanged(t, dir, before)
	})
	t.Run("what was written cannot be read back", s.badReadBack)
}

func (s suite) fault(t *testing.T, failure error, when func(operation, key string, bytes, steps int) bool) {
	t.Helper()
	dir := itemTable(t)
	c := counter{at: func(operation, key string, bytes, steps int) error {
		if when(operation, key, bytes, steps) {
			return failure
		}
		return nil
	}}
	step, before := stepFor(t, dir, byPrice, 2*unit.KB), contents(t, dir)
	if _, err := s.behind(c.wrap).Apply(t.Context(), step, &recorder{}); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	unchanged(t, dir, before)
}

// lostPermission holds that of a folder that cannot be written any more, not to take files away
// either, the error names what is left, and that a sweep takes it away once that is allowed.
func (s suite) lostPermission(t *testing.T) {
	dir, half := itemTable(t), s.bytesWritten(t)/2
	var lost atomic.Bool
	c := counter{at: func(operation, key string, bytes, _ int) error {
		if lost.Load() || bytes >= half {
			lost.Store(true)
			return fmt.Errorf("%s %s: %w", operation, key, syscall.EACCES)
		}
		return nil
	}}
	step, before, rec := stepFor(t, dir, byPrice, 2*unit.KB), contents(t, dir), &recorder{}
	_, err := s.behind(c.wrap).Apply(t.Context(), step, rec)
	if !errors.Is(err, syscall.EACCES) {
		t.Fatalf("got %v, want %v", err, syscall.EACCES)
	}
	for name := range contents(t, dir) {
		if _, old := before[name]; !old && !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s, which is left", name)
		}
	}
	wantItems(t, dir, items(0, 300))
	if _, err := s.plain().Sweep(t.Context(), leftIn(dir, rec.intended...)); err != nil {
		t.Fatal(err)
	}
	unchanged(t, dir, before)
}

// corrupting is a store that changes a byte of every data file it is given.
type corrupting struct{ object.Store }

func (c corrupting) Create(ctx context.Context, key string) (object.Writer, error) {
	w, err := c.Store.Create(ctx, key)
	return &corruptingWriter{Writer: w}, err
}

type corruptingWriter struct {
	object.Writer
	at int
}

// corruptByte lies within the pages of the first column chunk.
const corruptByte = 60

func (w *corruptingWriter) Write(p []byte) (int, error) {
	if i := corruptByte - w.at; i >= 0 && i < len(p) {
		p = append([]byte(nil), p...)
		p[i] ^= 0x01
	}
	w.at += len(p)
	return w.Writer.Write(p)
}

// badReadBack holds that new files are read back and compared before anything is committed.
func (s suite) badReadBack(t *testing.T) {
	dir := itemTable(t)
	step, before := stepFor(t, dir, byPrice, 2*unit.KB), contents(t, dir)
	e := s.behind(func(store object.Store) object.Store { return corrupting{store} })
	if _, err := e.Apply(t.Context(), step, &recorder{}); err == nil {
		t.Error("files that storage changed were committed")
	}
	unchanged(t, dir, before)
}

// unknownOutcome holds that files are never deleted while it is not known whether the commit
// that names them was written.
func (s suite) unknownOutcome(t *testing.T) {
	lost := errors.New("the reply was lost")
	t.Run("the reply is lost, the commit is there", func(t *testing.T) {
		dir := itemTable(t)
		step := stepFor(t, dir, byPrice, 2*unit.KB)
		e := s.behind(func(store object.Store) object.Store {
			return Watched{Store: store, Before: func(string, string, int) error { return nil }, After: func(_, key string) error {
				if inLog(key) {
					return lost
				}
				return nil
			}}
		})
		r, err := e.Apply(t.Context(), step, &recorder{})
		if err != nil || !r.Changed || r.Version != 1 {
			t.Errorf("got %+v, %v, want version 1", r, err)
		}
		wantItems(t, dir, items(0, 300))
	})
	for _, written := range []bool{true, false} {
		t.Run(fmt.Sprintf("nothing can be read any more, the commit is there: %v", written), func(t *testing.T) {
			s.blind(t, lost, written)
		})
	}
}

// blindStore loses the reply to a commit and cannot be read from then on.
type blindStore struct {
	object.Store
	lost    error
	written bool
	blind   *bool
}

func (b blindStore) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if !inLog(key) {
		return b.Store.PutIfAbsent(ctx, key, data)
	}
	*b.blind = true
	if b.written {
		if err := b.Store.PutIfAbsent(ctx, key, data); err != nil {
			return err
		}
	}
	return b.lost
}

func (b blindStore) ReadAll(ctx context.Context, key string) ([]byte, error) {
	if *b.blind {
		return nil, b.lost
	}
	return b.Store.ReadAll(ctx, key)
}

func (b blindStore) Open(ctx context.Context, key string) (object.Reader, error) {
	if *b.blind {
		return nil, b.lost
	}
	return b.Store.Open(ctx, key)
}

func (s suite) blind(t *testing.T, lost error, written bool) {
	dir := itemTable(t)
	step, rec := stepFor(t, dir, byPrice, 2*unit.KB), &recorder{}
	e := s.behind(func(store object.Store) object.Store { return blindStore{store, lost, written, new(bool)} })
	if _, err := e.Apply(t.Context(), step, rec); !errors.Is(err, lost) {
		t.Errorf("got %v, want %v", err, lost)
	}
	all := contents(t, dir)
	for _, f := range rec.intended {
		if _, ok := all[f]; !ok {
			t.Errorf("%s was deleted", f)
		}
	}
	wantItems(t, dir, items(0, 300))
	swept, err := s.plain().Sweep(t.Context(), leftIn(dir, rec.intended...))
	if err != nil || swept.Committed != written {
		t.Errorf("swept %+v, %v, want committed %v", swept, err, written)
	}
	if written == (len(swept.Gone) > 0) {
		t.Errorf("%d files were swept", len(swept.Gone))
	}
	wantItems(t, dir, items(0, 300))
}
