package iceberg

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/iceberg-go/table"

	"ajlo/job/object"
)

// History gives the snapshots that the table's metadata still has, the newest first.
func History(ctx context.Context, store object.Store) ([]Commit, error) {
	meta, err := newestMetadata(ctx, store)
	if err != nil {
		return nil, err
	}
	commits := commitsOf(meta)
	slices.SortStableFunc(commits, func(a, b Commit) int { return b.Time.Compare(a.Time) })
	return commits, nil
}

// RolledBack is the last rollback of a table by this program, which makes no snapshot.
type RolledBack struct {
	Stamp string    // see delta.Stamp
	To    int64     // the snapshot that was made the current one
	Time  time.Time // by the writer's clock; zero where the metadata does not list it any more
}

// LastRollback gives the last rollback; nil for none.
func LastRollback(ctx context.Context, store object.Store) (*RolledBack, error) {
	meta, err := newestMetadata(ctx, store)
	if err != nil {
		return nil, err
	}
	stamp, ok := meta.Properties()[RollbackKey]
	if !ok {
		return nil, nil
	}
	r, seen := &RolledBack{Stamp: stamp}, map[int64]bool{}
	for e := range meta.SnapshotLogs() {
		if seen[e.SnapshotID] { // it was the current one before
			r.To, r.Time = e.SnapshotID, time.UnixMilli(e.TimestampMs).UTC()
		}
		seen[e.SnapshotID] = true
	}
	return r, nil
}

func newestMetadata(ctx context.Context, store object.Store) (table.Metadata, error) {
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
	return meta, nil
}
