package rewrite

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// nameless makes a file that is in no folder from the start. Where the file system cannot,
// its name is taken away at once.
func nameless(folder string) (*os.File, error) {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), filepath.Join(folder, "spilled rows")), nil
	}
	f, err := os.CreateTemp(folder, spillPattern)
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// forget has nothing to do.
func forget(string) error { return nil }
