//go:build !unix

package execute

import (
	"math"

	"ajlo/job/unit"
)

// Disk does not know: all folders count as on one.
func Disk(string) (string, error) { return "", nil }

// FreeSpace does not know: a full disk is found out while writing, and the table is left as
// it was.
func FreeSpace(string) (unit.Bytes, error) { return unit.Bytes(math.MaxInt64), nil }
