package lake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ajlo/job/delta"
	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// ErrUnknownFormat is wrapped when a folder holds no table of a format that ajlo reads.
var ErrUnknownFormat = errors.New("not a table that ajlo reads")

// Open reads the newest version of the table at the store's root. Damage in the table's own
// metadata is an error; statistics of a file that cannot be read count as none.
func Open(ctx context.Context, store object.Store, name table.Name, location table.Location) (Snapshot, error) {
	s, err := delta.Replay(ctx, store)
	if errors.Is(err, delta.ErrNoTable) {
		if iceberg.Holds(ctx, store) {
			return openIceberg(ctx, store, name, location)
		}
		return Snapshot{}, fmt.Errorf("open table %s: %w: %s has neither commits in _delta_log (Delta) nor metadata files (Iceberg)", name, ErrUnknownFormat, store.URL())
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("open table %s: %w", name, err)
	}
	l, err := OfDelta(s, name, location)
	if err != nil {
		return Snapshot{}, err
	}
	return l.Traced(ctx, store, s), nil
}

// Traced is the picture of a Delta table with the keys that only its history tells of, where it
// has none that its files or its own settings name.
func (s Snapshot) Traced(ctx context.Context, store object.Store, d delta.Snapshot) Snapshot {
	if t, ok := trace(ctx, store, d, s.Layout); ok && s.Owner != delta.OwnerPlatform {
		return s.with(t)
	}
	return s
}

// OfDelta is the picture of a Delta table whose log was read before.
func OfDelta(s delta.Snapshot, name table.Name, location table.Location) (Snapshot, error) {
	hash, err := schemaHash(s.Metadata)
	if err != nil {
		return Snapshot{}, fmt.Errorf("open table %s: %w", name, err)
	}
	found, owner := layoutOf(s)
	list := files(s)
	markLaid(list, s.Files, found, owner)
	return Snapshot{
		Table: name, Location: location, Format: Delta, Version: s.Version,
		Columns: columns(s.Metadata.Schema), SchemaHash: hash, Protocol: protocol(s.Protocol),
		Owner: owner, Layout: found, Declared: len(s.ClusteringKeys()) > 0, Properties: maps.Clone(s.Metadata.Configuration), Files: list, Streamed: streamed(s),
	}, nil
}

// streamed is the newest time that a transaction identifier was set: streaming writers keep
// their progress so. One without a time counts as of the newest commit.
func streamed(s delta.Snapshot) (newest time.Time) {
	for _, t := range s.Transactions {
		at := s.Time
		if t.LastUpdated != nil {
			at = time.UnixMilli(*t.LastUpdated)
		}
		if at.After(newest) {
			newest = at
		}
	}
	return newest.UTC()
}

func columns(schema delta.Schema) []Column {
	list := make([]Column, len(schema))
	for i, f := range schema {
		list[i] = Column{Name: table.Column(f.Name), Type: f.Type.Text, Nullable: f.Nullable}
		if physical := f.Physical(); physical != f.Name {
			list[i].Physical = physical
		}
	}
	return list
}

func protocol(p delta.Protocol) Protocol {
	return Protocol{
		MinReader: p.MinReader, MinWriter: p.MinWriter,
		ReaderFeatures: slices.Sorted(slices.Values(p.ReaderFeatures)),
		WriterFeatures: slices.Sorted(slices.Values(p.WriterFeatures)),
	}
}

func files(s delta.Snapshot) []File {
	partitions := s.Metadata.PartitionFields()
	list := make([]File, len(s.Files))
	for i, add := range s.Files {
		rows, bounds, err := delta.ParseStats(add.Stats, s.Metadata.Schema)
		if err != nil { // as engines do: such a file is read by every query
			rows, bounds = -1, nil
		}
		rows, bounds = withoutDeleted(rows, bounds, add.DeletionVector)
		list[i] = File{Path: add.Path, Bytes: unit.Bytes(add.Size), Rows: rows, Bounds: withPartition(bounds, rows, add, partitions), Cube: add.Tags[delta.CubeIDTag]}
	}
	return list
}

// withoutDeleted takes the rows that a deletion vector hides out of the counts. Bounds stay:
// they still enclose what is left.
func withoutDeleted(rows int64, bounds map[table.Column]prune.Bounds, vector *delta.DeletionVector) (int64, map[table.Column]prune.Bounds) {
	if vector == nil || rows < 0 {
		return rows, bounds
	}
	left := max(rows-vector.Cardinality, 0)
	for c, b := range bounds {
		switch {
		case b.Nulls == rows:
			b.Nulls = left
		case b.Nulls > 0:
			b.Nulls = -1
		}
		b.Rows = left
		bounds[c] = b
	}
	return left, bounds
}

// withPartition adds the exact bounds that partition values are. One that cannot be read is
// unknown.
func withPartition(bounds map[table.Column]prune.Bounds, rows int64, add delta.Add, partitions []delta.Field) map[table.Column]prune.Bounds {
	for _, f := range partitions {
		v, err := delta.PartitionValue(add, f)
		if err != nil {
			continue
		}
		if bounds == nil {
			bounds = map[table.Column]prune.Bounds{}
		}
		if v.IsNull() {
			bounds[table.Column(f.Name)] = prune.Bounds{Nulls: rows, Rows: rows}
		} else {
			bounds[table.Column(f.Name)] = prune.Bounds{Min: v, Max: v, Rows: rows}
		}
	}
	return bounds
}

// hashDigits is how much of the hash is kept: 64 bits tell a table's few schemas apart.
const hashDigits = 16

// schemaHash tells whether a table's columns are what they were: names, types, settings and
// partitioning, whatever the spacing and order of keys in the log.
func schemaHash(m delta.Metadata) (string, error) {
	var parsed any
	d := json.NewDecoder(strings.NewReader(m.SchemaString))
	d.UseNumber()
	if err := d.Decode(&parsed); err != nil {
		return "", fmt.Errorf("hash schema: %w", err)
	}
	text, err := json.Marshal([]any{parsed, append([]string{}, m.PartitionColumns...)})
	if err != nil {
		return "", fmt.Errorf("hash schema: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:hashDigits], nil
}
