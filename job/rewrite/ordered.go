package rewrite

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"ajlo/job/delta"
	"ajlo/job/layout"
)

// Ordered is a new file whose rows come in its order.
type Ordered struct {
	Path  string
	Most  int64   // rows that may come
	Width float64 // stored bytes of a row, about
	NaNs  NaNs    // of all rows that may come
	// Rows yields the columns of some rows at a time, in the form of ArrowSchema and without
	// offsets.
	Rows iter.Seq2[[]arrow.Array, error]
}

// Write makes the file and gives the sum of its rows as read back from storage, which the caller
// holds against that of the rows that should be there. Where none came there is no file, and Written
// has no rows. After an error the caller discards the path.
func (p *Prepared) Write(ctx context.Context, f Ordered) (w Written, sum RowSum, err error) {
	if w, err = p.writeOrdered(ctx, f); err != nil {
		return Written{}, RowSum{}, fmt.Errorf("write %s: %w", f.Path, err)
	}
	if w.Rows == 0 {
		return w, RowSum{}, nil
	}
	if sum, err = sumFile(ctx, p.written(), File{Path: w.Path, Bytes: w.Bytes, Rows: w.Rows}); err != nil {
		return Written{}, RowSum{}, fmt.Errorf("read back: %w", err)
	}
	return w, sum, nil
}

// written is the task as it finds its new files.
func (p *Prepared) written() Task {
	t := p.task
	t.From = nil
	return t
}

func (p *Prepared) writeOrdered(ctx context.Context, f Ordered) (w Written, err error) {
	collector, err := delta.NewCollector(p.task.Metadata)
	if err != nil {
		return Written{}, err
	}
	out, err := p.task.Store.Create(ctx, f.Path)
	if err != nil {
		return Written{}, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, out.Abort())
		}
	}()
	sink := &counted{Writer: out}
	e := &orderedFile{prepared: p, collector: collector}
	e.groups.cuts = layout.Cuts(int(f.Most), int(f.Most-1)/p.options.groupRows(f.Width)+1)
	if err := e.encode(ctx, sink, f); err != nil || collector.Rows() == 0 {
		return Written{}, err
	}
	closed = true
	if err := out.Close(); err != nil {
		return Written{}, errors.Join(err, out.Abort())
	}
	stats, err := collector.JSON()
	return Written{Path: f.Path, Bytes: sink.bytes, Rows: collector.Rows(), Stats: stats}, err
}

// orderedFile is a file that is being written.
type orderedFile struct {
	prepared  *Prepared
	parquet   *pqarrow.FileWriter
	collector *delta.Collector
	groups    groups
}

func (e *orderedFile) encode(ctx context.Context, sink *counted, f Ordered) (err error) {
	defer recovered(&err)
	form, left := e.prepared.form, garbage{every: e.prepared.task.wide}
	form.nan = f.NaNs.named(e.prepared.task.columns())
	if e.parquet, err = newParquetWriter(sink, e.prepared.schema, form, e.prepared.survey.spark); err != nil {
		return err
	}
	for columns, err := range f.Rows {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := e.take(columns); err != nil {
			return err
		}
		left.pass(batch{columns: columns}.bytes())
	}
	return e.parquet.Close()
}

// take writes some rows, over the borders of row groups where they lie so.
func (e *orderedFile) take(columns []arrow.Array) error {
	rows := columns[0].Len()
	for at := 0; at < rows; {
		n, begins := e.groups.next(rows - at)
		if n == 0 {
			return fmt.Errorf("more than %d rows came", e.groups.done)
		}
		if begins {
			if err := e.parquet.NewBufferedRowGroupChecked(); err != nil {
				return err
			}
		}
		part, err := e.part(columns, at, n)
		if err != nil {
			return err
		}
		record := array.NewRecordBatch(e.prepared.schema, part, int64(n))
		if err := errors.Join(e.collector.Observe(record), e.parquet.WriteBuffered(record)); err != nil {
			return err
		}
		at, e.groups.done = at+n, e.groups.done+n
	}
	return nil
}

// part copies n rows from one on; all of them are given as they are.
func (e *orderedFile) part(columns []arrow.Array, from, n int) ([]arrow.Array, error) {
	if from == 0 && n == columns[0].Len() {
		return columns, nil
	}
	at := make([]place, n)
	for i := range at {
		at[i].row = uint32(from + i)
	}
	return gatherRows(e.prepared.schema, []piece{{columns: columns}}, at)
}

// NaNs is which columns of a table hold a NaN and must be written without bounds.
type NaNs struct{ nanSearch }

// NaNsOf looks for them in rows that are at hand, in the form of ArrowSchema.
func (p *Prepared) NaNsOf(rows [][]arrow.Array) NaNs {
	n := NaNs{newNanSearch(p.task.columns())}
	for _, columns := range rows {
		n.look(batch{columns: columns})
	}
	return n
}

// NaNsIn looks for them in a file, and in rows that may come beside it. A table without floating
// point has none, and nothing is read.
func (p *Prepared) NaNsIn(ctx context.Context, f File, beside NaNs) (NaNs, error) {
	n := NaNs{newNanSearch(p.task.columns())}
	n.merge(beside.nanSearch)
	if len(n.columns) == 0 {
		return n, nil
	}
	floats := make(delta.Schema, len(n.columns))
	for i, c := range n.columns {
		floats[i] = p.task.columns()[c]
	}
	for rows, err := range p.Scan(ctx, f, floats) {
		if err != nil {
			return NaNs{}, err
		}
		for i, column := range rows.Columns {
			n.found[i].look(column)
		}
	}
	return n, nil
}
