package rewrite

import (
	"context"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

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
		r, err := f.rowsOf(ctx, g)
		if err == nil {
			defer r.release()
		}
		for err == nil && r.more() {
			var b batch
			if b, err = r.next(ctx); err == nil {
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

const (
	maxReadRows   = 32 << 10
	firstReadRows = 1 << 10 // of a row group, since dictionaries do not tell how wide rows are
	paceGrowth    = 4       // how many times as many rows the next batch may have
)

// rowReader decodes the rows of one row group. What it decodes at a time follows the width of
// the rows before; a text that its dictionary holds once may be as wide as any.
type rowReader struct {
	file    *dataFile
	columns []*pqarrow.ColumnReader
	left    int           // rows that are not decoded
	pace    int           // rows that are decoded next
	stored  []arrow.Array // decoded, in the file's own types
	rows    int           // of stored
	given   int           // of those
}

func (f *dataFile) rowsOf(ctx context.Context, g int) (r *rowReader, err error) {
	defer recovered(&err)
	r = &rowReader{file: f, left: int(f.footer.RowGroups[g].NumRows), pace: min(f.batchRows(g), firstReadRows)}
	if len(f.leaves) > 0 {
		r.columns, _, err = f.parquet.GetFieldReaders(ctx, f.leaves, []int{g})
	}
	return r, err
}

// batchRows is how many rows make a batch as far as footers tell.
func (f *dataFile) batchRows(g int) int {
	group, bytes := f.footer.RowGroups[g], int64(0)
	for _, leaf := range f.leaves {
		bytes += group.Columns[leaf].MetaData.TotalUncompressedSize
	}
	return f.rowsOfWidth(max(f.width, bytes/max(1, group.NumRows)))
}

func (f *dataFile) rowsOfWidth(bytes int64) int {
	return int(min(max(f.batchBytes()/max(1, bytes), 1), maxReadRows))
}

func (f *dataFile) batchBytes() int64 { return Options{Memory: f.memory}.batch() }

func (r *rowReader) release() {
	for _, c := range r.columns {
		c.Release()
	}
}

func (r *rowReader) more() bool { return r.left > 0 || r.given < r.rows }

// next gives at least one row in the table's columns and types.
func (r *rowReader) next(ctx context.Context) (b batch, err error) {
	defer recovered(&err)
	if err := ctx.Err(); err != nil {
		return batch{}, err
	}
	if r.given == r.rows {
		if err := r.decode(min(r.pace, r.left)); err != nil {
			return batch{}, err
		}
	}
	n := r.fitting()
	columns := r.stored
	if n < r.rows {
		columns = make([]arrow.Array, len(r.stored))
		for c, all := range r.stored {
			columns[c] = array.NewSlice(all, int64(r.given), int64(r.given+n))
		}
	}
	if b, err = r.file.converted(columns, n); err != nil {
		return batch{}, err
	}
	r.learn(b)
	return b, nil
}

// learn sets the pace by what was given last.
func (r *rowReader) learn(b batch) {
	if r.given += b.rows; b.rows < r.rows { // slices share their buffers: their bytes tell nothing
		r.pace = b.rows
	} else {
		r.pace = min(r.file.rowsOfWidth(b.bytes()/int64(b.rows)), paceGrowth*r.pace)
	}
	if r.given == r.rows {
		r.stored = nil
	}
}

// decode reads n rows of all columns.
func (r *rowReader) decode(n int) error {
	r.rows, r.given, r.stored = n, 0, make([]arrow.Array, len(r.columns))
	for i, c := range r.columns {
		chunks, err := c.NextBatch(int64(n))
		if err != nil {
			return err
		}
		if chunks.Len() != n {
			return fmt.Errorf("%d rows where its footer leaves %d", chunks.Len(), r.left)
		}
		if r.stored[i], err = joined(chunks); err != nil {
			return err
		}
	}
	r.left -= n
	return nil
}

func joined(chunks *arrow.Chunked) (arrow.Array, error) {
	if len(chunks.Chunks()) == 1 {
		return chunks.Chunk(0), nil
	}
	return array.Concatenate(chunks.Chunks(), memory.DefaultAllocator)
}

// fitting is how many of the stored rows that were not given yet make a batch: all, but for
// those of wide texts that a dictionary stands for.
func (r *rowReader) fitting() int {
	widths := make([]int64, 0)
	for _, column := range r.stored {
		if coded, ok := column.(*array.Dictionary); ok {
			widths = addWidths(widths, coded, r.given, r.file.batchBytes()/maxReadRows)
		}
	}
	bytes := int64(0)
	for i, w := range widths {
		if bytes += w; bytes > r.file.batchBytes() {
			return max(1, i)
		}
	}
	return r.rows - r.given
}

// addWidths adds the bytes of a dictionary's texts in the rows from the given one on, where
// there is any that is wider than so many bytes.
func addWidths(widths []int64, coded *array.Dictionary, from int, wide int64) []int64 {
	texts := bytesChunks([]arrow.Array{coded.Dictionary()})[0]
	if texts.widest(coded.Dictionary().Len()) <= wide {
		return widths
	}
	if len(widths) == 0 {
		widths = make([]int64, coded.Len()-from)
	}
	for i := range widths {
		if !coded.IsNull(from + i) {
			widths[i] += int64(len(texts.value(uint32(coded.GetValueIndex(from + i)))))
		}
	}
	return widths
}

// widest is the bytes of the widest of so many texts.
func (b bytesChunk) widest(texts int) (bytes int64) {
	for i := range texts {
		bytes = max(bytes, int64(b.offsets[i+1]-b.offsets[i]))
	}
	return bytes
}

// head is about so many rows of the file's first row group, fewer where they are wide: how
// many they are and what they take in memory.
func (f *dataFile) head(ctx context.Context, most int) (rows int, bytes int64, err error) {
	if f.Groups() == 0 || len(f.leaves) == 0 {
		return 0, 0, nil
	}
	for b, err := range f.Group(ctx, 0) {
		if err != nil {
			return 0, 0, err
		}
		rows, bytes = rows+b.rows, bytes+b.bytes()
		if rows >= most || bytes >= f.batchBytes() {
			break
		}
	}
	return rows, bytes, nil
}

// converted brings the columns that were read into the table's order and types.
func (f *dataFile) converted(columns []arrow.Array, rows int) (batch, error) {
	b := batch{columns: make([]arrow.Array, len(f.schema)), rows: rows}
	for c, at := range f.at {
		if f.fixed[c] {
			var err error
			if b.columns[c], err = PartitionColumn(f.listed.Log, f.schema[c], rows); err != nil {
				return batch{}, err
			}
			continue
		}
		if at < 0 {
			b.columns[c] = array.MakeFromData(nothing(f.types[c], rows))
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

// bytes is the memory that the batch's buffers hold.
func (b batch) bytes() (total int64) {
	for _, c := range b.columns {
		total += int64(c.Data().SizeInBytes())
	}
	return total
}
