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
	f, err := nameless(folder)
	if err != nil {
		return appearNamed(folder, name, data)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync()); err != nil {
		return errors.Join(err, f.Close())
	}
	err = giveName(f, name)
	if closing := f.Close(); closing != nil {
		return errors.Join(err, closing)
	}
	switch {
	case err == nil, errors.Is(err, ErrExists):
		return err
	}
	return appearNamed(folder, name, data)
}

// nameless opens a new file in a folder that is gone when it is closed, unless it is given a
// name before.
func nameless(folder string) (*os.File, error) {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, newFile)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Join(folder, "nameless")), nil
}

// giveName links a nameless file to a name that nobody has: ErrExists where somebody does.
func giveName(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
