package lake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"ajlo/job/delta"
	"ajlo/job/object"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

// maxSampledFiles bounds how many files a sample opens, since every file costs a footer and
// a column's whole chunks. Of a table with more, files are taken at even steps.
const maxSampledFiles = 500

// Draw samples about the given number of rows of some columns, evenly over the files of s:
// as many of each file as it has of the table's rows, at even steps. Fewer rows come back
// only where the table has fewer, or files that say less than they hold. Rows hidden by
// deletion vectors may be among them.
//
// Columns must be of types that have values; a file that lacks a column, written before the
// column was there, gives NULLs. A file that is missing or damaged is an error that names it
// and the version.
func Draw(ctx context.Context, store object.Store, s Snapshot, columns []table.Column, rows int) (Sample, error) {
	sample, err := draw(ctx, store, s, columns, rows)
	if err != nil {
		return Sample{}, fmt.Errorf("sample table %s, version %d: %w", s.Table, s.Version, err)
	}
	return sample, nil
}

func draw(ctx context.Context, store object.Store, s Snapshot, columns []table.Column, rows int) (Sample, error) {
	wanted, err := s.sampledColumns(columns)
	if err != nil {
		return Sample{}, err
	}
	known, err := countRows(ctx, store, s.Files)
	if err != nil {
		return Sample{}, err
	}
	sample := Sample{Columns: slices.Clone(columns), Values: make([][]predicate.Value, len(columns))}
	for _, f := range known {
		sample.Population += f.Rows
	}
	if len(wanted) == 0 || rows <= 0 {
		return sample, nil
	}
	for _, share := range shares(thinned(known), rows) {
		if err := ctx.Err(); err != nil {
			return Sample{}, err
		}
		values, err := readShare(ctx, store, share, wanted)
		if err != nil {
			return Sample{}, err
		}
		for i := range values {
			sample.Values[i] = append(sample.Values[i], values[i]...)
		}
	}
	return sample, nil
}

// sampledColumn is a column with its parsed type.
type sampledColumn struct {
	Column
	kind      delta.Type
	partition bool // its values are in the table's metadata, not in the files
}

func (s Snapshot) sampledColumns(names []table.Column) ([]sampledColumn, error) {
	wanted := make([]sampledColumn, len(names))
	for i, name := range names {
		c, known := s.Column(name)
		if !known && slices.Contains(s.Layout.Partition, name) { // made of a column, such as day(started)
			wanted[i] = sampledColumn{Column: Column{Name: name}, partition: true}
			continue
		}
		if !known {
			return nil, fmt.Errorf("column %s: the table has none of that name", name)
		}
		t, err := delta.ParseType(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		if !t.HasValues() {
			return nil, fmt.Errorf("column %s: values of type %s cannot be sampled", name, c.Type)
		}
		wanted[i] = sampledColumn{Column: c, kind: t, partition: slices.Contains(s.Layout.Partition, name)}
	}
	return wanted, nil
}

// countRows fills in the number of rows of files whose log entry does not say.
func countRows(ctx context.Context, store object.Store, files []File) ([]File, error) {
	counted := slices.Clone(files)
	for i, f := range counted {
		if f.Rows >= 0 {
			continue
		}
		err := withParquet(ctx, store, f, func(r *file.Reader) error {
			counted[i].Rows = r.NumRows()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return counted, nil
}

// thinned takes files at even steps where there are too many.
func thinned(files []File) []File {
	if len(files) <= maxSampledFiles {
		return files
	}
	kept := make([]File, maxSampledFiles)
	for i := range kept {
		kept[i] = files[i*len(files)/maxSampledFiles]
	}
	return kept
}

// share is a file and how many of its rows are wanted.
type share struct {
	file File
	rows int64
}

// shares spreads the wanted number of rows evenly over all rows of the files in order, and
// counts how many fall into each file.
func shares(files []File, rows int) []share {
	var total int64
	for _, f := range files {
		total += f.Rows
	}
	wanted := min(int64(rows), total)
	var list []share
	var before int64
	for _, f := range files {
		from, to := scale(before, wanted, total), scale(before+f.Rows, wanted, total)
		before += f.Rows
		if to > from {
			list = append(list, share{f, to - from})
		}
	}
	return list
}

// scale is at·wanted/total.
func scale(at, wanted, total int64) int64 {
	if total == 0 {
		return 0
	}
	return mulDiv(at, wanted, total)
}

// readShare reads the wanted rows of one file, column by column.
func readShare(ctx context.Context, store object.Store, s share, columns []sampledColumn) (values [][]predicate.Value, err error) {
	values = make([][]predicate.Value, len(columns))
	err = withParquet(ctx, store, s.file, func(r *file.Reader) error {
		rows := steps(s.rows, r.NumRows())
		for i, c := range columns {
			if c.partition {
				values[i] = slices.Repeat([]predicate.Value{s.file.Bounds[c.Name].Min}, len(rows))
				continue
			}
			if values[i], err = readColumn(r, c, rows); err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
		}
		return nil
	})
	return values, err
}

// steps are count row numbers at even distances among total, each in the middle of its step.
func steps(count, total int64) []int64 {
	count = min(count, total)
	rows := make([]int64, count)
	for i := range rows {
		rows[i] = mulDiv(2*int64(i)+1, total, 2*count)
	}
	return rows
}

// pieceBytes is what is read at once of a column of a row group: most have no more, and those of
// wide texts may have any size.
const pieceBytes = 16 << 20

// withParquet opens a data file for the time of a call. Readers of Parquet give up by panic
// on some damaged files; that is an error here.
func withParquet(ctx context.Context, store object.Store, f File, use func(*file.Reader) error) (err error) {
	opened, err := store.Open(ctx, f.Path)
	if err != nil {
		return fmt.Errorf("data file: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("data file %s is damaged: %v", f.Path, p)
		}
	}()
	properties := parquet.NewReaderProperties(memory.DefaultAllocator)
	properties.BufferedStreamEnabled, properties.BufferSize = true, pieceBytes
	r, err := file.NewParquetReader(io.NewSectionReader(opened, 0, opened.Size()), file.WithReadProps(properties))
	if err == nil {
		err = use(r)
	}
	if err != nil {
		return fmt.Errorf("data file %s: %w", f.Path, err)
	}
	return nil
}
