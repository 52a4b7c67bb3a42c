package delta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ajlo/job/object"
)

// Replay reads the newest version of the table at the store's root. A folder without a
// Delta log is an error that wraps ErrNoTable.
func Replay(ctx context.Context, store object.Store) (Snapshot, error) {
	return replay(ctx, store, newest)
}

// ReplayAt reads the given version.
func ReplayAt(ctx context.Context, store object.Store, version int64) (Snapshot, error) {
	return replay(ctx, store, version)
}

func replay(ctx context.Context, store object.Store, version int64) (Snapshot, error) {
	segment, err := findSegment(ctx, store, version)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read Delta table %s: %w", store.URL(), err)
	}
	s, err := replaySegment(ctx, store, segment)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read Delta table %s, version %d: %w", store.URL(), segment.version, err)
	}
	return s, nil
}

func replaySegment(ctx context.Context, store object.Store, segment segment) (Snapshot, error) {
	state := newState()
	if err := replayInto(ctx, store, segment, state); err != nil {
		return Snapshot{}, err
	}
	return state.snapshot(segment)
}

func replayInto(ctx context.Context, store object.Store, segment segment, state *state) error {
	if c := segment.checkpoint; c != nil {
		state.reading = slices.Min(c.keys)
		take := func(a action) { state.remember(a); state.apply(a, c.version) }
		if err := readCheckpoint(ctx, store, c, take); err != nil {
			return fmt.Errorf("read checkpoint of version %d: %w", c.version, err)
		}
	}
	for step := range segment.steps {
		actions, err := readStep(ctx, store, step)
		if errors.Is(err, object.ErrNotFound) && step.key == "" {
			return segment.gap(step.from)
		}
		if err != nil {
			return err
		}
		state.reading = cmp.Or(step.key, commitKey(step.from))
		state.applyCommit(actions, step.to)
	}
	if state.info == nil {
		state.info = lastInfo(ctx, store, segment.version)
	}
	return nil
}

// lastInfo is what a commit says of itself, nil where it cannot be read: a checkpoint or a
// compaction has all else that matters.
func lastInfo(ctx context.Context, store object.Store, version int64) *commitInfo {
	actions, err := readCommit(ctx, store, version)
	if err != nil {
		return nil
	}
	return infoOf(actions)
}

func infoOf(actions []action) *commitInfo {
	for _, a := range actions {
		if a.CommitInfo != nil {
			return a.CommitInfo
		}
	}
	return nil
}

// readStep reads a commit, or a compaction of several.
func readStep(ctx context.Context, store object.Store, step compaction) ([]action, error) {
	if step.key == "" {
		return readCommit(ctx, store, step.from)
	}
	data, err := store.ReadAll(ctx, step.key)
	var actions []action
	if err == nil {
		actions, err = decodeCommit(data)
	}
	if err != nil {
		return nil, fmt.Errorf("read commits of versions %d to %d (%s): %w", step.from, step.to, step.key, err)
	}
	return actions, nil
}

// readCommit reads the commit of one version.
func readCommit(ctx context.Context, store object.Store, version int64) ([]action, error) {
	key := commitKey(version)
	data, err := store.ReadAll(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("read commit of version %d: %w", version, err)
	}
	actions, err := decodeCommit(data)
	if err != nil {
		return nil, fmt.Errorf("read commit of version %d (%s): %w", version, key, err)
	}
	return actions, nil
}

// live is a file of the table and the version that brought it.
type live struct {
	add     *Add
	version int64
}

// state is the log replayed up to some version.
type state struct {
	protocol     *Protocol
	metadata     *Metadata
	files        map[string]live
	domains      map[string]Domain
	transactions map[string]Transaction
	info         *commitInfo // of the last version, nil when unknown
	// reading is the file of the log that actions come from.
	reading                string
	protocolIn, metadataIn string
	// removed are the files that are gone, nil where nobody wants to know.
	removed map[string]*Remove
}

