package eventlog

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// inArchive stands in a part's path between a zip and the file in it.
const inArchive = "!/"

// openPart opens a file, or a file in a zip.
func openPart(fsys fs.FS, name string) (io.ReadCloser, error) {
	// Pipes and devices would have to be waited for, and never end.
	if of, ok := fsys.(fs.StatFS); ok {
		if info, err := of.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return nil, errors.New("it is no file, but a pipe or a device")
		}
	}
	file, err := fsys.Open(name)
	if zipName, inner, ok := strings.Cut(name, inArchive); ok && errors.Is(err, fs.ErrNotExist) {
		return openInZip(fsys, zipName, inner)
	}
	return file, err
}

// inZip is an open file of a zip, together with the zip's own file.
type inZip struct {
	fs.File
	zip io.Closer
}

func (f inZip) Close() error { return errors.Join(f.File.Close(), f.zip.Close()) }

func openInZip(fsys fs.FS, zipName, inner string) (io.ReadCloser, error) {
	file, err := fsys.Open(zipName)
	if err != nil {
		return nil, err
	}
	entries, err := zipDirectory(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	opened, err := entries.Open(inner)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return inZip{opened, file}, nil
}

// errNotDirect is storage that can only be read from front to back.
var errNotDirect = errors.New("cannot be read from any place")

// zipDirectory reads the directory at the end of a zip.
func zipDirectory(file fs.File) (*zip.Reader, error) {
	direct, ok := file.(io.ReaderAt)
	if !ok {
		return nil, errNotDirect
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return zip.NewReader(direct, info.Size())
}

// appendArchive finds the logs in a zip, as the History Server gives it for download: one
// file, or a rolling folder, for each attempt. A zip without a directory, which was cut or
// lies where it can only be read from the front, is one application whose files are read
// in the order they stand in it.
func appendArchive(found []Application, fsys fs.FS, name string, entry fs.DirEntry) ([]Application, error) {
	whole := singleFile(name, entry)
	file, err := fsys.Open(name)
	if err != nil {
		return append(found, whole), nil
	}
	defer file.Close() // only read: closing loses nothing
	entries, err := zipDirectory(file)
	if err != nil {
		return append(found, whole), nil
	}
	inside, err := find(entries, ".")
	if err != nil {
		return found, fmt.Errorf("zip %s: %w", name, err)
	}
	for _, a := range inside {
		for i := range a.Parts {
			a.Parts[i] = name + inArchive + a.Parts[i]
		}
		a.Modified = whole.Modified
		found = append(found, a)
	}
	return found, nil
}

// looksLikeLog reads the beginning of a file: text that begins an object, packed or not. A
// file that cannot be opened, or whose beginning is damaged, counts as a log, so that
// reading it names it as lost.
func looksLikeLog(fsys fs.FS, name string) (codec, bool) {
	file, err := fsys.Open(name)
	if err != nil {
		return plain, true
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, packedBytes)
	head, _ := in.Peek(headBytes)
	if len(head) == 0 {
		return plain, false
	}
	c := codecOf(head)
	if c == archive {
		return c, true
	}
	text, err := unpack(in)
	if err != nil {
		return c, true
	}
	defer text.release()
	first, err := text.Peek(1)
	return c, c != plain && err != nil || len(first) == 1 && first[0] == '{'
}
