//go:build !linux

package rewrite

import (
	"errors"
	"io/fs"
	"os"
)

// nameless takes the file's name away at once where the system lets it; elsewhere the name
// goes when the file is closed.
func nameless(folder string) (*os.File, error) {
	f, err := os.CreateTemp(folder, spillPattern)
	if err == nil {
		_ = os.Remove(f.Name()) // forget tries again
	}
	return f, err
}

func forget(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
