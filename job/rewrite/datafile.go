package rewrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/delta"
	"ajlo/job/object"
)

// dataFile is one open file with the way from its columns to those of the table.
type dataFile struct {
	key     string
	listed  File
	reader  object.Reader
	mapping delta.Mapping
	width   int64             // bytes of a row in memory, 0 where not known
	tracks  bool              // the last two columns are those of row tracking
	deleted *roaring64.Bitmap // nil where no row is
	footer  *format.FileMetaData
	parquet *pqarrow.FileReader
	schema  delta.Schema
	leaves  []int       // of the columns that are read
	at      []int       // place of each table column among those, −1 where the file lacks it
	convert []converter // parallel to at
	empty   []arrow.DataType
}

// openDataFile reads the footer and refuses what cannot be read exactly. Of the task's columns
// it reads those of the schema. The caller closes it.
func openDataFile(ctx context.Context, t Task, listed File, schema delta.Schema) (*dataFile, error) {
	deleted, err := delta.Deleted(ctx, t.Store, listed.Log)
	if err != nil {
		return nil, err
	}
	r, err := t.Store.Open(ctx, listed.Path)
	if err != nil {
		return nil, err
	}
	f := &dataFile{key: listed.Path, listed: listed, reader: r, schema: schema, mapping: t.Metadata.Mapping(), deleted: deleted, width: t.width}
	if err := f.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", listed.Path, err), r.Close())
	}
	return f, nil
}

func (f *dataFile) Close() error { return f.reader.Close() }

func (f *dataFile) open() (err error) {
	defer recovered(&err)
	if f.footer, err = readFooter(f.reader); err != nil {
		return err
	}
	var options []file.ReadOption
	hidden, err := hideInt96(f.footer)
	if err != nil {
		return err
	}
	if hidden != nil {
		m, err := metadata.NewFileMetaData(hidden, nil)
		if err != nil {
			return err
		}
		options = append(options, file.WithMetadata(m))
	}
	options = append(options, file.WithReadProps(readerProperties(f.footer)))
	p, err := file.NewParquetReader(io.NewSectionReader(f.reader, 0, f.reader.Size()), options...)
	if err != nil {
		return err
	}
	f.parquet, err = pqarrow.NewFileReader(p, arrowProperties(f.footer, p.MetaData().Schema), memory.DefaultAllocator)
	if err != nil {
		return err
	}
	return f.match()
}

// arrowProperties read columns of texts by their dictionaries where all their pages have one:
// values are then copied instead of built one by one.
func arrowProperties(footer *format.FileMetaData, schema *schema.Schema) pqarrow.ArrowReadProperties {
	p := pqarrow.ArrowReadProperties{BatchSize: maxReadRows}
	for leaf := range schema.NumColumns() {
		c := schema.Column(leaf)
		if c.PhysicalType() == parquet.Types.ByteArray && len(c.ColumnPath()) == 1 && c.MaxRepetitionLevel() == 0 && dictionaryOnly(footer, leaf) {
			p.SetReadDict(leaf, true)
		}
	}
	return p
}

// oldDictionary is PLAIN_DICTIONARY, as writers of pages of version 1 call RLE_DICTIONARY.
const oldDictionary format.Encoding = 2

func dictionaryOnly(footer *format.FileMetaData, leaf int) bool {
	for _, g := range footer.RowGroups {
		m := g.Columns[leaf].MetaData
		if len(m.EncodingStats) == 0 || m.DictionaryPageOffset == 0 {
			return false
		}
		for _, pages := range m.EncodingStats {
			ofData := pages.PageType == format.DataPage || pages.PageType == format.DataPageV2
			if ofData && pages.Encoding != oldDictionary && pages.Encoding != format.RLEDictionary {
				return false
			}
		}
	}
	return true
}

