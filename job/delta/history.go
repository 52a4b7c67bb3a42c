package delta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"ajlo/job/object"
)

// Entry is what one commit did, and says of itself.
type Entry struct {
	Version    int64
	Operation  string            // "OPTIMIZE", "CLUSTER BY", "MERGE", …, "" where it does not say
	Parameters map[string]string // as Spark spells them: values that are no texts are JSON
	// UserMetadata is what the writer wanted kept with the commit; see ParseStamp.
	UserMetadata string
	Added        []Add    // files that it put in; those outside the table's folder are left out
	Removed      []string // decoded paths of those that it took out, within the folder
	Protocol     bool     // it changed the table's protocol
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
	e := Entry{Version: version}
	if info := infoOf(actions); info != nil {
		e.Operation, e.UserMetadata, e.Parameters = info.Operation, info.UserMetadata, spelled(info.OperationParameters)
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
