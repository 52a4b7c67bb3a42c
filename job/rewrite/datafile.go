package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/delta"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// dataFile is one open file with the way from its columns to those of the table.
type dataFile struct {
	key     string
	listed  File
	reader  object.Reader
	mapping delta.Mapping
	width   int64             // bytes of a row in memory, 0 where not known
	memory  unit.Bytes        // limit
	tracks  bool              // the last two columns are those of row tracking
	parted  []string          // partition columns: what files hold of them does not count
	deleted *roaring64.Bitmap // nil where no row is
	footer  *format.FileMetaData
	parquet *pqarrow.FileReader
	schema  delta.Schema
	leaves  []int       // of the columns that are read
	at      []int       // place of each table column among those, −1 where the file lacks it
	convert []converter // parallel to at
	types   []arrow.DataType
	coded   []bool // texts that the file holds by dictionary only
	fixed   []bool // partition columns, by the log
}

// openDataFile reads the footer and refuses what cannot be read exactly. Of the task's columns
// it reads those of the schema. The caller closes it.
func openDataFile(ctx context.Context, t Task, listed File, schema delta.Schema) (*dataFile, error) {
	deleted, err := delta.Deleted(ctx, t.Store, listed.Log)
	if err != nil {
		return nil, err
	}
	r, err := t.from().Open(ctx, listed.Path)
	if err != nil {
		return nil, err
	}
	f := &dataFile{
		key: listed.Path, listed: listed, reader: r, schema: schema, mapping: t.Metadata.Mapping(), deleted: deleted,
		parted: t.Metadata.PartitionColumns,
		width:  t.width, memory: cmp.Or(t.memory, DefaultMemory),
	}
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
	source, err := slim(f.reader, f.footer)
	if err != nil {
		return err
	}
	plain, err := plainFooter(f.footer, source != f.reader)
	if err != nil {
		return err
	}
	f.reader = source
	if plain != nil {
		m, err := metadata.NewFileMetaData(plain, nil)
		if err != nil {
			return err
		}
		options = append(options, file.WithMetadata(m))
	}
	options = append(options, file.WithReadProps(f.readerProperties()))
	p, err := file.NewParquetReader(io.NewSectionReader(f.reader, 0, endOf(f.reader)), options...)
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

// A row group is read whole where its columns, stored, are small beside the memory limit, and
// piece by piece where they are not.
const (
	wholeShare  = 32 // of the limit, for each worker
	largePiece  = 1 << 20
	smallPiece  = 64 << 10
	largestPage = math.MaxInt32 // bytes, by the format
)

// readerProperties are such that a row group is never held whole unless it is small, and that
// no page is larger than what a survey lets pass.
func (f *dataFile) readerProperties() *parquet.ReaderProperties {
	p := parquet.NewReaderProperties(memory.DefaultAllocator)
	whole, largest := int64(f.memory)/wholeShare, int64(0)
	for _, g := range f.footer.RowGroups {
		bytes := int64(0)
		for _, c := range g.Columns {
			bytes += c.MetaData.TotalCompressedSize
		}
		largest = max(largest, bytes)
	}
	if p.BufferedStreamEnabled = largest > whole; p.BufferedStreamEnabled {
		columns := int64(max(1, len(f.footer.Schema)))
		p.BufferSize = min(max(whole/columns, smallPiece), largePiece)
	}
	p.MaxUncompressedPageSize = min(max(int64(f.memory)/pageShare, parquet.DefaultMaxUncompressedPageSize), largestPage)
	p.MaxCompressedPageSize = min(2*p.MaxUncompressedPageSize, largestPage)
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
	f.types, f.coded = make([]arrow.DataType, len(f.schema)), make([]bool, len(f.schema))
	f.fixed = make([]bool, len(f.schema))
	read := map[int]int{} // field of the file → its place among the fields read
	for c, column := range f.schema {
		if f.types[c], err = arrowType(column.Type); err != nil {
			return fmt.Errorf("column %q: %w", column.Name, err)
		}
		if slices.Contains(f.parted, column.Name) {
			if err := checkPartition(column); err != nil {
				return err
			}
			f.at[c], f.fixed[c] = -1, true
			continue
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
		f.at[c], f.coded[c] = field, stored.Field(field).Type.ID() == arrow.DICTIONARY
		read[field] = 0
	}
	f.place(read)
	return nil
}

// keepNumbers leaves texts as numbers in their dictionary, but for those of some columns.
func (f *dataFile) keepNumbers(but []int) {
	for c, coded := range f.coded {
		if coded && !slices.Contains(but, c) {
			f.convert[c] = numbered(f.convert[c])
		}
	}
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

// batch is some rows in the form of ArrowSchema, one after the other in their file.
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
