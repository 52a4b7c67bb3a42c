package eventlog

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Application is the log of one attempt of one application.
type Application struct {
	// ID is the application's id as the names give it ("local-1795979361104"); the log's
	// own start event has the last word.
	ID      string `json:"id"`
	Attempt string `json:"attempt,omitempty"` // "1", "2", … where the cluster counts attempts
	// Parts are paths in the file system, in the order they were written.
	Parts []string `json:"parts"`
	// InProgress is set where the log says of itself that it is still being written.
	InProgress bool      `json:"in_progress"`
	Bytes      int64     `json:"bytes"`    // of all parts, as stored
	Modified   time.Time `json:"modified"` // of the part written last
	// Lost are the numbers of parts that a rolling log must have had and has no more.
	Lost []int64 `json:"lost,omitempty"`
}

// Names that Spark's writers give (EventLogFileWriters.scala).
const (
	rollingPrefix    = "eventlog_v2_"
	partPrefix       = "events_"
	statusPrefix     = "appstatus_"
	inProgressSuffix = ".inprogress"
	compactSuffix    = ".compact"
)

// Find lists the applications below root of fsys, sorted by their first part; root may
// also be one log itself. Hidden files and folders (a leading "." or "_") are passed over,
// and so are files whose first bytes are no event log. A folder or file that cannot be read
// is an application of its own, so that reading it names it as lost. What a zip holds is
// found as if it were unpacked. A missing root is an error that wraps fs.ErrNotExist.
func Find(fsys fs.FS, root string) ([]Application, error) {
	found, err := find(fsys, root)
	if err != nil {
		return nil, fmt.Errorf("list event logs in %s: %w", root, err)
	}
	return found, nil
}

func find(fsys fs.FS, root string) ([]Application, error) {
	var found []Application
	err := fs.WalkDir(fsys, root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == root:
			return err
		case err != nil:
			found = append(found, unreadable(name))
			return skip(entry)
		case name != root && isHidden(entry.Name()):
			return skip(entry)
		case isLink(entry):
			found, err = appendLinked(found, fsys, name)
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), rollingPrefix):
			found = appendRolling(found, fsys, name)
			return fs.SkipDir
		case entry.Type().IsRegular():
			found, err = appendFile(found, fsys, name, entry)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found = joinDated(withoutStale(found))
	slices.SortFunc(found, func(a, b Application) int { return cmp.Compare(a.Parts[0], b.Parts[0]) })
	return found, nil
}

func isLink(entry fs.DirEntry) bool { return entry.Type()&fs.ModeSymlink != 0 }

// appendLinked adds what a symbolic link leads to. A folder of logs counts as unreadable: links may
// lead in a circle, and it can be a source of its own.
func appendLinked(found []Application, fsys fs.FS, name string) ([]Application, error) {
	target, err := fs.Stat(fsys, name)
	switch {
	case err == nil && target.Mode().IsRegular():
		return appendFile(found, fsys, name, fs.FileInfoToDirEntry(target))
	case err == nil && target.IsDir() && strings.HasPrefix(path.Base(name), rollingPrefix):
		return appendRolling(found, fsys, name), nil
	}
	return append(found, unreadable(name)), nil
}

func isHidden(base string) bool {
	return base != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) ||
		strings.HasPrefix(base, statusPrefix)
}

// unreadable stands for what could not be listed.
func unreadable(name string) Application {
	return Application{ID: path.Base(name), Parts: []string{name}}
}

// skip passes over one entry: a folder with all that is below it.
func skip(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// appendFile takes in one file, if it is a log.
func appendFile(found []Application, fsys fs.FS, name string, entry fs.DirEntry) ([]Application, error) {
	switch c, ok := looksLikeLog(fsys, name); {
	case !ok && (!isNamedLog(name) || isEmpty(entry)):
		return found, nil
	case !ok:
		return append(found, singleFile(name, entry)), nil // reading it says what is wrong
	case c == archive:
		return appendArchive(found, fsys, name, entry)
	}
	return append(found, singleFile(name, entry)), nil
}

// logName is how Spark on a local machine, a standalone cluster, YARN and Kubernetes names logs.
var logName = regexp.MustCompile(`^(local-\d{13}|app-\d{14}-\d{4,}|application_\d{13}_\d{4,}|spark-[0-9a-f]{32})`)

// isNamedLog reports whether a file has a log's name, whatever is in it.
func isNamedLog(name string) bool { return logName.MatchString(path.Base(name)) }

// isEmpty reports whether nothing has been written yet.
func isEmpty(entry fs.DirEntry) bool {
	info, err := entry.Info()
	return err == nil && info.Size() == 0
}

func singleFile(name string, entry fs.DirEntry) Application {
	base, inProgress := strings.CutSuffix(path.Base(name), inProgressSuffix)
	base = cutCodec(strings.TrimSuffix(base, compactSuffix))
	a := Application{Parts: []string{name}, InProgress: inProgress}
	a.ID, a.Attempt = splitAttempt(base)
	a.measure(entry)
	return a
}

// appendRolling reads one eventlog_v2_* folder. It is its own walk: nothing below it is
// looked at again.
func appendRolling(found []Application, fsys fs.FS, dir string) []Application {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return append(found, unreadable(dir))
	}
	a := Application{}
	a.ID, a.Attempt = splitAttempt(strings.TrimPrefix(path.Base(dir), rollingPrefix))
	var parts []part
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), statusPrefix) && strings.HasSuffix(entry.Name(), inProgressSuffix) {
			a.InProgress = true
		}
		if p, ok := parsePart(entry.Name()); ok && !entry.IsDir() {
			if p.entry = entry; isLink(entry) {
				target, err := fs.Stat(fsys, path.Join(dir, entry.Name()))
				if err != nil {
					return append(found, unreadable(path.Join(dir, entry.Name())))
				}
				p.entry = fs.FileInfoToDirEntry(target)
			}
			parts = append(parts, p)
		}
	}
	parts = inOrder(parts)
	a.Lost = lostParts(parts)
	for _, p := range parts {
		a.Parts = append(a.Parts, path.Join(dir, p.entry.Name()))
		a.measure(p.entry)
	}
	if len(a.Parts) == 0 {
		return found
	}
	return append(found, a)
}

// measure adds the part's size; a part that vanished meanwhile has none.
func (a *Application) measure(entry fs.DirEntry) {
	info, err := entry.Info()
	if err != nil {
		return
	}
	a.Bytes += info.Size()
	if modified := info.ModTime().UTC(); modified.After(a.Modified) {
		a.Modified = modified
	}
}
