package merge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// Format is what a source is made of.
type Format string

// The formats of sources.
const (
	FromDelta   Format = "delta"
	FromParquet Format = "parquet"
	FromCSV     Format = "csv"
)

// source is the rows to merge, in the table's columns and types: in memory, or on a shelf.
type source struct {
	format  Format
	version int64           // of a Delta table
	schema  string          // hash of the table's schema that it was read for
	types   []delta.Type    // by slot, see want; none for those that are not wanted
	chunks  [][]arrow.Array // by slot; nil for those that are not wanted
	ends    []int           // of each chunk, rows up to its end
	shelf   *rewrite.Shelf  // where values are that memory has no room for; nil while it has
	size    unit.Bytes      // of all values
	held    unit.Bytes      // in memory
	limit   unit.Bytes      // for held
	folder  string          // of the shelf
	index   index
}

// sourceShare of the memory limit, one part in so many, is the most that a source may take. Values
// that do not fit go on a shelf; the index has to fit.
const sourceShare = 3

// indexRow is the most that the index takes for each row of a source: up to three entries, and the
// number of the next.
const indexRow = 28 // bytes

// place is a source that was found.
type place struct {
	format Format
	store  object.Store
	key    string // of the one file, "" for a folder
}

// find looks at what lies at the source's path and refuses a source that is, holds or lies in the
// table.
func (m *Merger) find(ctx context.Context, r Request, t *target) (place, error) {
	folder, key := r.Source, ""
	if ending := strings.ToLower(path.Ext(r.Source)); (ending == ".parquet" || ending == ".csv") && !isFolder(r.Source) {
		folder, key = object.Split(r.Source)
	}
	store, err := m.o.Open(folder)
	if err != nil {
		return place{}, r.refuse("the source cannot be opened: %v: name a Delta table's folder, a folder of Parquet files, a .parquet file or a .csv file", err)
	}
	ours, theirs := canonical(t.store.URL()), canonical(store.URL())
	within := key == "" && strings.HasPrefix(ours+"/", theirs+"/") || strings.HasPrefix(theirs+"/", ours+"/")
	if within {
		return place{}, r.refuse("the source %s is the table itself, lies in it or holds it", r.Source)
	}
	switch {
	case strings.EqualFold(path.Ext(key), ".csv"):
		return place{FromCSV, store, key}, nil
	case key != "":
		return place{FromParquet, store, key}, nil
	}
	if _, err := delta.Newest(ctx, store); err == nil || !errors.Is(err, delta.ErrNoTable) {
		return place{FromDelta, store, ""}, err
	}
	return place{FromParquet, store, ""}, nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// canonical is a store's place with links of a local disk followed.
func canonical(place string) string {
	u, err := url.Parse(place)
	if err != nil || u.Scheme != "file" {
		return place
	}
	dir := filepath.FromSlash(u.Path)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.ToSlash(dir)
}

// holder has the source from one attempt to the next.
type holder struct{ source *source }

// read gives the source as the table's columns want it: the one that was read before, if it was for
// the same.
func (h *holder) read(ctx context.Context, m *Merger, r Request, t *target) (*source, error) {
	if h.source != nil && h.source.schema == t.lake.SchemaHash {
		return h.source, nil
	}
	if err := h.close(); err != nil {
		return nil, err
	}
	var err error
	h.source, err = m.read(ctx, r, t)
	return h.source, err
}

func (h *holder) close() error {
	if h.source == nil || h.source.shelf == nil {
		return nil
	}
	defer func() { h.source = nil }()
	return h.source.shelf.Close()
}

// read loads the source and makes its index. It gives it after an error, too, to be closed.
func (m *Merger) read(ctx context.Context, r Request, t *target) (*source, error) {
	at, err := m.find(ctx, r, t)
	if err != nil {
		return nil, err
	}
	s := &source{format: at.format, schema: t.lake.SchemaHash, limit: m.o.Memory / sourceShare, folder: m.o.Spill, types: make([]delta.Type, t.slots())}
	switch at.format {
	case FromCSV:
		err = s.readCSV(ctx, r, t, at)
	case FromDelta:
		err = m.readDelta(ctx, r, t, at, s)
	default:
		err = m.readParquet(ctx, r, t, at, s)
	}
	if err != nil {
		return s, err
	}
	return s, s.makeIndex(r, t)
}

// add takes some rows in.
func (s *source) add(r Request, columns map[int]arrow.Array, rows int) error {
	chunk, bytes := make([]arrow.Array, len(s.types)), unit.Bytes(0)
	for slot, column := range columns {
		chunk[slot] = column
		bytes += unit.Bytes(column.Data().SizeInBytes())
	}
	index := unit.Bytes(rows) * indexRow
	s.chunks, s.ends = append(s.chunks, chunk), append(s.ends, s.count()+rows)
	s.size, s.held = s.size+bytes, s.held+index
	if unit.Bytes(s.count())*indexRow > s.limit || s.count() > math.MaxInt32 {
		return r.refuse("the source has more rows than the %d whose keys a third of the memory limit has room for: set --memory higher or merge it in parts", min(s.limit/indexRow, math.MaxInt32))
	}
	if s.shelf == nil && s.held+bytes <= s.limit {
		s.held += bytes
		return nil
	}
	return s.shelve()
}

// shelve puts the values of what came last, and of what is in memory yet, on the shelf.
func (s *source) shelve() (err error) {
	from := len(s.chunks) - 1
	if s.shelf == nil {
		if s.shelf, err = rewrite.NewShelf(s.folder); err != nil {
			return err
		}
		from, s.held = 0, unit.Bytes(s.count())*indexRow
	}
	for i := from; i < len(s.chunks); i++ {
		if s.chunks[i], err = s.shelf.Keep(s.chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// count is how many rows there are.
func (s *source) count() int {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// pick is where a row is; chunk 0 is left to the table's own rows.
func (s *source) pick(row int32) rewrite.Pick {
	chunk, begin := sort.SearchInts(s.ends, int(row)+1), 0
	if chunk > 0 {
		begin = s.ends[chunk-1]
	}
	return rewrite.Pick{Chunk: uint32(chunk + 1), Row: uint32(int(row) - begin)}
}

// readDelta reads the newest version of a Delta table.
func (m *Merger) readDelta(ctx context.Context, r Request, t *target, at place, s *source) error {
	d, err := delta.Replay(ctx, at.store)
	if err != nil {
		return r.unreadable(ctx, err)
	}
	if found := delta.Unsupported(d); len(found) > 0 {
		return r.refuse("the source cannot be read: ajlo does not handle %s", strings.Join(found, "; "))
	}
	s.version = d.Version
	fields, err := s.counterparts(r, t, d.Metadata.Schema)
	if err != nil {
		return err
	}
	meta := d.Metadata
	if meta.Schema, err = t.columnsOf(r, fields); err != nil {
		return err
	}
	files := make([]rewrite.File, len(d.Files))
	for i, f := range d.Files {
		files[i] = rewrite.Listed(f)
	}
	return m.readFiles(ctx, r, t, s, rewrite.Task{Table: r.Table, Store: at.store, Metadata: meta, Files: files}, fields)
}

// readParquet reads Parquet files that are part of no table. Each has to have all columns.
func (m *Merger) readParquet(ctx context.Context, r Request, t *target, at place, s *source) error {
	files, err := parquetFiles(ctx, r, at)
	if err != nil {
		return err
	}
	for _, f := range files {
		stored, err := rewrite.StoredColumns(ctx, at.store, f.Path)
		if err != nil {
			return r.unreadable(ctx, err)
		}
		fields, err := s.counterparts(r, t, stored)
		if err != nil {
			return fmt.Errorf("%w (in %s)", err, f.Path)
		}
		meta := delta.Metadata{}
		if meta.Schema, err = t.columnsOf(r, fields); err != nil {
			return err
		}
		task := rewrite.Task{Table: r.Table, Store: at.store, Metadata: meta, Files: []rewrite.File{f}}
		if err := m.readFiles(ctx, r, t, s, task, fields); err != nil {
			return err
		}
	}
	return nil
}

// parquetFiles are the one file, or all Parquet files below the folder but those whose path has a
// part that starts with a dot or an underscore, as Spark sees them.
func parquetFiles(ctx context.Context, r Request, at place) (files []rewrite.File, err error) {
	for info, err := range at.store.List(ctx, at.key, "") {
		if err != nil {
			return nil, r.unreadable(ctx, err)
		}
		parts := strings.Split(info.Key, "/")
		if kind := tableMark(parts); kind != "" && at.key == "" {
			return nil, r.refuse("the source %s holds %s (%s), whose files are not all rows of it: name a Delta table by its own folder, of others make Parquet files", r.Source, kind, info.Key)
		}
		if at.key != "" && info.Key != at.key || slices.ContainsFunc(parts, hidden) || !strings.HasSuffix(strings.ToLower(info.Key), ".parquet") {
			continue
		}
		if slices.ContainsFunc(parts[:len(parts)-1], func(folder string) bool { return strings.Contains(folder, "=") }) {
			return nil, r.refuse("the source has columns in the names of its folders (%s), which ajlo does not read: make it a Delta table or put them into the files", info.Key)
		}
		files = append(files, rewrite.File{Path: info.Key, Bytes: unit.Bytes(info.Size), Rows: -1})
	}
	if len(files) == 0 {
		return nil, r.refuse("the source %s holds no Delta table and no Parquet file", r.Source)
	}
	return files, nil
}

// tableMark names the kind of table that a file is part of the metadata of; "" where it is none.
func tableMark(parts []string) string {
	switch {
	case slices.Contains(parts, execute.LogFolder):
		return "a Delta table"
	case strings.HasSuffix(parts[len(parts)-1], ".metadata.json"):
		return "an Iceberg table"
	case slices.Contains(parts, ".hoodie"):
		return "a Hudi table"
	}
	return ""
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// counterparts finds the columns that are wanted among those of a source, by their slots: those for
// columns of the table in the table's types.
func (s *source) counterparts(r Request, t *target, theirs delta.Schema) (map[int]delta.Field, error) {
	fields := map[int]delta.Field{}
	for _, w := range t.want {
		at, err := columnNamed(theirs, w.name)
		if err != nil {
			return nil, r.refuse("the source: %v", err)
		}
		field := theirs[at]
		if w.slot >= len(t.schema) {
			if was := s.types[w.slot]; was.Kind != "" && !same(was, field.Type) {
				return nil, r.refuse("column %s of the source is %s in one of its files and %s in another: make them the same", w.name, spelt(was), spelt(field.Type))
			}
			fields[w.slot], s.types[w.slot] = field, field.Type
			continue
		}
		ours := t.schema[w.slot]
		if !fits(field.Type, ours.Type) {
			return nil, r.refuse("column %s is %s in the source and %s in the table: cast it in the source", w.name, spelt(field.Type), spelt(ours.Type))
		}
		if len(ours.Type.Fields) == 0 && ours.Type.Element == nil {
			field.Type = ours.Type
		}
		fields[w.slot], s.types[w.slot] = field, ours.Type
	}
	return fields, nil
}

// columnsOf are the columns of a source that are read: each once, though several of the table's may
// want it.
func (t *target) columnsOf(r Request, fields map[int]delta.Field) (columns delta.Schema, err error) {
	for _, w := range t.want {
		field := fields[w.slot]
		at := slices.IndexFunc(columns, func(f delta.Field) bool { return f.Name == field.Name })
		if at < 0 {
			columns = append(columns, field)
		} else if !same(columns[at].Type, field.Type) {
			return nil, r.refuse("column %s of the source is wanted as %s and as %s: cast it to a second column in the source", field.Name, spelt(columns[at].Type), spelt(field.Type))
		}
	}
	return columns, nil
}

// fits reports whether every value of a type is one of the other: the same type, fewer bytes of a
// whole number, fewer digits of a decimal. Parts of nested types have to be the same, in names and
// order, too.
func fits(from, to delta.Type) bool {
	if rank := slices.Index(wholes, from.Kind); rank >= 0 {
		return slices.Index(wholes, to.Kind) >= rank
	}
	if from.Kind == delta.Decimal && to.Kind == delta.Decimal {
		return from.Scale == to.Scale && from.Precision <= to.Precision
	}
	return same(from, to)
}

// wholes are the kinds of whole numbers by their width.
var wholes = []delta.Kind{delta.Byte, delta.Short, delta.Integer, delta.Long}

func same(a, b delta.Type) bool {
	if a.Kind != b.Kind || a.Kind == delta.Other || a.Precision != b.Precision || a.Scale != b.Scale || len(a.Fields) != len(b.Fields) {
		return false
	}
	for i := range a.Fields {
		if a.Fields[i].Name != b.Fields[i].Name || !same(a.Fields[i].Type, b.Fields[i].Type) {
			return false
		}
	}
	return samePart(a.Key, b.Key) && samePart(a.Element, b.Element)
}

func samePart(a, b *delta.Type) bool {
	return (a == nil) == (b == nil) && (a == nil || same(*a, *b))
}

// spelt is a type with its parts.
func spelt(t delta.Type) string {
	switch {
	case t.Key != nil && t.Element != nil:
		return fmt.Sprintf("map<%s,%s>", spelt(*t.Key), spelt(*t.Element))
	case t.Element != nil:
		return fmt.Sprintf("array<%s>", spelt(*t.Element))
	case len(t.Fields) > 0:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ":" + spelt(f.Type)
		}
		return fmt.Sprintf("struct<%s>", strings.Join(parts, ","))
	}
	return t.Text
}

// readFiles reads all rows of a task's files. Fields are the source's, by slot.
func (m *Merger) readFiles(ctx context.Context, r Request, t *target, s *source, task rewrite.Task, fields map[int]delta.Field) error {
	p, err := rewrite.Prepare(ctx, task, m.rewriting(0))
	if err != nil {
		return r.unreadable(ctx, unnamed(err))
	}
	for _, f := range task.Files {
		for rows, err := range p.Scan(ctx, f, p.Columns()) {
			if err != nil {
				return r.unreadable(ctx, err)
			}
			columns, err := whole(fields, p.Columns(), task.Metadata, f.Log, rows)
			if err != nil {
				return r.unreadable(ctx, err)
			}
			for slot, column := range columns {
				if !isText(column) {
					return r.refuse("the source: %s, column %s: it holds a text that is not in UTF-8, as damaged files do: make the file anew, or give the table a column of type binary", f.Path, fields[slot].Name)
				}
			}
			if err := s.add(r, columns, rows.Count); err != nil {
				return err
			}
		}
	}
	return nil
}

// unnamed takes the table's name off a refusal, which is the target's.
func unnamed(err error) error {
	var refusal *rewrite.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Reason)
	}
	return err
}

// whole puts the columns of a file and those that its log has for all of its rows together.
func whole(fields map[int]delta.Field, stored delta.Schema, meta delta.Metadata, log delta.Add, rows rewrite.Rows) (map[int]arrow.Array, error) {
	columns := map[int]arrow.Array{}
	for c, field := range fields {
		if at := slices.IndexFunc(stored, func(f delta.Field) bool { return f.Name == field.Name }); at >= 0 {
			columns[c] = rows.Columns[at]
			continue
		}
		constant, err := rewrite.PartitionColumn(log, field, rows.Count)
		if err != nil {
			return nil, err
		}
		columns[c] = constant
	}
	return columns, nil
}
