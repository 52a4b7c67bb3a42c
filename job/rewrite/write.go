package rewrite

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// Rows are copied into their new order in batches of about so many bytes of Arrow, so that
// the copies take little memory beside the table itself.
const (
	batchBytes   = 16 << 20
	minBatchRows = 1 << 10
	maxBatchRows = 64 << 10
)

// Written is one new file, complete and durable.
type Written struct {
	Path  string
	Bytes unit.Bytes
	Rows  int64
	Stats string // for the log's add action
}

// writer holds what all new files of one table share.
type writer struct {
	task     Task
	held     *held
	schema   *arrow.Schema
	encoding encoding
	spark    string
	groups   int // row groups a file
	done     *meter
}

func newWriter(t Task, h *held, s Survey, files int, done *meter) (*writer, error) {
	schema, err := arrowSchema(t.Metadata.Schema)
	if err != nil {
		return nil, err
	}
	form := encodingOf(s.codec)
	form.nan = nanColumnsOf(t.Metadata.Schema, h)
	return &writer{
		task: t, held: h, schema: schema, encoding: form, spark: s.spark,
		groups: layout.FileCount(t.bytes()/unit.Bytes(max(files, 1)), rowGroupBytes), done: done,
	}, nil
}

// names gives the new files' paths in Spark's form.
func (w *writer) names(files int, newID func() string) []string {
	paths := make([]string, files)
	for i := range paths {
		paths[i] = fmt.Sprintf("part-%05d-%s-c000%s", i, newID(), w.encoding.extension)
	}
	return paths
}

// write makes all files and reads each back; the sum is of the rows that storage now holds.
func (w *writer) write(ctx context.Context, sequence []int, paths []string, parallel int) ([]Written, RowSum, error) {
	cuts := layout.Cuts(len(sequence), len(paths))
	files, sums := make([]Written, len(paths)), make([]RowSum, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, path := range paths {
		group.Go(func() (err error) {
			rows := sequence[cuts[i]:cuts[i+1]]
			if files[i], err = w.writeFile(ctx, path, rows); err != nil {
				return fmt.Errorf("write %s: %w", path, err)
			}
			sums[i], err = w.readBack(ctx, files[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, RowSum{}, err
	}
	var sum RowSum
	for _, s := range sums {
		sum = sum.Plus(s)
	}
	return files, sum, nil
}

// writeFile is done when the file is durable. After an error the caller discards the path.
func (w *writer) writeFile(ctx context.Context, path string, rows []int) (file Written, err error) {
	out, err := w.task.Store.Create(ctx, path)
	if err != nil {
		return Written{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Abort())
		}
	}()
	sink := &counted{Writer: out}
	collector, err := delta.NewCollector(w.task.Metadata)
	if err != nil {
		return Written{}, err
	}
	if err := w.encode(ctx, sink, rows, collector); err != nil {
		return Written{}, err
	}
	if err := out.Close(); err != nil {
		return Written{}, err
	}
	stats, err := collector.JSON()
	return Written{Path: path, Bytes: sink.bytes, Rows: int64(len(rows)), Stats: stats}, err
}

func (w *writer) encode(ctx context.Context, sink *counted, rows []int, collector *delta.Collector) (err error) {
	defer recovered(&err)
	pw, err := newParquetWriter(sink, w.schema, w.encoding, w.spark)
	if err != nil {
		return err
	}
	cuts := layout.Cuts(len(rows), w.groups)
	for g := range w.groups {
		if err := pw.NewBufferedRowGroupChecked(); err != nil {
			return err
		}
		if err := w.encodeGroup(ctx, pw, rows[cuts[g]:cuts[g+1]], collector); err != nil {
			return err
		}
	}
	return pw.Close()
}

func (w *writer) encodeGroup(ctx context.Context, pw *pqarrow.FileWriter, rows []int, collector *delta.Collector) error {
	step := w.batchRows()
	for len(rows) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(step, len(rows))
		record, err := w.record(rows[:n])
		if err != nil {
			return err
		}
		if err := collector.Observe(record); err != nil {
			return err
		}
		if err := pw.WriteBuffered(record); err != nil {
			return err
		}
		w.done.add(w.share(n))
		rows = rows[n:]
	}
	return nil
}

func (w *writer) batchRows() int {
	width := max(1, w.held.bytes/int64(max(1, w.held.rows())))
	return int(min(max(batchBytes/width, minBatchRows), maxBatchRows))
}

// share is the part of the table's bytes that so many rows stand for.
func (w *writer) share(rows int) unit.Bytes {
	return unit.Bytes(float64(w.task.bytes()) * float64(rows) / float64(max(1, w.held.rows())))
}

// record copies some rows of the table, in the given order.
func (w *writer) record(rows []int) (arrow.RecordBatch, error) {
	at := w.held.places(rows)
	columns := make([]arrow.Array, len(w.held.chunks))
	for c, chunks := range w.held.chunks {
		var err error
		if columns[c], err = gather(w.schema.Field(c).Type, chunks, at); err != nil {
			return nil, fmt.Errorf("column %q: %w", w.schema.Field(c).Name, err)
		}
	}
	return array.NewRecordBatch(w.schema, columns, int64(len(rows))), nil
}

// readBack sums the rows of a finished file through a reader of its own.
func (w *writer) readBack(ctx context.Context, f Written) (RowSum, error) {
	discard := func(batch) error { return nil }
	sum, err := readFile(ctx, w.task, File{Path: f.Path, Bytes: f.Bytes, Rows: f.Rows}, discard)
	w.done.add(w.share(int(f.Rows)))
	if err != nil {
		return RowSum{}, fmt.Errorf("read back: %w", err)
	}
	return sum, nil
}

// Discard removes new files that no commit refers to. Those that are not there are passed
// over; it goes on after an error and gives all of them.
func Discard(ctx context.Context, store object.Store, paths []string) error {
	var all error
	for _, path := range paths {
		if err := store.Delete(ctx, path); err != nil && !errors.Is(err, object.ErrNotFound) {
			all = errors.Join(all, err)
		}
	}
	return all
}
