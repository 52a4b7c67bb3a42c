//go:build !unix

package rewrite

import (
	"errors"
	"os"
)

func mapFile(*os.File, int64, int64) ([]byte, error) {
	return nil, errors.New("this system cannot: set --memory higher")
}

func unmapFile([]byte) error { return nil }
