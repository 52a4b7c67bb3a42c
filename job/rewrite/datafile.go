package rewrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/delta"
	"ajlo/job/object"
)

// dataFile is one open file with the way from its columns to those of the table.
type dataFile struct {
	key     string
	reader  object.Reader
	footer  *format.FileMetaData
	parquet *pqarrow.FileReader
	schema  delta.Schema
	leaves  []int       // of the columns that are read
	at      []int       // place of each table column among those, −1 where the file lacks it
	convert []converter // parallel to at
	empty   []arrow.DataType
}

// openDataFile reads the footer and refuses what cannot be read exactly. The caller closes it.
func openDataFile(ctx context.Context, store object.Store, key string, schema delta.Schema) (*dataFile, error) {
	r, err := store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	f := &dataFile{key: key, reader: r, schema: schema}
	if err := f.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", key, err), r.Close())
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
	p, err := file.NewParquetReader(io.NewSectionReader(f.reader, 0, f.reader.Size()), options...)
	if err != nil {
		return err
	}
	f.parquet, err = pqarrow.NewFileReader(p, pqarrow.ArrowReadProperties{BatchSize: readBatch}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	return f.match()
}

// readBatch is the rows that Arrow decodes at a time.
const readBatch = 64 << 10

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
		field, err := fieldNamed(stored.Fields(), column.Name)
		if err != nil {
			return err
		}
		if field < 0 {
			f.at[c] = -1
			continue
		}
		if f.convert[c], err = converterFor(stored.Field(field).Type, column.Type); err != nil {
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

// Rows is the number of rows that the footer names.
func (f *dataFile) Rows() int64 { return f.footer.NumRows }

// batch is some rows in the form of arrowSchema.
type batch struct {
	columns []arrow.Array
	rows    int
}

// Batches yields all rows, one or more batches for each row group.
func (f *dataFile) Batches(ctx context.Context) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		for g := range f.parquet.ParquetReader().NumRowGroups() {
			batches, err := f.rowGroup(ctx, g)
			if err != nil {
				yield(batch{}, fmt.Errorf("read %s, row group %d: %w", f.key, g, err))
				return
			}
			for _, b := range batches {
				if !yield(b, nil) {
					return
				}
			}
		}
	}
}

// First yields at most n rows from the head of the file.
func (f *dataFile) First(ctx context.Context, n int) (b batch, err error) {
	defer recovered(&err)
	if len(f.leaves) == 0 || f.parquet.ParquetReader().NumRowGroups() == 0 {
		return batch{}, nil
	}
	props := f.parquet.Props
	defer func() { f.parquet.Props = props }()
	f.parquet.Props.BatchSize = int64(n)
	records, err := f.parquet.GetRecordReader(ctx, f.leaves, []int{0})
	if err != nil {
		return batch{}, fmt.Errorf("read the head of %s: %w", f.key, err)
	}
	defer records.Release()
	if !records.Next() {
		return batch{}, records.Err()
	}
	return f.converted(records.RecordBatch().Columns(), int(records.RecordBatch().NumRows()))
}

func (f *dataFile) rowGroup(ctx context.Context, g int) (batches []batch, err error) {
	defer recovered(&err)
	rows := f.parquet.ParquetReader().MetaData().RowGroup(g).NumRows()
	if len(f.leaves) == 0 {
		b, err := f.converted(nil, int(rows))
		return []batch{b}, err
	}
	table, err := f.parquet.ReadRowGroups(ctx, f.leaves, []int{g})
	if err != nil {
		return nil, err
	}
	if table.NumRows() != rows {
		return nil, fmt.Errorf("%d rows, its footer says %d", table.NumRows(), rows)
	}
	aligned := array.NewTableReader(table, rows)
	for aligned.Next() {
		b, err := f.converted(aligned.RecordBatch().Columns(), int(aligned.RecordBatch().NumRows()))
		if err != nil {
			return nil, err
		}
		batches = append(batches, b)
	}
	return batches, aligned.Err()
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