// readerProperties are such that a row group is never held whole unless it is small.
func readerProperties(footer *format.FileMetaData) *parquet.ReaderProperties {
	p := parquet.NewReaderProperties(memory.DefaultAllocator)
	for _, g := range footer.RowGroups {
		for _, c := range g.Columns {
			p.BufferedStreamEnabled = p.BufferedStreamEnabled || c.MetaData.TotalCompressedSize > largeChunk
		}
	}
	if p.BufferedStreamEnabled {
		p.BufferSize = streamBuffer
	}
	return p
}

// recovered turns a panic of the Parquet decoder over a damaged file into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
}

// match finds each column of the table in the file.
func (f *dataFile) match() error {
	stored, err := f.parquet.Schema()
	if err != nil {
		return err
	}
	f.at, f.convert = make([]int, len(f.schema)), make([]converter, len(f.schema))
	f.empty = make([]arrow.DataType, len(f.schema))
	read := map[int]int{} // field of the file → its place among the fields read
	for c, column := range f.schema {
		if f.empty[c], err = arrowType(column.Type); err != nil {
			return fmt.Errorf("column %q: %w", column.Name, err)
		}
		field, err := fieldOf(f.mapping, stored.Fields(), column)
		if err != nil {
			return err
		}
		if field < 0 {
			f.at[c] = -1
			continue
		}
		if f.convert[c], err = converterFor(f.mapping, stored.Field(field).Type, column.Type); err != nil {
			return fmt.Errorf("column %q: %w", column.Name, err)
		}
		f.at[c] = field
		read[field] = 0
	}
	f.place(read)
	return nil
}

// place lists the leaves of the fields that are read, in the file's order, and turns fields
// of the file into places among them.
func (f *dataFile) place(read map[int]int) {
	descriptor := f.parquet.ParquetReader().MetaData().Schema
	next, last := -1, -1
	for leaf := range descriptor.NumColumns() {
		field := descriptor.Root().FieldIndexByField(descriptor.ColumnRoot(leaf))
		if _, ok := read[field]; !ok {
			continue
		}
		if field != last {
			next, last = next+1, field
			read[field] = next
		}
		f.leaves = append(f.leaves, leaf)
	}
	for c, field := range f.at {
		if field >= 0 {
			f.at[c] = read[field]
		}
	}
}

// Rows is the number of rows that the footer names, deleted ones included.
func (f *dataFile) Rows() int64 { return f.footer.NumRows }

// Left is the number of rows that are not deleted.
func (f *dataFile) Left() int64 {
	if f.deleted == nil {
		return f.footer.NumRows
	}
	return f.footer.NumRows - int64(f.deleted.GetCardinality())
}

// batch is some rows in the form of arrowSchema, one after the other in their file.
type batch struct {
	columns []arrow.Array
	rows    int
	first   uint64   // place of the first row in the file, deleted rows counted
	left    []uint32 // rows that are left of those decoded together, nil for all
}

// position is the place of row i in the file, deleted rows counted.
func (b batch) position(i int) uint64 {
	if b.left != nil {
		return b.first + uint64(b.left[i])
	}
	return b.first + uint64(i)
}

// Groups is the number of row groups.
func (f *dataFile) Groups() int { return len(f.footer.RowGroups) }

// Batches yields the rows of the row groups from and up to, but without, to.
func (f *dataFile) Batches(ctx context.Context, from, to int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		for g := from; g < to; g++ {
			for b, err := range f.Group(ctx, g) {
				if !yield(b, err) || err != nil {
					return
				}
			}
		}
	}
}

// Group yields the rows of one row group, a few megabytes at a time.
func (f *dataFile) Group(ctx context.Context, g int) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		first := uint64(0)
		for _, before := range f.footer.RowGroups[:g] {
			first += uint64(before.NumRows)
		}
		last := first + uint64(f.footer.RowGroups[g].NumRows)
		next, stop, err := f.records(ctx, g, f.batchRows(g))
		if err == nil {
			defer stop()
		}
		for err == nil && first < last {
			var b batch
			if b, err = next(int(last - first)); err == nil {
				b.first = first
				first += uint64(b.rows)
				b, err = f.finished(b)
			}
			if err == nil && b.rows > 0 && !yield(b, nil) {
				return
			}
		}
		if err != nil {
			yield(batch{}, fmt.Errorf("read %s, row group %d: %w", f.key, g, err))
		}
	}
}

