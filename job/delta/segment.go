package delta

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"ajlo/job/object"
)

// logFolder is where a table keeps its log.
const logFolder = "_delta_log/"

// newest asks for the last version there is.
const newest = math.MaxInt64

// File names of the log. Versions have twenty digits so that names sort as versions do.
// Names that match neither pattern are no part of the log: checksums, compactions of
// commits (their commits are still there), temporary files.
var (
	commitName     = regexp.MustCompile(`^_delta_log/(\d{20})\.json$`)
	checkpointName = regexp.MustCompile(`^_delta_log/(\d{20})\.checkpoint\.(?:(\d{10})\.(\d{10})\.)?parquet$`)
	v2Name         = regexp.MustCompile(`^_delta_log/(\d{20})\.checkpoint\.[0-9a-fA-F-]{36}\.(?:json|parquet)$`)
)

// commitKey is the key of a version's commit.
func commitKey(version int64) string { return fmt.Sprintf("%s%020d.json", logFolder, version) }

// segment is the files of the log that make up one version: a checkpoint, or none, and the
// commits after it.
type segment struct {
	version      int64
	checkpointed int64    // the checkpoint's version, −1 without one
	parts        []string // the checkpoint's files
	modified     time.Time
	v2           map[int64]string // checkpoints of the v2 form that were passed over
}

// commits lists the versions whose commits have to be read.
func (s segment) commits(yield func(int64) bool) {
	for v := s.checkpointed + 1; v <= s.version; v++ {
		if !yield(v) {
			return
		}
	}
}

// parts is one checkpoint, whole or not.
type parts struct {
	version, of int64
	keys        []string
	modified    time.Time
}

func (p parts) whole() bool { return int64(len(p.keys)) == p.of }

// listing is what one look at the log found.
type listing struct {
	commits     map[int64]time.Time // version → when its file was written
	checkpoints map[[2]int64]*parts // by version and number of parts
	v2          map[int64]string    // checkpoints of the v2 form, by version
}

// findSegment lists the log and chooses what to read for a version, or the newest one.
func findSegment(ctx context.Context, store object.Store, version int64) (segment, error) {
	if from := hint(ctx, store); from > 0 && from <= version {
		l, err := list(ctx, store, from)
		if err != nil {
			return segment{}, err
		}
		if l.checkpoint(version) != nil {
			return l.segment(version)
		}
	}
	l, err := list(ctx, store, 0)
	if err != nil {
		return segment{}, err
	}
	return l.segment(version)
}

// hint is the version of a recent checkpoint as _last_checkpoint says, 0 when it says
// nothing. It only saves listing: the checkpoint is looked for, and a hint that leads
// nowhere is forgotten.
func hint(ctx context.Context, store object.Store) int64 {
	data, err := store.ReadAll(ctx, logFolder+"_last_checkpoint")
	if err != nil {
		return 0
	}
	var last struct{ Version int64 }
	if err := json.Unmarshal(data, &last); err != nil {
		return 0
	}
	return last.Version
}

// list looks at the log from a version on.
func list(ctx context.Context, store object.Store, from int64) (listing, error) {
	l := listing{commits: map[int64]time.Time{}, checkpoints: map[[2]int64]*parts{}, v2: map[int64]string{}}
	for info, err := range store.List(ctx, logFolder, fmt.Sprintf("%s%020d", logFolder, from)) {
		if err != nil {
			return listing{}, fmt.Errorf("list the Delta log: %w", err)
		}
		l.note(info)
	}
	return l, nil
}

// note sorts one file into the listing.
func (l listing) note(info object.Info) {
	if m := commitName.FindStringSubmatch(info.Key); m != nil {
		if v, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			l.commits[v] = info.Modified
		}
		return
	}
	if m := v2Name.FindStringSubmatch(info.Key); m != nil {
		if v, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			l.v2[v] = info.Key
		}
		return
	}
	if m := checkpointName.FindStringSubmatch(info.Key); m != nil {
		l.noteCheckpoint(m[1], m[2], m[3], info)
	}
}

func (l listing) noteCheckpoint(version, part, of string, info object.Info) {
	v, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return
	}
	number, total := int64(1), int64(1)
	if part != "" {
		number, _ = strconv.ParseInt(part, 10, 64)
		total, _ = strconv.ParseInt(of, 10, 64)
	}
	if number < 1 || number > total {
		return
	}
	// Zero parts told apart from one: a classic checkpoint and a one-part one are both whole.
	id := [2]int64{v, total}
	if part == "" {
		id[1] = 0
	}
	p := l.checkpoints[id]
	if p == nil {
		p = &parts{version: v, of: total}
		l.checkpoints[id] = p
	}
	p.keys, p.modified = append(p.keys, info.Key), info.Modified
}

// checkpoint is the newest whole checkpoint up to a version, nil without one.
func (l listing) checkpoint(version int64) *parts {
	var best *parts
	for _, id := range slices.SortedFunc(maps.Keys(l.checkpoints), compareIDs) {
		if p := l.checkpoints[id]; p.whole() && p.version <= version {
			best = p
		}
	}
	return best
}

func compareIDs(a, b [2]int64) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), -cmp.Compare(a[1], b[1]))
}

// last is the newest version that the listing knows of, −1 for none.
func (l listing) last() int64 {
	last := int64(-1)
	for v := range l.commits {
		last = max(last, v)
	}
	if p := l.checkpoint(newest); p != nil {
		last = max(last, p.version)
	}
	for v := range l.v2 {
		last = max(last, v)
	}
	return last
}

// segment chooses the files of a version. Commits that the listing missed are not looked
// for here: a folder that is written to while it is listed may show a version and not the
// one before it.
func (l listing) segment(version int64) (segment, error) {
	last := l.last()
	if last < 0 {
		return segment{}, ErrNoTable
	}
	if version == newest {
		version = last
	}
	if version > last || version < 0 {
		return segment{}, fmt.Errorf("version %d is not in the log, whose newest is %d", version, last)
	}
	s := segment{version: version, checkpointed: -1, modified: l.commits[version], v2: l.v2}
	if p := l.checkpoint(version); p != nil {
		s.checkpointed, s.parts = p.version, slices.Sorted(slices.Values(p.keys))
		if s.modified.IsZero() {
			s.modified = p.modified
		}
	}
	return s, nil
}

// gap says that a commit is missing, and whether a checkpoint of the v2 form would help.
func (s segment) gap(missing int64) error {
	for v, key := range s.v2 {
		if v >= missing && v <= s.version {
			return fmt.Errorf("checkpoint %s is of the v2Checkpoint feature, which ajlo does not read, and is needed because the commit of version %d (%s) is gone",
				key, missing, commitKey(missing))
		}
	}
	after := "from the start of the log"
	if s.checkpointed >= 0 {
		after = fmt.Sprintf("after the checkpoint of version %d", s.checkpointed)
	}
	return fmt.Errorf("gap in the log: the commit of version %d (%s) is missing, and every commit %s is needed",
		missing, commitKey(missing), after)
}

// ErrNoTable is wrapped when a folder holds no Delta log.
var ErrNoTable = errors.New("no Delta table here (no commits in _delta_log)")
