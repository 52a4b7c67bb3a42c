package plan

import (
	"fmt"
	"slices"
	"strconv"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/table"
)

// unkept says why a table's files hold no statistics of a column, and what would change that.
func unkept(s lake.Snapshot, c table.Column) string {
	const reason = "refused: no statistics are kept of it"
	if s.Format != lake.Delta {
		return fmt.Sprintf("%s: set %s%s and have the files written anew", reason, metricsOf, c)
	}
	if listed, ok := s.Properties["delta.dataSkippingStatsColumns"]; ok {
		return fmt.Sprintf("%s: delta.dataSkippingStatsColumns has %q; add it there and have the files written anew", reason, listed)
	}
	indexed := dialect.Of(dialect.OpenSource).StatsColumns // where the table does not say
	if n, err := strconv.Atoi(s.Properties["delta.dataSkippingNumIndexedCols"]); err == nil {
		indexed = n
	}
	at := slices.IndexFunc(s.Columns, func(column lake.Column) bool { return column.Name == c })
	if indexed < 0 || at < indexed {
		return reason
	}
	return fmt.Sprintf("%s: it is column %d, and they are kept of the first %d; move it forward or raise delta.dataSkippingNumIndexedCols, and have the files written anew", reason, at+1, indexed)
}