// finished leaves deleted rows out and fills in what comes from the log.
func (f *dataFile) finished(b batch) (batch, error) {
	var err error
	if f.deleted != nil {
		if b, err = f.undeleted(b); err != nil {
			return batch{}, err
		}
	}
	if f.tracks {
		f.tracked(&b)
	}
	return b, nil
}

// Rows are decoded in batches of about so many bytes, as their footer tells the width of a
// row: enough that columns are decoded at speed, few enough that two batches at a time are
// little beside the memory limit.
const (
	decodedBytes = 8 << 20
	minReadRows  = 64
	maxReadRows  = 32 << 10
	largeChunk   = 8 << 20 // bytes of a column in a row group; larger ones are read piece by piece
	streamBuffer = 1 << 20 // bytes of such a piece
)

func (f *dataFile) batchRows(g int) int {
	group := f.footer.RowGroups[g]
	width := max(1, f.width, group.TotalByteSize/max(1, group.NumRows))
	return int(min(max(decodedBytes/width, minReadRows), maxReadRows))
}

// First yields at most n rows from the head of the file.
func (f *dataFile) First(ctx context.Context, n int) (b batch, err error) {
	if len(f.leaves) == 0 || f.Groups() == 0 || f.footer.RowGroups[0].NumRows == 0 {
		return batch{}, nil
	}
	next, stop, err := f.records(ctx, 0, n)
	if err != nil {
		return batch{}, fmt.Errorf("read the head of %s: %w", f.key, err)
	}
	defer stop()
	if b, err = next(int(f.footer.RowGroups[0].NumRows)); err != nil {
		return batch{}, fmt.Errorf("read the head of %s: %w", f.key, err)
	}
	return b, nil
}

// records decodes a row group step by step; next is told how many rows are left, of which it
// gives at least one.
func (f *dataFile) records(ctx context.Context, g, rows int) (next func(left int) (batch, error), stop func(), err error) {
	defer recovered(&err)
	if len(f.leaves) == 0 {
		return func(left int) (batch, error) { return f.converted(nil, min(rows, left)) }, func() {}, nil
	}
	f.parquet.Props.BatchSize = int64(rows)
	records, err := f.parquet.GetRecordReader(ctx, f.leaves, []int{g})
	if err != nil {
		return nil, nil, err
	}
	return func(left int) (b batch, err error) {
		defer recovered(&err)
		if err := ctx.Err(); err != nil {
			return batch{}, err
		}
		if !records.Next() {
			return batch{}, errors.Join(fmt.Errorf("%d rows less than its footer says", left), records.Err())
		}
		record := records.RecordBatch()
		if n := int(record.NumRows()); n > left || n == 0 {
			return batch{}, fmt.Errorf("%d rows where its footer leaves %d", n, left)
		}
		return f.converted(record.Columns(), int(record.NumRows()))
	}, records.Release, nil
}

// converted brings the columns that were read into the table's order and types.
func (f *dataFile) converted(columns []arrow.Array, rows int) (batch, error) {
	b := batch{columns: make([]arrow.Array, len(f.schema)), rows: rows}
	for c, at := range f.at {
		if at < 0 {
			b.columns[c] = array.MakeFromData(nothing(f.empty[c], rows))
			continue
		}
		data, err := f.convert[c](columns[at].Data())
		if err != nil {
			return batch{}, fmt.Errorf("column %q: %w", f.schema[c].Name, err)
		}
		b.columns[c] = array.MakeFromData(data)
	}
	return b, nil
}
