package delta

import (
	"ajlo/job/prune"
	"ajlo/job/table"
)

// ParseStats reads an add action's statistics: the number of rows, −1 where not given, and
// the bounds of each top-level column that has some.
func ParseStats(text string, schema Schema) (rows int64, bounds map[table.Column]prune.Bounds, err error) {
	panic("not there yet")
}
