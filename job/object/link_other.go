//go:build !linux

package object

import (
	"errors"
	"os"
)

func appear(folder, name string, data []byte) error { return appearNamed(folder, name, data) }

// nameless is for systems that have such files.
func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func giveName(*os.File, string) error { return errors.ErrUnsupported }
