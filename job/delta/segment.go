package delta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"ajlo/job/object"
)

// logFolder is where a table keeps its log.
const logFolder = "_delta_log/"

// newest asks for the last version there is.
const newest = math.MaxInt64

// segment is the files of the log that make up one version: a checkpoint, or none, and what
// comes after it.
type segment struct {
	version    int64
	checkpoint *checkpoint // nil without one
	modified   time.Time
	listing    listing
}

// checkpointed is the checkpoint's version, −1 without one.
func (s segment) checkpointed() int64 {
	if s.checkpoint == nil {
		return -1
	}
	return s.checkpoint.version
}

// steps lists what has to be read after the checkpoint, in order: commits, as compactions of
// one version without a key, and compactions where there are some.
func (s segment) steps(yield func(compaction) bool) {
	for v := s.checkpointed() + 1; v <= s.version; v++ {
		step, ok := s.listing.compaction(v, s.version)
		if !ok {
			step = compaction{from: v, to: v}
		}
		if !yield(step) {
			return
		}
		v = step.to
	}
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
	data, err := store.ReadAll(ctx, lastCheckpointKey)
	if err != nil {
		return 0
	}
	var last struct{ Version int64 }
	if err := json.Unmarshal(data, &last); err != nil {
		return 0
	}
	return last.Version
}

// lastCheckpointKey names the file that says which checkpoint is recent.
const lastCheckpointKey = logFolder + "_last_checkpoint"

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
	s := segment{version: version, checkpoint: l.checkpoint(version), modified: l.commits[version], listing: l}
	if s.checkpoint != nil && s.modified.IsZero() {
		s.modified = s.checkpoint.time
	}
	return s, nil
}

// gap says that a commit is missing.
func (s segment) gap(missing int64) error {
	after := "from the start of the log"
	if s.checkpoint != nil {
		after = fmt.Sprintf("after the checkpoint of version %d", s.checkpoint.version)
	}
	return fmt.Errorf("gap in the log: the commit of version %d (%s) is missing, and every commit %s is needed",
		missing, commitKey(missing), after)
}

// ErrNoTable is wrapped when a folder holds no Delta log.
var ErrNoTable = errors.New("no Delta table here (no commits in _delta_log)")
