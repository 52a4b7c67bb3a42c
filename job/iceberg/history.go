package iceberg

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/apache/iceberg-go/table"

	"ajlo/job/object"
)

// Change is what one snapshot did, as its summary has it.
type Change struct {
	ID        int64
	Time      time.Time // of the writer's clock
	Operation string    // append, overwrite, delete, replace; "" where it does not say
	App       string    // the Spark application that wrote it, "" where it does not say
	// Counts are the summary's whole numbers: added-data-files, deleted-records, …. Writers
	// leave out those that are zero.
	Counts map[string]int64
}

// History gives the snapshots that the table's metadata still has, the newest first.
func History(ctx context.Context, store object.Store) ([]Change, error) {
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
	var changes []Change
	for _, s := range meta.Snapshots() {
		changes = append(changes, changeOf(s))
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return b.Time.Compare(a.Time) })
	return changes, nil
}

// appKey is where Spark's writers name their application.
const appKey = "spark.app.id"

func changeOf(s table.Snapshot) Change {
	c := Change{ID: s.SnapshotID, Time: time.UnixMilli(s.TimestampMs).UTC(), Counts: map[string]int64{}}
	if s.Summary == nil {
		return c
	}
	c.Operation, c.App = string(s.Summary.Operation), s.Summary.Properties[appKey]
	for name, text := range s.Summary.Properties {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			c.Counts[name] = n
		}
	}
	return c
}
