package lake

import (
	"context"

	"ajlo/job/object"
	"ajlo/job/table"
)

// Draw samples about the given number of rows of some columns, evenly over the files of s.
func Draw(ctx context.Context, store object.Store, s Snapshot, columns []table.Column, rows int) (Sample, error) {
	panic("not there yet")
}
