//go:build unix

package execute

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ajlo/job/unit"
)

// Disk names the disk that a folder is on.
func Disk(dir string) (string, error) {
	var s unix.Stat_t
	if err := unix.Stat(dir, &s); err != nil {
		return "", fmt.Errorf("find the disk of %s: %w", dir, err)
	}
	return fmt.Sprint(s.Dev), nil
}

// FreeSpace is what a user without privileges may still write to the disk of dir.
func FreeSpace(dir string) (unit.Bytes, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return unit.Bytes(s.Bavail) * unit.Bytes(s.Bsize), nil
}
