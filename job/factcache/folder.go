package factcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"ajlo/job/object"
)

const (
	suffix    = ".parquet"
	temporary = ".ajlo-tmp-"
	// A file's name is source-place-digest in hexadecimal. 8 digits tell a config's sources
	// apart, 16 the applications of a source, and 32 are a digest that chance does not meet.
	sourceDigits = 8
	placeDigits  = 16
	digestDigits = 32
	// abandonedAfter is when a file that was never finished belongs to a process that is
	// gone: writing one takes seconds.
	abandonedAfter = time.Hour
)

// Folder is a folder of facts as it was when it was opened. Its methods may be called from
// several goroutines, and several processes may use one folder.
type Folder struct {
	place storage
	names []string // sorted
}

// storage is where a folder lies.
type storage interface {
	// path names a file to the reader of an error.
	path(name string) string
	list(ctx context.Context) ([]string, error)
	read(ctx context.Context, name string) ([]byte, error)
	// write makes a file appear whole; nothing is wrong where it is there already, since a name
	// carries the digest of its bytes.
	write(ctx context.Context, name string, file []byte) error
	remove(ctx context.Context, name string) error
	// close removes the folder itself, if it is empty and storage of its kind has folders.
	close(ctx context.Context) error
}

// Open lists a folder of this machine; one that is not there yet is empty.
func Open(ctx context.Context, path string) (Folder, error) { return open(ctx, disk(path), path) }

// OpenStored lists a folder in object storage.
func OpenStored(ctx context.Context, store object.Store) (Folder, error) {
	return open(ctx, stored{store}, store.URL())
}

func open(ctx context.Context, place storage, path string) (Folder, error) {
	names, err := place.list(ctx)
	if err != nil {
		return Folder{}, fmt.Errorf("open the facts in %s: %w", path, err)
	}
	slices.Sort(names)
	return Folder{place: place, names: names}, nil
}

// Strangers lists the names of Parquet files that have no name of ours.
func (f Folder) Strangers() []string {
	var files []string
	for _, name := range f.names {
		if strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".") && !wellNamed(name) {
			files = append(files, name)
		}
	}
	return files
}

// Path is where a file of the folder is.
func (f Folder) Path(name string) string { return f.place.path(name) }

// Get gives the facts that were put under exactly this key. Whatever else it finds, or
// cannot read, is as good as absent.
func (f Folder) Get(ctx context.Context, k Key) (Application, bool) {
	for _, name := range f.of(stem(k.Source, k.Place)) {
		if found, a, err := f.Read(ctx, name); err == nil && found.equal(k) {
			return a, true
		}
	}
	return Application{}, false
}

// Put keeps facts in place of those that were kept for the same log before, and gives the
// name of their file.
func (f Folder) Put(ctx context.Context, k Key, a Application) (string, error) {
	file, err := encode(k, a)
	if err == nil {
		err = f.replace(ctx, stem(k.Source, k.Place), suffix, file)
	}
	if err != nil {
		return "", fmt.Errorf("keep facts of %s: %w", k.Place, err)
	}
	return stem(k.Source, k.Place) + digest(file) + suffix, nil
}

// replace writes a file and deletes what had the same stem.
func (f Folder) replace(ctx context.Context, stem, suffix string, file []byte) error {
	name := stem + digest(file) + suffix
	if err := f.place.write(ctx, name, file); err != nil {
		return err
	}
	var failed error
	for _, older := range f.of(stem) {
		if older != name {
			failed = errors.Join(failed, gone(f.place.remove(ctx, older)))
		}
	}
	return failed
}

// Sweep deletes the facts of the source's logs that are at none of the given places any
// more, so that literals do not outlive their logs, and what dead processes left half
// written before now. Where the places are not all there are, spare is for how long facts are
// left that were kept of others.
func (f Folder) Sweep(ctx context.Context, source string, places []string, now time.Time, spare time.Duration) error {
	kept := map[string]bool{}
	for _, place := range places {
		kept[stem(source, place)] = true
	}
	var failed error
	for _, name := range f.names {
		mine := strings.HasPrefix(name, sourceStem(source)) && wellNamed(name)
		lost := mine && !kept[name[:len(name)-len(suffix)-digestDigits]] && (spare == 0 || f.olderThan(name, now.Add(-spare)))
		if lost || f.abandoned(name, now) {
			failed = errors.Join(failed, gone(f.place.remove(ctx, name)))
		}
	}
	return failed
}

func (f Folder) abandoned(name string, now time.Time) bool {
	return strings.HasPrefix(name, temporary) && f.olderThan(name, now.Add(-abandonedAfter))
}

func (f Folder) olderThan(name string, t time.Time) bool {
	local, ok := f.place.(disk)
	return ok && local.olderThan(name, t)
}

// gone is nil where the file was deleted, by whomever.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// of lists the files whose names begin with a stem.
func (f Folder) of(stem string) []string {
	from, _ := slices.BinarySearch(f.names, stem)
	var names []string
	for _, name := range f.names[from:] {
		if !strings.HasPrefix(name, stem) {
			break
		}
		names = append(names, name)
	}
	return names
}

// Read reads one file of the folder.
func (f Folder) Read(ctx context.Context, name string) (Key, Application, error) {
	file, err := f.whole(ctx, name, suffix)
	if err != nil {
		return Key{}, Application{}, err
	}
	h, err := decode(file)
	if err != nil {
		return Key{}, Application{}, fmt.Errorf("read facts: %s %w", f.place.path(name), err)
	}
	return h.Key, h.Application, nil
}

// whole gives the bytes of a file that has the digest its name says.
func (f Folder) whole(ctx context.Context, name, suffix string) ([]byte, error) {
	if !slices.Contains(f.names, name) { // a name from elsewhere may lead elsewhere
		return nil, fmt.Errorf("read facts: %s: %w", f.place.path(name), fs.ErrNotExist)
	}
	file, err := f.place.read(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	if !strings.HasSuffix(name, "-"+digest(file)+suffix) {
		return nil, fmt.Errorf("read facts: %s was not written by ajlo, or was changed since: its name and its bytes do not fit", f.place.path(name))
	}
	return file, nil
}

// ours is the form of the names that Put gives.
var ours = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}-[0-9a-f]{%d}-[0-9a-f]{%d}\.parquet$`, sourceDigits, placeDigits, digestDigits))

func wellNamed(name string) bool { return ours.MatchString(name) }

func sourceStem(source string) string { return hash([]byte(source), sourceDigits) + "-" }

// stem is how the name of every file for one log begins.
func stem(source, place string) string {
	return sourceStem(source) + hash([]byte(place), placeDigits) + "-"
}

func digest(file []byte) string { return hash(file, digestDigits) }

func hash(data []byte, digits int) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:digits]
}
