//go:build unix

package rewrite

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, offset, length int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), offset, int(length), unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(mapped []byte) error { return unix.Munmap(mapped) }