func newState() *state {
	return &state{files: map[string]live{}, domains: map[string]Domain{}, transactions: map[string]Transaction{}}
}

// applyCommit takes in a whole commit. Within one commit files go before others come: an
// update of a deletion vector removes and adds the same path.
func (s *state) applyCommit(actions []action, version int64) {
	s.info = nil
	for _, a := range actions {
		if a.Remove != nil {
			delete(s.files, fileID(a.Remove.RawPath, a.Remove.DeletionVector))
			s.remember(a)
		}
	}
	for _, a := range actions {
		s.apply(a, version)
	}
}

// remember keeps a removed file, where that is wanted.
func (s *state) remember(a action) {
	if s.removed != nil && a.Remove != nil {
		s.removed[fileID(a.Remove.RawPath, a.Remove.DeletionVector)] = a.Remove
	}
}

// apply takes in every action but removes.
func (s *state) apply(a action, version int64) {
	switch {
	case a.Add != nil:
		id := fileID(a.Add.RawPath, a.Add.DeletionVector)
		s.files[id] = live{a.Add, version}
		delete(s.removed, id)
	case a.Metadata != nil:
		s.metadata, s.metadataIn = a.Metadata, s.reading
	case a.Protocol != nil:
		s.protocol, s.protocolIn = a.Protocol, s.reading
	case a.Txn != nil:
		s.transactions[a.Txn.AppID] = *a.Txn
	case a.Domain != nil && a.Domain.Removed:
		delete(s.domains, a.Domain.Name)
	case a.Domain != nil:
		s.domains[a.Domain.Name] = *a.Domain
	case a.CommitInfo != nil:
		s.info = a.CommitInfo
	}
}

// fileID tells live files apart: by path and deletion vector. Two writers may encode one
// path differently, so the decoded form counts.
func fileID(raw string, vector *DeletionVector) string {
	path, err := decodePath(raw)
	if err != nil {
		path = raw
	}
	return path + vector.suffix()
}

// snapshot makes the state a value, after checking that it is a table.
func (s *state) snapshot(segment segment) (Snapshot, error) {
	if s.protocol == nil {
		return Snapshot{}, errors.New("the log has no protocol action")
	}
	if s.metadata == nil {
		return Snapshot{}, errors.New("the log has no metaData action")
	}
	files, err := s.liveFiles()
	if err != nil {
		return Snapshot{}, err
	}
	snapshot := Snapshot{
		Version: segment.version, Protocol: *s.protocol, Metadata: *s.metadata, Files: files,
		Domains: s.domains, Transactions: s.transactions, Time: segment.modified.UTC(),
		ProtocolIn: s.protocolIn, MetadataIn: s.metadataIn,
	}
	if s.info != nil {
		snapshot.InCommitTime = s.info.InCommitTimestamp
		if t := cmp.Or(s.info.InCommitTimestamp, s.info.Timestamp); t != 0 {
			snapshot.Time = time.UnixMilli(t).UTC()
		}
	}
	return snapshot, nil
}

// liveFiles sorts the files and decodes their paths. A path that leaves the folder matters
// only while its file is live.
func (s *state) liveFiles() ([]Add, error) {
	files := make([]Add, 0, len(s.files))
	for _, id := range slices.Sorted(maps.Keys(s.files)) {
		f := s.files[id]
		path, err := decodePath(f.add.RawPath)
		if err != nil {
			return nil, fmt.Errorf("file added in version %d: %w", f.version, err)
		}
		add := *f.add
		add.Path = path
		files = append(files, add)
	}
	slices.SortStableFunc(files, func(a, b Add) int { return cmp.Compare(a.Path, b.Path) })
	for i := 1; i < len(files); i++ {
		if files[i].Path == files[i-1].Path {
			return nil, fmt.Errorf("file %q is in the table twice", files[i].Path)
		}
	}
	return files, nil
}
