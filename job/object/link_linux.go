package object

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// appear makes a whole, durable file of this name at once; an error that is ErrExists where
// the name is taken. The file has no name before, so that nothing is left of it if the process
// is killed, unless the file system or a missing /proc asks for the other way.
func appear(folder, name string, data []byte) error {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, newFile)
	if err != nil {
		return appearNamed(folder, name, data)
	}
	f := os.NewFile(uintptr(fd), filepath.Join(folder, "unnamed"))
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync()); err != nil {
		return errors.Join(err, f.Close())
	}
	err = unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	if closing := f.Close(); closing != nil {
		return errors.Join(err, closing)
	}
	switch {
	case err == nil, errors.Is(err, ErrExists):
		return err
	}
	return appearNamed(folder, name, data)
}
