package eventlog

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"ajlo/job/object"
)

// Stored lists a folder of object storage once and gives it as a file system: of all logs in
// it those that may hold what happened from since on, and all of them where since is zero. It
// reads no log; files are read in ranges when they are opened. Its files are read in ctx. A
// folder without any file is fs.ErrNotExist, since storage knows no empty folders.
//
// What was written last before since, by the storage's clock, holds nothing that began after
// it, and is left out; the parts of a rolled log stay together. So the storage is asked for a
// page of names for each thousand files of the folder, and for nothing more of an old log.
// With longest, which says how long an application runs at most, names that tell an earlier
// start are not even listed where there are many in a row: see leap.
func Stored(ctx context.Context, store object.Store, since time.Time, longest time.Duration) (fs.FS, error) {
	l := listing{since: since, dirs: map[string][]fs.DirEntry{".": nil}}
	if !since.IsZero() {
		l.since = since.Add(-clockSlack)
		if longest > 0 {
			l.starts = l.since.Add(-longest)
		}
	}
	if err := l.list(ctx, store); err != nil {
		return nil, err
	}
	if l.seen == 0 {
		return nil, &fs.PathError{Op: "list", Path: store.URL(), Err: fs.ErrNotExist}
	}
	return storedFolder{ctx: ctx, store: store, dirs: l.sorted()}, nil
}

// clockSlack is how far the clocks of clusters and storage are taken to be apart at most, with
// the zones that names tell times in.
const clockSlack = 24 * time.Hour

// listing takes in the files of a folder, in the order of their keys.
type listing struct {
	since  time.Time // what was written before holds nothing that is wanted; zero for all
	starts time.Time // what began before has ended before since; zero where that is not known
	dirs   map[string][]fs.DirEntry
	seen   int
	// group is the log that is being listed, which is kept or left out whole.
	group   []object.Info
	groupOf string
	// old counts the keys in a row, of one folder and kind, whose names tell too early a start.
	old     int
	oldKind string
}

// list begins again behind each leap.
func (l *listing) list(ctx context.Context, store object.Store) error {
	for after, more := "", true; more; {
		more = false
		for info, err := range store.List(ctx, "", after) {
			if err != nil {
				return err
			}
			l.take(info)
			if after, more = l.leap(info.Key); more {
				break
			}
		}
	}
	l.settle()
	return nil
}

// take adds a file to its log.
func (l *listing) take(info object.Info) {
	l.seen++
	if log := logOf(info.Key); log != l.groupOf {
		l.settle()
		l.groupOf = log
	}
	l.group = append(l.group, info)
}

// settle keeps the log that was listed, or leaves it out.
func (l *listing) settle() {
	if slices.ContainsFunc(l.group, func(i object.Info) bool { return !i.Modified.Before(l.since) }) {
		for _, info := range l.group {
			l.add(info)
		}
	}
	l.group = l.group[:0]
}

// logOf names the log that a file is a part of by the beginning of their keys: a rolling
// folder, Databricks' dated files of one folder, or the file alone.
func logOf(key string) string {
	folder := ""
	for rest := key; ; {
		name, below, deeper := strings.Cut(rest, "/")
		if !deeper {
			if strings.HasPrefix(name, datedCurrent) {
				return folder + datedCurrent
			}
			return key
		}
		folder += name + "/"
		if strings.HasPrefix(name, rollingPrefix) {
			return folder
		}
		rest = below
	}
}

// add puts a file into its folder, and the folder into those above.
func (l *listing) add(info object.Info) {
	var entry fs.DirEntry = fs.FileInfoToDirEntry(storedFile{info})
	for at := info.Key; ; at = path.Dir(at) {
		above := path.Dir(at)
		_, known := l.dirs[above]
		l.dirs[above] = append(l.dirs[above], entry)
		if known {
			return
		}
		entry = fs.FileInfoToDirEntry(storedDir{above})
	}
}

// sorted orders the folders. Where storage has a file and a folder of one name, as some tools
// mark folders, the folder stands.
func (l *listing) sorted() map[string][]fs.DirEntry {
	for dir, entries := range l.dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int {
			return cmp.Or(cmp.Compare(a.Name(), b.Name()), cmp.Compare(boolRank(b.IsDir()), boolRank(a.IsDir())))
		})
		l.dirs[dir] = slices.CompactFunc(entries, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() })
	}
	return l.dirs
}

// storedFolder is what was listed, as a file system.
type storedFolder struct {
	ctx   context.Context
	store object.Store
	dirs  map[string][]fs.DirEntry
}

// Open opens a file, or a folder to be listed.
func (f storedFolder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if entries, ok := f.dirs[name]; ok {
		return &openDir{storedDir{name}, entries}, nil
	}
	entry, ok := f.entry(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	r, err := f.store.Open(f.ctx, name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	info, err := entry.Info()
	return &openFile{Reader: r, info: info}, err
}

func (f storedFolder) entry(name string) (fs.DirEntry, bool) {
	entries := f.dirs[path.Dir(name)]
	at, ok := slices.BinarySearchFunc(entries, path.Base(name), func(e fs.DirEntry, base string) int { return cmp.Compare(e.Name(), base) })
	if !ok {
		return nil, false
	}
	return entries[at], true
}

// storedFile describes a file as it was listed.
type storedFile struct{ info object.Info }

func (s storedFile) Name() string       { return path.Base(s.info.Key) }
func (s storedFile) Size() int64        { return s.info.Size }
func (s storedFile) Mode() fs.FileMode  { return 0o444 }
func (s storedFile) ModTime() time.Time { return s.info.Modified }
func (s storedFile) IsDir() bool        { return false }
func (s storedFile) Sys() any           { return nil }

// storedDir describes a folder, of which storage knows only its name.
type storedDir struct{ path string }

func (s storedDir) Name() string       { return path.Base(s.path) }
func (s storedDir) Size() int64        { return 0 }
func (s storedDir) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (s storedDir) ModTime() time.Time { return time.Time{} }
func (s storedDir) IsDir() bool        { return true }
func (s storedDir) Sys() any           { return nil }

// openDir is a folder whose entries were not all read yet.
type openDir struct {
	storedDir
	left []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.storedDir, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: fs.ErrInvalid}
}

// ReadDir gives the next n entries, all that are left for none.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.left)
	} else if len(d.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.left))
	given := slices.Clone(d.left[:n])
	d.left = d.left[n:]
	return given, nil
}
