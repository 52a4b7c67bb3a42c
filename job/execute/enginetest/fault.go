package enginetest

import (
	"context"
	"strings"
	"sync"

	"ajlo/job/object"
)

// Watched is a store that tells of every step of a write before it is done; an error stops
// it there.
type Watched struct {
	object.Store
	// Before is told the operation ("create", "write", "close", "put", "delete"), its key and
	// the bytes concerned.
	Before func(operation, key string, bytes int) error
	// After is told of writes that succeeded; an error is returned although the write is done.
	After func(operation, key string) error
}

func (w Watched) Create(ctx context.Context, key string) (object.Writer, error) {
	if err := w.Before("create", key, 0); err != nil {
		return nil, err
	}
	out, err := w.Store.Create(ctx, key)
	if err != nil {
		return nil, err
	}
	return watchedWriter{out, w, key}, nil
}

func (w Watched) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if err := w.Before("put", key, len(data)); err != nil {
		return err
	}
	if err := w.Store.PutIfAbsent(ctx, key, data); err != nil || w.After == nil {
		return err
	}
	return w.After("put", key)
}

func (w Watched) Delete(ctx context.Context, key string) error {
	if err := w.Before("delete", key, 0); err != nil {
		return err
	}
	return w.Store.Delete(ctx, key)
}

type watchedWriter struct {
	object.Writer
	store Watched
	key   string
}

func (w watchedWriter) Write(p []byte) (int, error) {
	if err := w.store.Before("write", w.key, len(p)); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

func (w watchedWriter) Close() error {
	if err := w.store.Before("close", w.key, 0); err != nil {
		return err
	}
	return w.Writer.Close()
}

// inLog reports whether a key is a commit.
func inLog(key string) bool { return strings.HasPrefix(key, "_delta_log/") }

// onCommits calls do before each attempt to commit, numbered from 1.
func onCommits(do func(attempt int) error) func(object.Store) object.Store {
	var mu sync.Mutex
	attempt := 0
	return func(store object.Store) object.Store {
		return Watched{Store: store, Before: func(operation, key string, _ int) error {
			if operation != "put" || !inLog(key) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			attempt++
			return do(attempt)
		}}
	}
}

// counter counts the bytes and steps of writes over all stores it wraps.
type counter struct {
	mu           sync.Mutex
	bytes, steps int
	// at is asked before each step, with the totals before it.
	at func(operation, key string, bytes, steps int) error
}

func (c *counter) wrap(store object.Store) object.Store {
	return Watched{Store: store, Before: func(operation, key string, bytes int) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		err := c.at(operation, key, c.bytes, c.steps)
		c.bytes, c.steps = c.bytes+bytes, c.steps+1
		return err
	}}
}
