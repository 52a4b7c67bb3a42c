package delta

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ajlo/job/object"
)

// maxWriters is how many commits are looked at for who wrote them: those of some weeks of
// nightly jobs, or of hours of a stream.
const maxWriters = 100

// Writers are the engines that wrote the last commits up to a version, as they name
// themselves, sorted. Commits that are gone from the log, and engines that do not say, are
// left out.
func Writers(ctx context.Context, store object.Store, version int64) ([]string, error) {
	var names []string
	for v := version; v >= 0 && v > version-maxWriters; v-- {
		actions, err := readCommit(ctx, store, v)
		if errors.Is(err, object.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("look for writers of Delta table %s: %w", store.URL(), err)
		}
		if info := infoOf(actions); info != nil && info.EngineInfo != "" {
			names = append(names, info.EngineInfo)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
