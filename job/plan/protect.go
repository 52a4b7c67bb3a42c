package plan

import (
	"fmt"
	"slices"

	"ajlo/job/unit"
)

// What a protected class may read more than today: a share, or some files of the layout where
// that is more, since bounds of two files that just touch are no one's loss.
const (
	maxProtectedGrowth = 0.05
	maxProtectedFiles  = 2
)

// protected gives the fingerprints of the classes that the config protects, by fingerprint or
// by the description of one of their executions.
func (in Input) protected() map[string]bool {
	found := map[string]bool{}
	for _, q := range in.Queries {
		if slices.Contains(in.Settings.Protect, q.Fingerprint) || q.Query != "" && slices.Contains(in.Settings.Protect, q.Query) {
			found[q.Fingerprint] = true
		}
	}
	return found
}

// robbed says which protected class would read too much more under a layout of files of the
// given size; empty where none would.
func robbed(classes []Class, file unit.Bytes) string {
	for _, c := range classes {
		allowed := max(unit.Bytes(maxProtectedGrowth*float64(c.Now)), maxProtectedFiles*file*unit.Bytes(c.Executions))
		if c.Protected && c.Then > c.Now+allowed {
			return fmt.Sprintf("class %s is protected and would read %s a window instead of %s", c, c.Then, c.Now)
		}
	}
	return ""
}
