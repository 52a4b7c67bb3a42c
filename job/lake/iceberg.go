package lake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/iceberg"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// openIceberg reads the current snapshot of an Iceberg table.
func openIceberg(ctx context.Context, store object.Store, name table.Name, location table.Location) (Snapshot, error) {
	s, err := iceberg.Read(ctx, store)
	if err != nil {
		return Snapshot{}, fmt.Errorf("open table %s: %w", name, err)
	}
	return OfIceberg(s, name, location), nil
}

// OfIceberg is the picture of an Iceberg table whose metadata was read before. Its Version is the
// snapshot's id; its Protocol the version of the format, for readers and writers. Files keep
// their order.
func OfIceberg(s iceberg.Snapshot, name table.Name, location table.Location) Snapshot {
	files := icebergFiles(s)
	found, owner := icebergLayout(s, files)
	return Snapshot{
		Table: name, Location: location, Format: Iceberg, Version: s.ID,
		Columns: icebergColumns(s.Fields), SchemaHash: icebergHash(s),
		Protocol: Protocol{MinReader: s.Format, MinWriter: s.Format},
		Owner:    owner, Layout: found, Parts: icebergParts(s), Properties: maps.Clone(s.Properties), Files: files,
	}
}

func icebergColumns(fields []iceberg.Field) []Column {
	list := make([]Column, len(fields))
	for i, f := range fields {
		list[i] = Column{Name: table.Column(f.Name), Type: f.Type, Nullable: !f.Required, ID: int32(f.ID)}
	}
	return list
}

func icebergParts(s iceberg.Snapshot) []Part {
	var parts []Part
	for _, p := range s.Partition {
		parts = append(parts, Part{Name: table.Column(partText(p)), Source: table.Column(p.Field), Transform: p.Transform})
	}
	return parts
}

func icebergFiles(s iceberg.Snapshot) []File {
	keys, ok := layout.ParseKeys(s.Properties[iceberg.LayoutKey])
	laid := laidBy(s, keys)
	list := make([]File, len(s.Files))
	for i, f := range s.Files {
		list[i] = File{Path: f.Path, Bytes: unit.Bytes(f.Bytes), Rows: f.Rows, Bounds: icebergBounds(s.Fields, f), Laid: ok && laid(f.Snapshot)}
		for p, value := range f.Partition {
			if !value.IsNull() {
				list[i].Bounds[table.Column(partText(s.Partition[p]))] = prune.Bounds{Min: value, Max: value, Rows: f.Rows}
			}
		}
	}
	return list
}

// laidBy tells the snapshots whose files a step of ajlo laid by the keys. Of snapshots that were
// expired nothing is left to tell: their files count as laid, since upkeep has looked at them
// for days.
func laidBy(s iceberg.Snapshot, keys layout.Layout) func(snapshot int64) bool {
	listed := map[int64]bool{}
	for _, c := range s.Commits {
		_, ours := delta.ParseStamp(c.Summary[iceberg.StampKey])
		by, ok := layout.ParseKeys(c.Summary[iceberg.LayoutKey])
		listed[c.ID] = ours && ok && c.Operation == iceberg.Replace && by.Order == keys.Order && layout.SameKeys(by, keys)
	}
	return func(snapshot int64) bool {
		laid, known := listed[snapshot]
		return laid || !known
	}
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

// icebergLayout is the partition spec and, in this order, the declared order, which is the user's
// wish; the keys that a step of ajlo has put down, while any file lies by them; the order that
// most bytes are marked with. Spark's INSERT marks no file.
func icebergLayout(s iceberg.Snapshot, files []File) (layout.Layout, string) {
	found, owner := icebergKeys(s, files)
	for _, p := range s.Partition {
		found.Partition = append(found.Partition, table.Column(partText(p)))
	}
	return found, owner
}

func icebergKeys(s iceberg.Snapshot, files []File) (layout.Layout, string) {
	ours, put := layout.ParseKeys(s.Properties[iceberg.LayoutKey])
	keys := s.Order
	switch {
	case len(keys) > 0:
	case put && slices.ContainsFunc(files, func(f File) bool { return f.Laid }):
		return ours, delta.OwnerUs
	default:
		keys = markedOrder(s.Files)
	}
	if len(keys) == 0 {
		return layout.Unordered(), delta.OwnerNone
	}
	return layout.ClusteredBy(layout.Sort, columnsOf(keys)...), delta.OwnerUser
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
