package rewrite

import "context"

// Sum reads all rows of a task's files, but for deleted ones: what must be the same before and
// after whoever rewrote them (rule 1). Only the task's store, metadata, row tracking and files
// count; they may be of several partitions, whose values are no part of a row unless rows are read
// whole.
func Sum(ctx context.Context, t Task) (sum RowSum, err error) {
	for _, f := range t.Files {
		some, err := sumFile(ctx, t, f)
		if err != nil {
			return RowSum{}, err
		}
		sum = sum.Plus(some)
	}
	return sum, nil
}
