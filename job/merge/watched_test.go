package merge_test

import (
	"context"
	"strings"
	"sync"

	"ajlo/job/object"
)

// watched is a store that tells of every step of a write before it is done; an error stops it
// there.
type watched struct {
	object.Store
	before func(operation, key string) error
}

func (w watched) Create(ctx context.Context, key string) (object.Writer, error) {
	if err := w.before("create", key); err != nil {
		return nil, err
	}
	out, err := w.Store.Create(ctx, key)
	return watchedWriter{out, w, key}, err
}

func (w watched) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if err := w.before("put", key); err != nil {
		return err
	}
	return w.Store.PutIfAbsent(ctx, key, data)
}

func (w watched) Delete(ctx context.Context, key string) error {
	if err := w.before("delete", key); err != nil {
		return err
	}
	return w.Store.Delete(ctx, key)
}

type watchedWriter struct {
	object.Writer
	store watched
	key   string
}

func (w watchedWriter) Write(p []byte) (int, error) {
	if err := w.store.before("write", w.key); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

func (w watchedWriter) Close() error {
	if err := w.store.before("close", w.key); err != nil {
		return err
	}
	return w.Writer.Close()
}

func isCommit(operation, key string) bool {
	return operation == "put" && strings.HasPrefix(key, "_delta_log/")
}

// watching opens folders whose steps are numbered from 0, over all of them.
func watching(at func(step int, operation, key string) error) func(string) (object.Store, error) {
	var mu sync.Mutex
	step := 0
	return func(location string) (object.Store, error) {
		store, err := object.Open(location)
		if err != nil {
			return nil, err
		}
		return watched{store, func(operation, key string) error {
			mu.Lock()
			defer mu.Unlock()
			step++
			return at(step-1, operation, key)
		}}, nil
	}
}

// onCommits calls do before each attempt to commit, numbered from 1.
func onCommits(do func(attempt int) error) func(string) (object.Store, error) {
	attempt := 0
	return watching(func(_ int, operation, key string) error {
		if !isCommit(operation, key) {
			return nil
		}
		attempt++
		return do(attempt)
	})
}
