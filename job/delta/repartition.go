package delta

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// ChangeFeed reports whether the table keeps a feed of its changes, whose readers take the files of all
// versions by the partition columns of the newest.
func (m Metadata) ChangeFeed() bool {
	return strings.EqualFold(m.Configuration[changeFeedKey], "true")
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
