package merge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/table"
)

// A merge has no state beside the table, so its write-ahead list lies in the table's own folder, a
// file for each list of names. Readers and VACUUM pass over folders that start with an underscore.
const journalFolder = "_ajlo/"

// journalAge is how old a list is before its merge counts as dead: far longer than one can take
// between naming a file and committing it.
const journalAge = time.Hour

// journal is the write-ahead list of one merge.
type journal struct {
	store object.Store
	run   string
	keys  []string // of the lists, in the store
	paths []string // all that were named
}

// note is one list.
type note struct {
	Run   string   `json:"run"`
	Paths []string `json:"paths"` // relative to the table's location
}

// intend keeps names of files before any of them is created.
func (j *journal) intend(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	text, err := json.Marshal(note{j.run, paths})
	if err != nil {
		return fmt.Errorf("write-ahead list: %w", err)
	}
	key := path.Join(journalFolder, fmt.Sprintf("merge-%s-%d.json", j.run, len(j.keys)))
	j.keys, j.paths = append(j.keys, key), append(j.paths, paths...)
	if err := j.store.PutIfAbsent(ctx, key, text); err != nil {
		return fmt.Errorf("write-ahead list: %w", err)
	}
	return nil
}

// held fails where another merge took this one for dead and its files away.
func (j *journal) held(ctx context.Context) error {
	for _, key := range j.keys {
		if _, err := j.store.ReadAll(ctx, key); err != nil {
			return fmt.Errorf("the write-ahead list is gone, since the merge took over %s; nothing was committed, run it again: %w", journalAge, err)
		}
	}
	return nil
}

// close takes the lists away: every file on them is part of the table or gone.
func (j *journal) close(ctx context.Context) error {
	var all error
	for _, key := range j.keys {
		if err := j.store.Delete(ctx, key); err != nil && !errors.Is(err, object.ErrNotFound) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// sweep takes away what dead merges left behind (rule 8). A list goes first, so that its merge, if
// it is only slow, finds out before it commits.
func (m *Merger) sweep(ctx context.Context, store object.Store, location table.Location) (gone []string, err error) {
	dead := map[string][]string{}
	var keys []string
	for info, err := range store.List(ctx, journalFolder, "") {
		if err != nil {
			return nil, fmt.Errorf("look for dead merges: %w", err)
		}
		name := path.Base(info.Key)
		if m.o.Now().Sub(info.Modified) < journalAge || !strings.HasPrefix(name, "merge-") || object.IsTemporary(info.Key) {
			continue
		}
		var n note
		text, err := store.ReadAll(ctx, info.Key)
		if err == nil {
			err = json.Unmarshal(text, &n)
		}
		if err != nil || n.Run == "" {
			continue // no list of ours, or one that another merge is taking away
		}
		dead[n.Run], keys = append(dead[n.Run], n.Paths...), append(keys, info.Key)
	}
	for _, key := range keys {
		if err := store.Delete(ctx, key); err != nil && !errors.Is(err, object.ErrNotFound) {
			return nil, fmt.Errorf("look for dead merges: %w", err)
		}
	}
	for run, paths := range dead {
		swept, err := m.engine.Sweep(ctx, execute.Leftover{Run: run, Location: location, Paths: paths})
		if err != nil {
			return gone, err
		}
		gone = append(gone, swept.Gone...)
	}
	slices.Sort(gone)
	return gone, nil
}
