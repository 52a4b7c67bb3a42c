package plan

import (
	"fmt"
	"slices"
	"strconv"

	"ajlo/job/lake"
	"ajlo/job/table"
)

// defaultIndexed is how many columns Delta keeps statistics of where a table does not say
// (delta.dataSkippingNumIndexedCols); fields of structs count as columns.
const defaultIndexed = 32

// unkept says why a table's files hold no statistics of a column, and what would change that.
func unkept(s lake.Snapshot, c table.Column) string {
	const reason = "refused: no statistics are kept of it"
	if s.Format != lake.Delta {
		return fmt.Sprintf("%s: set %s%s and have the files written anew", reason, metricsOf, c)
	}
	if listed, ok := s.Properties["delta.dataSkippingStatsColumns"]; ok {
		return fmt.Sprintf("%s: delta.dataSkippingStatsColumns has %q; add it there and have the files written anew", reason, listed)
	}
	indexed := defaultIndexed
	if n, err := strconv.Atoi(s.Properties["delta.dataSkippingNumIndexedCols"]); err == nil {
		indexed = n
	}
	at := slices.IndexFunc(s.Columns, func(column lake.Column) bool { return column.Name == c })
	if indexed < 0 || at < indexed {
		return reason
	}
	return fmt.Sprintf("%s: it is column %d, and they are kept of the first %d; move it forward or raise delta.dataSkippingNumIndexedCols, and have the files written anew", reason, at+1, indexed)
}
