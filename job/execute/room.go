package execute

import (
	"fmt"
	"net/url"
	"path/filepath"

	"ajlo/job/object"
	"ajlo/job/unit"
)

// spareSpace is the room that writing files anew asks of the disk, in tenths of their bytes: rows
// in another order compress differently, and the log grows.
const spareSpace = 12

// Room says why the disk has no room for so many bytes of a table's files a second time; empty
// where it has. Other storage has no end.
func Room(store object.Store, bytes unit.Bytes, free func(dir string) (unit.Bytes, error)) (reason string, err error) {
	if object.Scheme(store.URL()) != "file" {
		return "", nil
	}
	u, err := url.Parse(store.URL())
	if err != nil {
		return "", err
	}
	dir := filepath.FromSlash(u.Path)
	left, err := free(dir)
	if err != nil {
		return "", err
	}
	if needed := bytes / 10 * spareSpace; left < needed {
		return fmt.Sprintf("the disk of %s has %d bytes free, the rewrite needs %d", dir, left, needed), nil
	}
	return "", nil
}
