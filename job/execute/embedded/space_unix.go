//go:build unix

package embedded

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ajlo/job/unit"
)

// freeSpace is what a user without privileges may still write to the disk of dir.
func freeSpace(dir string) (unit.Bytes, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return unit.Bytes(s.Bavail) * unit.Bytes(s.Bsize), nil
}
