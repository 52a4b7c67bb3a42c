package lake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/iceberg"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// openIceberg reads the current snapshot of an Iceberg table. Its Version is the snapshot's
// id; its Protocol the version of the format, for readers and writers.
func openIceberg(ctx context.Context, store object.Store, name table.Name, location table.Location) (Snapshot, error) {
	s, err := iceberg.Read(ctx, store)
	if err != nil {
		return Snapshot{}, fmt.Errorf("open table %s: %w", name, err)
	}
	found, owner := icebergLayout(s)
	return Snapshot{
		Table: name, Location: location, Format: Iceberg, Version: s.ID,
		Columns: icebergColumns(s.Fields), SchemaHash: icebergHash(s),
		Protocol: Protocol{MinReader: s.Format, MinWriter: s.Format},
		Owner:    owner, Layout: found, Properties: maps.Clone(s.Properties), Files: icebergFiles(s),
	}, nil
}

func icebergColumns(fields []iceberg.Field) []Column {
	list := make([]Column, len(fields))
	for i, f := range fields {
		list[i] = Column{Name: table.Column(f.Name), Type: f.Type, Nullable: !f.Required}
	}
	return list
}

func icebergFiles(s iceberg.Snapshot) []File {
	list := make([]File, len(s.Files))
	for i, f := range s.Files {
		list[i] = File{Path: f.Path, Bytes: unit.Bytes(f.Bytes), Rows: f.Rows, Bounds: icebergBounds(s.Fields, f)}
	}
	return list
}

// icebergBounds names what the manifest keeps by column. Where rows of the file are deleted
// the NULLs among those that are left are known only if there were none.
func icebergBounds(fields []iceberg.Field, f iceberg.File) map[table.Column]prune.Bounds {
	bounds := map[table.Column]prune.Bounds{}
	for _, field := range fields {
		b, ok := f.Bounds[field.ID]
		if !ok {
			continue
		}
		nulls := b.Nulls
		if nulls > 0 && f.Deleted {
			nulls = -1
		}
		bounds[table.Column(field.Name)] = prune.Bounds{Min: b.Min, Max: b.Max, Nulls: nulls, Rows: f.Rows}
	}
	return bounds
}

// icebergLayout is the partition spec and the declared order, which is the user's wish; else
// the order that most bytes are marked with. Nothing in Iceberg's metadata tells a z-ordered
// file from one in no order, and Spark's INSERT marks none at all.
func icebergLayout(s iceberg.Snapshot) (layout.Layout, string) {
	found, owner := layout.Unordered(), delta.OwnerNone
	keys := s.Order
	if len(keys) == 0 {
		keys = markedOrder(s.Files)
	}
	if len(keys) > 0 {
		found, owner = layout.ClusteredBy(layout.Sort, columnsOf(keys)...), delta.OwnerUser
	}
	for _, p := range s.Partition {
		found.Partition = append(found.Partition, table.Column(partText(p)))
	}
	return found, owner
}

// markedOrder is the order that more than tagShare of the bytes are marked with.
func markedOrder(files []iceberg.File) []iceberg.Key {
	keys := map[string][]iceberg.Key{}
	bytes := map[string]int64{}
	var total int64
	for _, f := range files {
		total += f.Bytes
		id := orderText(f.Order)
		keys[id], bytes[id] = f.Order, bytes[id]+f.Bytes
	}
	for id, marked := range bytes { // at most one can hold more than half
		if float64(marked) > tagShare*float64(total) {
			return keys[id]
		}
	}
	return nil
}

func columnsOf(keys []iceberg.Key) []table.Column {
	columns := make([]table.Column, len(keys))
	for i, k := range keys {
		columns[i] = table.Column(k.Field)
	}
	return columns
}

func orderText(keys []iceberg.Key) string {
	var text strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&text, "%q %s %t;", k.Field, k.Transform, k.Descending)
	}
	return text.String()
}

// partText is the field as SQL writes it: started for identity, day(started) else.
func partText(p iceberg.Part) string {
	if p.Transform == "identity" {
		return p.Field
	}
	return p.Transform + "(" + p.Field + ")"
}

// icebergHash tells whether columns or partitioning are what they were.
func icebergHash(s iceberg.Snapshot) string {
	h := sha256.New()
	for _, f := range s.Fields {
		fmt.Fprintf(h, "%d %q %s %t\n", f.ID, f.Name, f.Type, f.Required)
	}
	for _, p := range s.Partition {
		fmt.Fprintf(h, "%q %s\n", p.Field, p.Transform)
	}
	return hex.EncodeToString(h.Sum(nil))[:hashDigits]
}
