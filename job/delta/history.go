package delta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"ajlo/job/object"
)

// Entry is what one commit did, and says of itself.
type Entry struct {
	Version    int64
	Operation  string            // "OPTIMIZE", "CLUSTER BY", "MERGE", …, "" where it does not say
	Parameters map[string]string // as Spark spells them: values that are no texts are JSON
	// Time is that of the writer's clock when it committed, zero where it does not say.
	Time time.Time
	// Metrics are those that the writer counted and are whole numbers, by their names in
	// Spark: numTargetRowsCopied, numDeletedRows, ….
	Metrics map[string]int64
	// UserMetadata is what the writer wanted kept with the commit; see ParseStamp.
	UserMetadata string
	Added        []Add    // files that it put in; those outside the table's folder are left out
	Removed      []string // decoded paths of those that it took out, within the folder
	Protocol     bool     // it changed the table's protocol
	Touched      Touched
}

// Touched counts the data files of one commit. A file that comes back with another deletion
// vector was marked: it was not written again.
type Touched struct {
	FilesAdded, FilesRemoved, FilesMarked int64
	BytesAdded                            int64
	BytesRemoved                          int64 // −1 where a removal does not say how large its file was
}

// Newest is the newest version of the table at the store's root, ErrNoTable wrapped where
// there is none.
func Newest(ctx context.Context, store object.Store) (int64, error) {
	s, err := findSegment(ctx, store, newest)
	if err != nil {
		return 0, fmt.Errorf("read Delta table %s: %w", store.URL(), err)
	}
	return s.version, nil
}

// History gives the commits from a version back to the oldest that is still in the log.
func History(ctx context.Context, store object.Store, newest int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for v := newest; v >= 0; v-- {
			actions, err := readCommit(ctx, store, v)
			if errors.Is(err, object.ErrNotFound) {
				return
			}
			if err != nil {
				yield(Entry{}, fmt.Errorf("history of Delta table %s: %w", store.URL(), err))
				return
			}
			if !yield(entry(v, actions), nil) {
				return
			}
		}
	}
}

func entry(version int64, actions []action) Entry {
	e := Entry{Version: version, Touched: touched(actions)}
	if info := infoOf(actions); info != nil {
		e.Operation, e.UserMetadata, e.Parameters = info.Operation, info.UserMetadata, spelled(info.OperationParameters)
		e.Metrics = counted(info.OperationMetrics)
		if info.Timestamp > 0 {
			e.Time = time.UnixMilli(info.Timestamp).UTC()
		}
	}
	for _, a := range actions {
		switch {
		case a.Protocol != nil:
			e.Protocol = true
		case a.Add != nil:
			add := *a.Add
			var err error
			if add.Path, err = decodePath(add.RawPath); err == nil {
				e.Added = append(e.Added, add)
			}
		case a.Remove != nil:
			if path, err := decodePath(a.Remove.RawPath); err == nil {
				e.Removed = append(e.Removed, path)
			}
		}
	}
	return e
}

func touched(actions []action) (t Touched) {
	added, removed := map[string]bool{}, map[string]bool{}
	for _, a := range actions {
		switch {
		case a.Add != nil:
			added[a.Add.RawPath] = true
		case a.Remove != nil:
			removed[a.Remove.RawPath] = true
		}
	}
	for _, a := range actions {
		switch {
		case a.Add != nil && removed[a.Add.RawPath]:
			t.FilesMarked++
		case a.Add != nil:
			t.FilesAdded, t.BytesAdded = t.FilesAdded+1, t.BytesAdded+a.Add.Size
		case a.Remove != nil && !added[a.Remove.RawPath]:
			t.remove(a.Remove.Size)
		}
	}
	return t
}

// remove counts a removal; no data file is empty.
func (t *Touched) remove(bytes int64) {
	t.FilesRemoved++
	if bytes <= 0 || t.BytesRemoved < 0 {
		t.BytesRemoved = -1
		return
	}
	t.BytesRemoved += bytes
}

func counted(metrics map[string]string) map[string]int64 {
	counts := make(map[string]int64, len(metrics))
	for name, text := range metrics {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			counts[name] = n
		}
	}
	return counts
}

// spelled makes texts of parameters; Spark has texts only, others have JSON values too.
func spelled(parameters map[string]any) map[string]string {
	texts := make(map[string]string, len(parameters))
	for name, value := range parameters {
		if text, ok := value.(string); ok {
			texts[name] = text
		} else if text, err := json.Marshal(value); err == nil {
			texts[name] = string(text)
		}
	}
	return texts
}
