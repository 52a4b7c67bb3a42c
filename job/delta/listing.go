package delta

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ajlo/job/object"
)

// File names of the log. Versions have twenty digits so that names sort as versions do.
// Names that match no pattern are no part of the log: checksums, temporary files.
var (
	commitName     = regexp.MustCompile(`^_delta_log/(\d{20})\.json$`)
	compactedName  = regexp.MustCompile(`^_delta_log/(\d{20})\.(\d{20})\.compacted\.json$`)
	checkpointName = regexp.MustCompile(`^_delta_log/(\d{20})\.checkpoint\.(?:(\d{10})\.(\d{10})\.)?parquet$`)
	namedName      = regexp.MustCompile(`^_delta_log/(\d{20})\.checkpoint\.([0-9a-fA-F-]{36})\.(?:json|parquet)$`)
)

// commitKey is the key of a version's commit.
func commitKey(version int64) string { return fmt.Sprintf("%s%020d.json", logFolder, version) }

// checkpoint is one checkpoint, whole or not.
type checkpoint struct {
	version int64
	of      int    // files it has when it is whole
	name    string // what tells it from others of its version
	keys    []string
	time    time.Time // when the last of its files was written
}

func (c *checkpoint) whole() bool { return c != nil && len(c.keys) == c.of }

// before orders checkpoints by what is to be read: the newest, and of one version that of
// the fewest files.
func (c *checkpoint) before(d *checkpoint) bool {
	return cmp.Or(cmp.Compare(c.version, d.version), -cmp.Compare(c.of, d.of), cmp.Compare(c.name, d.name)) < 0
}

// compaction is one file that stands for the commits of a range of versions.
type compaction struct {
	from, to int64 // both inclusive
	key      string
}

// listing is what one look at the log found.
type listing struct {
	commits     map[int64]time.Time // version → when its file was written
	compactions map[int64][]compaction
	checkpoints map[string]*checkpoint
}

// list looks at the log from a version on.
func list(ctx context.Context, store object.Store, from int64) (listing, error) {
	l := listing{commits: map[int64]time.Time{}, compactions: map[int64][]compaction{}, checkpoints: map[string]*checkpoint{}}
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
	if m := compactedName.FindStringSubmatch(info.Key); m != nil {
		l.noteCompaction(m[1], m[2], info.Key)
		return
	}
	if m := namedName.FindStringSubmatch(info.Key); m != nil {
		l.notePart(m[1], m[2], 1, info)
		return
	}
	if m := checkpointName.FindStringSubmatch(info.Key); m != nil {
		l.noteCheckpoint(m[1], m[2], m[3], info)
	}
}

func (l listing) noteCompaction(first, last, key string) {
	from, errFrom := strconv.ParseInt(first, 10, 64)
	to, errTo := strconv.ParseInt(last, 10, 64)
	if errFrom == nil && errTo == nil && to > from {
		l.compactions[from] = append(l.compactions[from], compaction{from, to, key})
	}
}

func (l listing) noteCheckpoint(version, part, of string, info object.Info) {
	if part == "" {
		l.notePart(version, "", 1, info)
		return
	}
	number, _ := strconv.Atoi(part) // ten digits by the pattern
	total, _ := strconv.Atoi(of)
	if number >= 1 && number <= total {
		l.notePart(version, of, total, info)
	}
}

// notePart adds a file to the checkpoint that it is part of.
func (l listing) notePart(version, name string, of int, info object.Info) {
	v, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return
	}
	id := strings.Join([]string{version, name}, ".")
	c := l.checkpoints[id]
	if c == nil {
		c = &checkpoint{version: v, of: of, name: name}
		l.checkpoints[id] = c
	}
	c.keys = append(c.keys, info.Key)
	c.time = info.Modified
}

// checkpoint is the newest whole checkpoint up to a version, nil without one.
func (l listing) checkpoint(version int64) (best *checkpoint) {
	for _, c := range l.checkpoints {
		if c.whole() && c.version <= version && (best == nil || best.before(c)) {
			best = c
		}
	}
	return best
}

// compaction is the longest one that starts at a version and ends no later than another.
func (l listing) compaction(from, last int64) (best compaction, ok bool) {
	for _, c := range l.compactions[from] {
		if c.to <= last && c.to > best.to {
			best, ok = c, true
		}
	}
	return best, ok
}

// last is the newest version that the listing knows of, −1 for none.
func (l listing) last() int64 {
	last := int64(-1)
	for v := range l.commits {
		last = max(last, v)
	}
	if c := l.checkpoint(newest); c != nil {
		last = max(last, c.version)
	}
	return last
}
