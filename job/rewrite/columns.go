package rewrite

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"ajlo/job/delta"
)

// columns are what rows are made of: the table's schema, without partition columns unless rows are
// read whole, and behind it the two columns of row tracking where rows keep their ids.
func (t Task) columns() delta.Schema {
	if t.Whole {
		return t.without(nil)
	}
	return t.without(t.Metadata.PartitionColumns)
}

// stored are what the new data files hold of them.
func (t Task) stored() delta.Schema {
	if t.Becomes != nil {
		return t.without(t.Becomes.PartitionColumns)
	}
	return t.columns()
}

// becomes is the metadata of the new files.
func (t Task) becomes() delta.Metadata {
	if t.Becomes != nil {
		return *t.Becomes
	}
	return t.Metadata
}

func (t Task) without(partition []string) delta.Schema {
	var columns delta.Schema
	for _, f := range t.Metadata.Schema {
		if !slices.Contains(partition, f.Name) {
			columns = append(columns, f)
		}
	}
	if t.RowTracking.Enabled {
		columns = append(columns, trackingField(t.RowTracking.RowID), trackingField(t.RowTracking.CommitVersion))
	}
	return columns
}

func trackingField(name string) delta.Field {
	return delta.Field{Name: name, Nullable: true, Type: delta.Type{Kind: delta.Long, Text: "long"}}
}

// tracked fills the columns of row tracking, the last two: a row without a value has an id by
// its place in the file, and the commit version of the file. Without either in the log, as in
// files older than the feature, it stays NULL.
func (f *dataFile) tracked(b *batch) {
	n := len(b.columns)
	if base := f.listed.Log.BaseRowID; base != nil {
		b.columns[n-2] = filled(b.columns[n-2], func(i int) int64 { return *base + int64(b.position(i)) })
	}
	if version := f.listed.Log.DefaultRowCommitVersion; version != nil {
		b.columns[n-1] = filled(b.columns[n-1], func(int) int64 { return *version })
	}
}

// filled puts values in the place of NULLs.
func filled(a arrow.Array, value func(i int) int64) arrow.Array {
	if a.NullN() == 0 {
		return a
	}
	old, values := a.(*array.Int64), make([]int64, a.Len())
	for i := range values {
		if a.IsValid(i) {
			values[i] = old.Value(i)
		} else {
			values[i] = value(i)
		}
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(values))}
	return array.MakeFromData(array.NewData(a.DataType(), len(values), buffers, nil, 0, 0))
}

// undeleted leaves out the rows that the file's deletion vector deletes.
func (f *dataFile) undeleted(b batch) (batch, error) {
	left := make([]uint32, 0, b.rows)
	for i := range b.rows {
		if !f.deleted.Contains(b.first + uint64(i)) {
			left = append(left, uint32(i))
		}
	}
	if len(left) == b.rows {
		return b, nil
	}
	at := make([]place, len(left))
	for i, row := range left {
		at[i] = place{0, row}
	}
	columns := make([]arrow.Array, len(b.columns))
	for c, column := range b.columns {
		var err error
		if columns[c], err = gather(f.types[c], []arrow.Array{column}, at); err != nil {
			return batch{}, err
		}
	}
	return batch{columns: columns, rows: len(left), first: b.first, left: left}, nil
}
