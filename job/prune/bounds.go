// Package prune decides which files a reader has to open: a predicate held against the
// bounds that the format keeps for each file. It errs to one side only: a file that could
// hold a matching row is never left out.
package prune

import "ajlo/job/predicate"

// Bounds is what a format keeps of one column in one file. A zero Min or Max (kind Null)
// means that side is not known. Strings may have been cut: Min is then a prefix of the
// smallest value and Max at or above the greatest, so both still enclose the column.
type Bounds struct {
	Min, Max predicate.Value
	// Nulls is the number of NULLs, −1 where not known.
	Nulls int64
	// Rows is the number of rows in the file, −1 where not known.
	Rows int64
}
