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

// RoomFor is what writing so many bytes of a table's files a second time asks of a disk.
func RoomFor(bytes unit.Bytes) unit.Bytes { return bytes / 10 * spareSpace }

// FolderOf is where on this machine's disks a store is; "" for other storage, which has no end.
func FolderOf(store object.Store) (dir string, err error) {
	if object.Scheme(store.URL()) != "file" {
		return "", nil
	}
	u, err := url.Parse(store.URL())
	if err != nil {
		return "", err
	}
	return filepath.FromSlash(u.Path), nil
}

// Room says why the disk has no room for so many bytes of a table's files a second time; empty
// where it has.
func Room(store object.Store, bytes unit.Bytes, free func(dir string) (unit.Bytes, error)) (reason string, err error) {
	dir, err := FolderOf(store)
	if err != nil || dir == "" {
		return "", err
	}
	left, err := free(dir)
	if err != nil {
		return "", err
	}
	if needed := RoomFor(bytes); left < needed {
		return fmt.Sprintf("the disk of %s has %d bytes free, the rewrite needs %d", dir, left, needed), nil
	}
	return "", nil
}
