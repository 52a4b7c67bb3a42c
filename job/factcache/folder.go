package factcache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	suffix     = ".parquet"
	temporary  = ".ajlo-tmp-"
	folderMode = 0o700
	fileMode   = 0o600
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
	path  string
	names []string // sorted
}

// Open lists a folder; one that is not there yet is empty.
func Open(path string) (Folder, error) {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Folder{}, fmt.Errorf("open the facts in %s: %w", path, err)
	}
	f := Folder{path: path}
	for _, e := range entries {
		f.names = append(f.names, e.Name())
	}
	return f, nil
}

// Files lists the paths of all Parquet files of the folder, sorted.
func (f Folder) Files() []string {
	var files []string
	for _, name := range f.names {
		if strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".") {
			files = append(files, filepath.Join(f.path, name))
		}
	}
	return files
}

// Get gives the facts that were put under exactly this key. Whatever else it finds, or
// cannot read, is as good as absent.
func (f Folder) Get(k Key) (Application, bool) {
	for _, name := range f.of(stem(k.Source, k.Place)) {
		if found, a, err := Read(filepath.Join(f.path, name)); err == nil && found.equal(k) {
			return a, true
		}
	}
	return Application{}, false
}

// Put keeps facts in place of those that were kept for the same log before.
func (f Folder) Put(k Key, a Application) error {
	file, err := encode(k, a)
	if err != nil {
		return fmt.Errorf("keep facts of %s: %w", k.Place, err)
	}
	name := stem(k.Source, k.Place) + digest(file) + suffix
	if err := f.write(name, file); err != nil {
		return fmt.Errorf("keep facts of %s: %w", k.Place, err)
	}
	for _, older := range f.of(stem(k.Source, k.Place)) {
		if older != name {
			err = errors.Join(err, gone(os.Remove(filepath.Join(f.path, older))))
		}
	}
	return err
}

// write makes a file appear whole. It is not synced: what a power cut leaves of it does not
// have its digest.
func (f Folder) write(name string, file []byte) (err error) {
	if err := os.MkdirAll(f.path, folderMode); err != nil {
		return err
	}
	t, err := os.CreateTemp(f.path, temporary+"*") // 0600 from the start
	if err != nil {
		return err
	}
	_, err = t.Write(file)
	if err = errors.Join(err, t.Chmod(fileMode), t.Close()); err == nil {
		err = os.Rename(t.Name(), filepath.Join(f.path, name))
	}
	if err != nil {
		err = errors.Join(err, gone(os.Remove(t.Name())))
	}
	return err
}

// Sweep deletes the facts of the source's logs that are at none of the given places any
// more, so that literals do not outlive their logs, and what dead processes left half
// written before now. Where the places are not all there are, spare is for how long facts are
// left that were kept of others.
func (f Folder) Sweep(source string, places []string, now time.Time, spare time.Duration) error {
	kept := map[string]bool{}
	for _, place := range places {
		kept[stem(source, place)] = true
	}
	var failed error
	for _, name := range f.names {
		mine := strings.HasPrefix(name, sourceStem(source)) && wellNamed(name)
		lost := mine && !kept[name[:len(name)-len(suffix)-digestDigits]] && (spare == 0 || f.olderThan(name, now.Add(-spare)))
		if lost || f.abandoned(name, now) {
			failed = errors.Join(failed, gone(os.Remove(filepath.Join(f.path, name))))
		}
	}
	return failed
}

func (f Folder) abandoned(name string, now time.Time) bool {
	return strings.HasPrefix(name, temporary) && f.olderThan(name, now.Add(-abandonedAfter))
}

func (f Folder) olderThan(name string, t time.Time) bool {
	info, err := os.Lstat(filepath.Join(f.path, name))
	return err == nil && info.ModTime().Before(t)
}

// gone is nil where the file was deleted, by whomever.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// of lists the files of one application.
func (f Folder) of(stem string) []string {
	from, _ := slices.BinarySearch(f.names, stem)
	var names []string
	for _, name := range f.names[from:] {
		if !strings.HasPrefix(name, stem) {
			break
		}
		if wellNamed(name) {
			names = append(names, name)
		}
	}
	return names
}

// Read reads one file, wherever it was put.
func Read(path string) (Key, Application, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return Key{}, Application{}, fmt.Errorf("read facts: %w", err)
	}
	name := filepath.Base(path)
	if !wellNamed(name) || !strings.HasSuffix(name, digest(file)+suffix) {
		return Key{}, Application{}, fmt.Errorf("read facts: %s was not written by ajlo, or was changed since: its name and its bytes do not fit", path)
	}
	h, err := decode(file)
	if err != nil {
		return Key{}, Application{}, fmt.Errorf("read facts: %s %w", path, err)
	}
	return h.Key, h.Application, nil
}

// wellNamed reports whether a name has the form that Put gives.
func wellNamed(name string) bool {
	bare, ok := strings.CutSuffix(name, suffix)
	return ok && len(bare) == sourceDigits+1+placeDigits+1+digestDigits && !strings.HasPrefix(bare, ".")
}

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
