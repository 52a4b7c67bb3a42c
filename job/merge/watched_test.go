package merge_test

import (
	"strings"
	"sync"

	"ajlo/job/execute/enginetest"
	"ajlo/job/object"
)

func isCommit(operation, key string) bool {
	return operation == "put" && strings.HasPrefix(key, "_delta_log/")
}

// watching opens folders whose steps are numbered from 0, over all of them.
func watching(at func(step int, operation, key string) error) func(string) (object.Store, error) {
	var mu sync.Mutex
	step := 0
	return func(location string) (object.Store, error) {
		store, err := openFolder(location)
		if err != nil {
			return nil, err
		}
		return enginetest.Watched{Store: store, Before: func(operation, key string, _ int) error {
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
