package job

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"ajlo/job/catalog"
	"ajlo/job/config"
	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/table"
)

// Histories finds in tables' own histories what the writes of queries touched: a log counts a
// command's files at best. Tables that are not found, and writes of which it is not certain
// which commit they were, stay as the log has them.
type Histories struct {
	Config config.Config // places of tables
	Open   object.Opener
	// Catalogs are asked where tables are that nothing else places.
	Catalogs []Locator
	Log      *slog.Logger
}

// tell fills in what the writes touched.
func (h Histories) tell(ctx context.Context, o Observed) Observed {
	o.Queries = slices.Clone(o.Queries)
	for _, t := range h.written(ctx, o) {
		changes, from, err := changesSince(ctx, t.store, o.Queries[t.writers[0]].Start.Add(-clockSkew))
		if err != nil {
			h.Log.Warn("a table's history cannot be read: what was written to it counts as logs have it", "table", t.store.URL(), "err", err)
			continue
		}
		known := slices.DeleteFunc(t.writers, func(i int) bool { return o.Queries[i].Start.Before(from) })
		for writer, c := range matched(o.Queries, known, changes) {
			write := o.Queries[writer].Writes[0]
			write.Touched = touchedBy(c)
			o.Queries[writer].Writes = []fact.Write{write}
		}
	}
	return o
}

// writtenTable is a table and the queries that wrote to it, as indexes in the order of their
// starts.
type writtenTable struct {
	store   object.Store
	writers []int
}

// written finds the tables that succeeded queries wrote to, in the order of their first writes.
func (h Histories) written(ctx context.Context, o Observed) (tables []writtenTable) {
	finders, at, places := map[string]catalog.Catalog{}, map[table.Location]int{}, map[question]table.Location{}
	for i, q := range o.Queries {
		if q.Status != fact.Succeeded || len(q.Writes) != 1 || ctx.Err() != nil {
			continue
		}
		source, w := o.sources[q.App], q.Writes[0]
		asked := question{source.Logs, w.Table, w.Location}
		place, known := places[asked]
		if !known {
			if _, ok := finders[source.Logs]; !ok {
				finder := NewCatalog(ctx, h.Open, h.Config, source)
				finder.Ask = Ask(ctx, h.Catalogs, h.Log)
				finders[source.Logs] = finder
			}
			found, _ := finders[source.Logs].Resolve(w.Table, w.Location)
			place, places[asked] = found.Location, found.Location
		}
		if place == "" {
			continue
		}
		if _, ok := at[place]; !ok {
			store, err := h.Open(string(place))
			if err != nil { // it was there a moment ago
				continue
			}
			at[place] = len(tables)
			tables = append(tables, writtenTable{store: store})
		}
		tables[at[place]].writers = append(tables[at[place]].writers, i)
	}
	return tables
}

// Where a search for commits ends. The newest thousand are those of some hours of a stream that
// commits every minute, or of years of nightly jobs; the clocks of a table's writers are taken
// to be less than an hour apart.
const (
	historyBack = 1000 // commits
	clockSkew   = time.Hour
)

// changesSince are the changes of a table back to a time, the newest first. Where there are too
// many, from is when the oldest of those was made that were looked at.
func changesSince(ctx context.Context, store object.Store, since time.Time) (changes []lake.Change, from time.Time, err error) {
	for c, err := range lake.History(ctx, store) {
		switch {
		case err != nil:
			return nil, from, err
		case !c.Time.IsZero() && c.Time.Before(since):
			return changes, from, nil
		case len(changes) == historyBack:
			return changes, changes[len(changes)-1].Time, nil
		}
		changes = append(changes, c)
	}
	return changes, from, nil
}

// matched tells which change each writer made: the only one that it can have made, unless
// another writer can have made that one only, too.
func matched(queries []fact.Query, writers []int, changes []lake.Change) map[int]lake.Change {
	only, claims := map[int]int{}, map[int]int{} // writer → change; change → writers
	for _, writer := range writers {
		candidates := 0
		for i, c := range changes {
			if mayHaveMade(queries[writer], c) {
				candidates++
				only[writer] = i
			}
		}
		if candidates == 1 {
			claims[only[writer]]++
		} else {
			delete(only, writer)
		}
	}
	made := map[int]lake.Change{}
	for writer, i := range only {
		if claims[i] == 1 {
			made[writer] = changes[i]
		}
	}
	return made
}

// mayHaveMade holds a change against what a log says of a write: when it ran, what it did, in
// which application, and how many files it counted.
func mayHaveMade(q fact.Query, c lake.Change) bool {
	w, end := q.Writes[0], q.Start.Add(time.Duration(q.WallMS)*time.Millisecond)
	return !c.Time.Before(q.Start) && !c.Time.After(end) && c.Is(lake.ChangeKind(w.Operation)) &&
		(c.App == "" || c.App == q.App || strings.HasPrefix(q.App, c.App+"_")) &&
		agree(w.FilesAdded, c.CountedAdded) && agree(w.FilesRemoved, c.CountedRemoved)
}

// agree reports whether two counts can be of the same thing; nil is not counted.
func agree(a, b *int64) bool { return a == nil || b == nil || *a == *b }

func touchedBy(c lake.Change) *fact.Touched {
	return &fact.Touched{
		Version: c.Version, FilesAdded: c.FilesAdded, FilesRemoved: c.FilesRemoved, FilesMarked: c.FilesMarked,
		BytesAdded: c.BytesAdded, BytesRemoved: c.BytesRemoved,
		RowsWritten: c.RowsWritten, RowsCopied: c.RowsCopied, RowsInserted: c.RowsInserted, RowsUpdated: c.RowsUpdated, RowsDeleted: c.RowsDeleted,
		Partitions: c.Partitions,
	}
}
