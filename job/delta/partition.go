package delta

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"ajlo/job/predicate"
)

// PartitionFields are the columns whose values are in the log and not in the files, in the
// order of the table's partitioning.
func (m Metadata) PartitionFields() []Field {
	var fields []Field
	for _, name := range m.PartitionColumns {
		at := slices.IndexFunc(m.Schema, func(f Field) bool { return f.Name == name })
		if at >= 0 {
			fields = append(fields, m.Schema[at])
		}
	}
	return fields
}

// PartitionKey is equal for files of one partition and for no others. Values are told apart
// by their text; an empty one is NULL, as the protocol has it.
func PartitionKey(f Add, m Metadata) string {
	var key strings.Builder
	for _, field := range m.PartitionFields() {
		if text, ok := partitionText(f, field); ok {
			key.WriteString(strconv.Quote(text))
		}
		key.WriteByte(',')
	}
	return key.String()
}

// PartitionFolder is where new files of f's partition belong: beside f, and at the root where
// the table is not partitioned. Folders mean nothing to readers of Delta tables; people look
// into them.
func PartitionFolder(f Add, m Metadata) string {
	if folder := path.Dir(f.Path); len(m.PartitionColumns) > 0 && folder != "." {
		return folder
	}
	return ""
}

// PartitionValue is the value that all rows of a file have in a partition column. Types that
// have no Value, and times of day without a zone where the column has one, are an error.
func PartitionValue(f Add, column Field) (predicate.Value, error) {
	text, ok := partitionText(f, column)
	if !ok {
		return predicate.Value{}, nil
	}
	v, err := ParseValue(text, column.Type)
	if err != nil {
		return predicate.Value{}, fmt.Errorf("partition column %s of %s: %w", column.Name, f.Path, err)
	}
	return v, nil
}

func partitionText(f Add, column Field) (text string, ok bool) {
	value := f.PartitionValues[column.Physical()]
	if value == nil || *value == "" {
		return "", false
	}
	return *value, true
}
