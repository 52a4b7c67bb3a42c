package iceberg

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"ajlo/job/object"
)

// Read gives the current snapshot of the table at the store's root.
func Read(ctx context.Context, store object.Store) (Snapshot, error) {
	key, err := newest(ctx, store)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read Iceberg table %s: %w", store.URL(), err)
	}
	s, err := readAt(ctx, store, key)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read Iceberg table %s, %s: %w", store.URL(), key, err)
	}
	return s, nil
}

// ReadAt gives the table as an earlier snapshot has it, in the current schema. One that the
// metadata does not list any more is ErrExpired.
func ReadAt(ctx context.Context, store object.Store, id int64) (Snapshot, error) {
	key, err := newest(ctx, store)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read Iceberg table %s: %w", store.URL(), err)
	}
	s, err := readSnapshot(ctx, store, key, func(meta table.Metadata) (*table.Snapshot, error) {
		if found := meta.SnapshotByID(id); found != nil {
			return found, nil
		}
		return nil, ErrExpired
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("read Iceberg table %s, snapshot %d: %w", store.URL(), id, err)
	}
	return s, nil
}

func readAt(ctx context.Context, store object.Store, key string) (Snapshot, error) {
	return readSnapshot(ctx, store, key, func(meta table.Metadata) (*table.Snapshot, error) { return meta.CurrentSnapshot(), nil })
}

// readSnapshot reads a metadata file and the snapshot of it that is picked; none is a table that
// was never written.
func readSnapshot(ctx context.Context, store object.Store, key string, pick func(table.Metadata) (*table.Snapshot, error)) (Snapshot, error) {
	text, err := readMetadata(ctx, store, key)
	if err != nil {
		return Snapshot{}, err
	}
	meta, err := table.ParseMetadataBytes(text)
	if err != nil {
		return Snapshot{}, fmt.Errorf("parse metadata: %w", err)
	}
	s := describe(meta)
	s.Metadata = key
	picked, err := pick(meta)
	if picked == nil || err != nil {
		return s, err
	}
	c := commitOf(*picked)
	s.ID, s.Time, s.Summary = c.ID, c.Time, c.Summary
	r := reader{store: store, location: s.Location, fields: fieldsOf(meta.CurrentSchema()), orders: ordersOf(meta), spec: meta.PartitionSpec()}
	s.Files, s.Deletes, err = r.files(ctx, *picked)
	return s, err
}

// describe takes what the metadata says of the table itself.
func describe(meta table.Metadata) Snapshot {
	schema, spec := meta.CurrentSchema(), meta.PartitionSpec()
	s := Snapshot{
		UUID: meta.TableUUID().String(), Location: strings.TrimRight(meta.Location(), "/"), Format: meta.Version(),
		Time: time.UnixMilli(meta.LastUpdatedMillis()).UTC(), Properties: meta.Properties(), Order: keysOf(meta.SortOrder(), schema), schema: schema,
	}
	for _, f := range schema.Fields() {
		s.Fields = append(s.Fields, Field{ID: f.ID, Name: f.Name, Type: spelling(f.Type), Required: f.Required})
	}
	for _, f := range spec.Fields() {
		s.Partition = append(s.Partition, Part{Field: nameOf(schema, f.SourceIDs), Transform: f.Transform.String()})
	}
	s.Commits = commitsOf(meta)
	return s
}

func keysOf(order table.SortOrder, schema *iceberg.Schema) (keys []Key) {
	for _, f := range order.Fields() {
		keys = append(keys, Key{Field: nameOf(schema, f.SourceIDs), Transform: f.Transform.String(), Descending: f.Direction == table.SortDESC})
	}
	return keys
}

// nameOf is the name of the columns with these ids; one that was dropped since is named by
// its id.
func nameOf(schema *iceberg.Schema, ids []int) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		name, ok := schema.FindColumnName(id)
		if !ok {
			name = fmt.Sprintf("field %d", id)
		}
		names[i] = name
	}
	return strings.Join(names, ", ")
}

func fieldsOf(schema *iceberg.Schema) map[int]iceberg.Type {
	fields := map[int]iceberg.Type{}
	for _, f := range schema.Fields() {
		fields[f.ID] = f.Type
	}
	return fields
}

// ordersOf are the table's sort orders by their ids, which files name.
func ordersOf(meta table.Metadata) map[int][]Key {
	schema, orders := meta.CurrentSchema(), map[int][]Key{}
	for _, order := range meta.SortOrders() {
		orders[order.OrderID()] = keysOf(order, schema)
	}
	return orders
}

// reader walks the manifests of one snapshot.
type reader struct {
	store    object.Store
	location string
	fields   map[int]iceberg.Type // by id, those of the current schema
	orders   map[int][]Key        // by id
	spec     iceberg.PartitionSpec
}

func (r reader) files(ctx context.Context, s table.Snapshot) ([]File, int, error) {
	manifests, err := r.manifests(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	var files []File
	var addresses []string // of the files
	hidden := newHidden()
	for _, m := range manifests {
		text, err := r.content(ctx, m.FilePath())
		if err != nil {
			return nil, 0, fmt.Errorf("read manifest: %w", err)
		}
		entries, err := iceberg.ReadManifest(m, bytes.NewReader(text), true)
		if err != nil {
			return nil, 0, fmt.Errorf("read manifest %s: %w", m.FilePath(), err)
		}
		for _, e := range entries {
			if d := e.DataFile(); d.ContentType() == iceberg.EntryContentData {
				files, addresses = append(files, r.file(e)), append(addresses, d.FilePath())
			} else {
				hidden.add(d)
			}
		}
	}
	hidden.take(files, addresses)
	return files, hidden.files, nil
}

// manifests reads the snapshot's manifest list. Tables of version 1 may name their manifests
// in the metadata instead, which no writer does since 2019.
func (r reader) manifests(ctx context.Context, s table.Snapshot) ([]iceberg.ManifestFile, error) {
	if s.ManifestList == "" {
		return nil, fmt.Errorf("snapshot %d has no manifest list: rewrite the table's manifests with its own engine first", s.SnapshotID)
	}
	text, err := r.content(ctx, s.ManifestList)
	if err != nil {
		return nil, fmt.Errorf("read manifest list: %w", err)
	}
	list, err := iceberg.ReadManifestList(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read manifest list %s: %w", s.ManifestList, err)
	}
	return list, nil
}

func (r reader) content(ctx context.Context, address string) ([]byte, error) {
	key, ok := below(r.location, address)
	if !ok {
		return nil, fmt.Errorf("%s lies outside the table's location %s", address, r.location)
	}
	return r.store.ReadAll(ctx, key)
}

func (r reader) file(e iceberg.ManifestEntry) File {
	d := e.DataFile()
	key, _ := below(r.location, d.FilePath())
	f := File{Path: key, Bytes: d.FileSizeBytes(), Rows: d.Count(), Bounds: r.bounds(d), Snapshot: e.SnapshotID(), Partition: r.partition(d)}
	if id := d.SortOrderID(); id != nil {
		f.Order = r.orders[*id]
	}
	return f
}
