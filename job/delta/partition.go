package delta

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Partitionable reports whether values of the type can be told apart by, and read back from, the text
// that the log has of a partition: times are spelled in a zone that the log does not name, floating
// point and binaries in more ways than one.
func (t Type) Partitionable() bool {
	switch t.Kind {
	case Byte, Short, Integer, Long, String, Boolean, Date:
		return true
	}
	return false
}

// SpellPartition is a value of a column as the log has it for a partition, nil for NULL. An empty text
// is an error, since readers take it for NULL, and so is a date that is spelled in several ways.
func SpellPartition(v predicate.Value, column Field) (*string, error) {
	if v.IsNull() {
		return nil, nil
	}
	text := v.Text()
	switch back, err := ParseValue(text, column.Type); {
	case text == "":
		return nil, fmt.Errorf("column %s: readers take an empty text for NULL in a partition", column.Name)
	case err != nil || back != v, v.Kind == predicate.Date && len(text) != len(time.DateOnly):
		return nil, fmt.Errorf("column %s: %q is not read back as it is spelled", column.Name, text)
	}
	return &text, nil
}

// HiveFolder is the folder that Hive and Spark give a partition: COLUMN=VALUE for each column of
// one. Folders mean nothing to readers of Delta tables; people look into them. It is "" where a name
// would be longer than file systems take.
func HiveFolder(fields []Field, values map[string]*string) string {
	folder := ""
	for _, f := range fields {
		text := nullFolder
		if v := values[f.Physical()]; v != nil {
			text = escapedFolder(*v)
		}
		name := escapedFolder(f.Name) + "=" + text
		if len(name) > longestName {
			return ""
		}
		folder = path.Join(folder, name)
	}
	return folder
}

const (
	nullFolder  = "__HIVE_DEFAULT_PARTITION__"
	longestName = 255 // bytes, of ext4, XFS and S3's tools alike
	// hiveReserved are the characters that Hive escapes in names of folders, beside control characters.
	hiveReserved = "\"#%'*/:=?\\{[]^\x7f"
)

func escapedFolder(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c < ' ' || strings.IndexByte(hiveReserved, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
