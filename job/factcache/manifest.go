package factcache

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Manifest says what one shard of a reading wrote. It is written last: files without one are of
// a shard that is not done.
type Manifest struct {
	// Sources are the folders that were read.
	Sources []string `json:"sources"`
	// Part is counted from 0; a reading that was not shared is part 0 of 1.
	Part int `json:"part"`
	Of   int `json:"of"`
	// The window is from Start up to End.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Written is when, by the clock of the machine that wrote it.
	Written time.Time `json:"written"`
	// Files are the names of its Parquet files, sorted.
	Files []string `json:"files"`
}

// Set is what all shards of a reading wrote.
type Set struct {
	// Start and End are the window that all of them cover.
	Start, End time.Time
	Files      []string
	// Sources are the folders that were read.
	Sources []string
}

// MissingShards is a folder without all that a reading writes.
type MissingShards struct {
	Sources []string
	// Shards are those missing, as facts --shard takes them.
	Shards []string
	// End is that of the window which the others have.
	End time.Time
}

func (e *MissingShards) Error() string {
	named := strings.Join(e.Shards[:min(len(e.Shards), mostNamed)], ", ")
	if more := len(e.Shards) - mostNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("shard %s of %s is missing for the window that ends at %s: run facts --shard for it again, then this",
		named, strings.Join(e.Sources, ", "), e.End.Format(time.RFC3339))
}

// mostNamed shards are named of those missing.
const mostNamed = 20

// MissingFile is a file that a manifest has and the folder has not.
type MissingFile struct {
	Sources []string
	File    string
}

func (e *MissingFile) Error() string {
	return fmt.Sprintf("the file %q of the facts of %s is missing: run facts --parquet for them again, then this", e.File, strings.Join(e.Sources, ", "))
}

// OneReading is how far apart the windows of a reading's shards may be, each by its own clock:
// less than from one night to the next.
const OneReading = 12 * time.Hour

const manifestSuffix = ".json"

// ourManifest is the form of the names that PutManifest gives.
var ourManifest = regexp.MustCompile(fmt.Sprintf(`^%s[0-9a-f]{%d}-[0-9]+-of-[0-9]+-[0-9a-f]{%d}\.json$`, manifestStem, sourceDigits, digestDigits))

// MaxShards is the most parts of a reading: more than schedulers start tasks.
const MaxShards = 10_000

// manifestStem is how the names of manifests begin.
const manifestStem = "manifest-"

func (m Manifest) source() string { return sourceStem(strings.Join(m.Sources, "\n")) }

// PutManifest says that a shard is done; it takes the place of what was said of it before.
func (f Folder) PutManifest(ctx context.Context, m Manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		stem := manifestStem + m.source() + strconv.Itoa(m.Part) + "-of-" + strconv.Itoa(m.Of) + "-"
		err = f.replace(ctx, stem, manifestSuffix, text)
	}
	if err != nil {
		return fmt.Errorf("write the manifest of facts: %w", err)
	}
	return nil
}

// ErrNoManifest is given for a folder in which no shard is done.
var ErrNoManifest = errors.New("no manifest is in it: facts --parquet was not run, or did not end")

// Sets are the readings whose facts are in the folder, one for each group of sources, by their
// manifests. An error is a *MissingShards, a
// *MissingFile, wraps ErrNoManifest, or is of reading.
func (f Folder) Sets(ctx context.Context) ([]Set, error) {
	groups, err := f.manifests(ctx)
	if err != nil {
		return nil, err
	}
	var sets []Set
	for _, group := range groups {
		set, err := together(group, f.names)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return nil, ErrNoManifest
	}
	return sets, nil
}

// manifests groups those of the folder by their sources, in the order of names.
func (f Folder) manifests(ctx context.Context) ([][]Manifest, error) {
	var groups [][]Manifest
	at := map[string]int{}
	for _, name := range f.ofManifests() {
		m, err := f.manifest(ctx, name)
		if err != nil {
			return nil, err
		}
		i, known := at[m.source()]
		if !known {
			i = len(groups)
			at[m.source()] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], m)
	}
	return groups, nil
}

func (f Folder) manifest(ctx context.Context, name string) (m Manifest, err error) {
	text, err := f.whole(ctx, name, manifestSuffix)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read facts: %s: %w", f.place.path(name), err)
	}
	if m.Of < 1 || m.Of > MaxShards || m.Part < 0 || m.Part >= m.Of {
		return m, fmt.Errorf("read facts: %s: it is of shard %d of %d", f.place.path(name), m.Part, m.Of)
	}
	return m, nil
}

// together joins the shards of the reading that was written last. Shards of an earlier one, or
// of one that was shared otherwise, are passed over. The names are those in the folder, sorted.
func together(manifests []Manifest, names []string) (Set, error) {
	last := slices.MaxFunc(manifests, func(a, b Manifest) int { return a.Written.Compare(b.Written) })
	parts := make([]*Manifest, last.Of)
	for _, m := range manifests {
		if m.Of == last.Of && m.End.Sub(last.End).Abs() < OneReading && (parts[m.Part] == nil || m.Written.After(parts[m.Part].Written)) {
			parts[m.Part] = &m
		}
	}
	set := Set{Start: last.Start, End: last.End, Sources: last.Sources}
	missing := &MissingShards{Sources: last.Sources, End: last.End}
	for i, m := range parts {
		if m == nil {
			missing.Shards = append(missing.Shards, fmt.Sprintf("%d/%d", cmp.Or(i, last.Of), last.Of)) // 0/n is n/n
			continue
		}
		set.Files = append(set.Files, m.Files...)
		set.cover(*m)
	}
	if len(missing.Shards) > 0 {
		return Set{}, missing
	}
	for _, file := range set.Files {
		if _, there := slices.BinarySearch(names, file); !there || !wellNamed(file) {
			return Set{}, &MissingFile{Sources: last.Sources, File: file}
		}
	}
	slices.Sort(set.Files)
	set.Files = slices.Compact(set.Files)
	return set, nil
}

// cover leaves of the set's window what the manifest has too.
func (s *Set) cover(m Manifest) {
	if m.Start.After(s.Start) {
		s.Start = m.Start
	}
	if m.End.Before(s.End) {
		s.End = m.End
	}
}

func (f Folder) ofManifests() []string {
	return slices.DeleteFunc(f.of(manifestStem), func(name string) bool { return !ourManifest.MatchString(name) })
}

// Discard deletes the files that Put and PutManifest wrote, manifests first, and counts them.
// What others put into the folder stays.
func (f Folder) Discard(ctx context.Context) (int, error) {
	names := f.ofManifests()
	for _, name := range f.names {
		if wellNamed(name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if err := gone(f.place.remove(ctx, name)); err != nil {
			return i, err
		}
	}
	return len(names), f.place.close(ctx)
}
