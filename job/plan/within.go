package plan

import (
	"slices"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
)

// within is the layout inside the partitions that a table has: files are never laid out across
// them, and no statement that gives a table keys takes them away.
func within(s lake.Snapshot, l layout.Layout) layout.Layout {
	l.Partition = slices.Clone(s.Layout.Partition)
	if l.Partition == nil {
		l.Partition = []table.Column{}
	}
	return l
}

// partitionColumns are the table's partition columns as far as their values can be sampled:
// what-ifs lay each partition out by itself.
func partitionColumns(s lake.Snapshot) (columns []table.Column) {
	for _, c := range s.Layout.Partition {
		if sampleable(s, c) {
			columns = append(columns, c)
		}
	}
	return columns
}

// sampleable reports whether a sample can hold the column's values.
func sampleable(s lake.Snapshot, c table.Column) bool {
	column, ok := s.Column(c)
	return ok && (orderable(column.Type) || column.Type == "boolean")
}
