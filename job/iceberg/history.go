package iceberg

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/iceberg-go/table"

	"ajlo/job/object"
)

// History gives the snapshots that the table's metadata still has, the newest first.
func History(ctx context.Context, store object.Store) ([]Commit, error) {
	key, err := newest(ctx, store)
	if err != nil {
		return nil, fmt.Errorf("history of Iceberg table %s: %w", store.URL(), err)
	}
	text, err := readMetadata(ctx, store, key)
	if err != nil {
		return nil, fmt.Errorf("history of Iceberg table %s, %s: %w", store.URL(), key, err)
	}
	meta, err := table.ParseMetadataBytes(text)
	if err != nil {
		return nil, fmt.Errorf("history of Iceberg table %s, %s: %w", store.URL(), key, err)
	}
	commits := commitsOf(meta)
	slices.SortStableFunc(commits, func(a, b Commit) int { return b.Time.Compare(a.Time) })
	return commits, nil
}
