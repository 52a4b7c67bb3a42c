package delta

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"ajlo/job/predicate"
)

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
	case !column.Type.Partitionable():
		return nil, fmt.Errorf("column %s: values of type %s are not spelled in one way", column.Name, column.Type.Text)
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

// ChangeFeed reports whether the table keeps a feed of its changes, whose readers take the files of all
// versions by the partition columns of the newest.
func (m Metadata) ChangeFeed() bool {
	return strings.EqualFold(m.Configuration["delta.enableChangeDataFeed"], "true")
}

// PartitionedBy is the metadata with other partition columns.
func (m Metadata) PartitionedBy(columns []string) Metadata {
	m.PartitionColumns = append([]string{}, columns...)
	return *m.written()
}

// checkPartitioning refuses to change more of the metadata than partition columns, and to leave files
// that lie by those of before.
func (c Change) checkPartitioning(read Snapshot) error {
	was, is := read.Metadata, *c.Metadata
	switch {
	case !reflect.DeepEqual(was.PartitionedBy(nil), is.PartitionedBy(nil)):
		return errors.New("more of the table's metadata would change than its partition columns")
	case len(is.PartitionFields()) != len(is.PartitionColumns), len(is.PartitionColumns) >= len(is.Schema):
		return fmt.Errorf("the table cannot be partitioned by %q", is.PartitionColumns)
	case len(c.Remove) != len(read.Files):
		return fmt.Errorf("%d of %d files would go out, the others lie by other partition columns", len(c.Remove), len(read.Files))
	case was.ChangeFeed():
		return errors.New("readers of its change data feed would read files of before by the new partition columns")
	}
	for _, f := range c.Add {
		if want := physicalNames(is.PartitionFields()); !slices.Equal(slices.Sorted(maps.Keys(f.PartitionValues)), want) {
			return fmt.Errorf("file %q has values for other partition columns than %q", f.Path, is.PartitionColumns)
		}
	}
	return nil
}

func physicalNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Physical()
	}
	slices.Sort(names)
	return names
}
