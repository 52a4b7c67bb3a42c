package verify

import (
	"errors"
	"fmt"

	"ajlo/job/execute"
)

// ErrRowsDiffer is wrapped where the rows of the files that a commit adds are not those of
// the files it removes (rule 1).
var ErrRowsDiffer = errors.New("the rows written are not the rows read")

// Rows checks rule 1 for a step: the multiset of rows removed equals the multiset added, by
// count and by the sum of their hashes.
func Rows(r execute.Result) error {
	if r.Removed == r.Added {
		return nil
	}
	return fmt.Errorf("%w: %d rows removed, %d added, hash sums %016x%016x and %016x%016x: keep the table's old files and report this",
		ErrRowsDiffer, r.Removed.Rows, r.Added.Rows, r.Removed.Hi, r.Removed.Lo, r.Added.Hi, r.Added.Lo)
}
