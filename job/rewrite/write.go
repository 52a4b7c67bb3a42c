package rewrite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// Written is one new file, complete and durable.
type Written struct {
	Path  string
	Bytes unit.Bytes
	Rows  int64
	Stats string // for the log's add action
	// Values are its partition values where Task.Becomes is set.
	Values map[string]*string
}

// writer holds what all new files of one table share.
type writer struct {
	task     Task
	table    *distributed
	schema   *arrow.Schema // of rows
	stored   *arrow.Schema // of files
	encoding encoding
	spark    string
	group    int64   // rows of a row group
	step     int64   // bytes of rows that are copied at a time
	width    float64 // bytes of the old files for each row
	parallel int
	done     *meter
}

func newWriter(t Task, o Options, s Survey, table *distributed, done *meter) (*writer, error) {
	schema, err := ArrowSchema(t.columns())
	if err != nil {
		return nil, err
	}
	stored, err := ArrowSchema(t.stored())
	if err != nil {
		return nil, err
	}
	t.From, t.Metadata = nil, t.becomes() // new files are read back from where they are written
	form := encodingOf(s.codec)
	form.nan, form.wide, form.run = table.nan, s.wide.columns, o.Run
	width := float64(t.bytes()) / float64(max(1, s.Rows))
	return &writer{
		task: t, table: table, schema: schema, stored: stored, encoding: form, spark: s.spark, width: width,
		group: int64(o.groupRows(width)), step: o.batch(),
		parallel: o.workers(), done: done,
	}, nil
}

// names gives the new files' paths in Spark's form.
func (w *writer) names(files int, newID func() string) []string {
	paths := make([]string, files)
	for i := range paths {
		_, folder := w.partition(i)
		paths[i] = w.encoding.path(folder, i, newID())
	}
	return paths
}

// partition is that of a new file, and where its files go.
func (w *writer) partition(number int) (values map[string]*string, folder string) {
	if w.task.parting == nil {
		return nil, w.task.Folder
	}
	return w.task.parting.of(w.table.arrangement.leafOf[number])
}

// readBackLag is by how many files, for each worker, reading back stays behind writing. When the
// last files are written there is then short work for those who have no more to write. A longer
// lag would find files gone from the page cache.
const readBackLag = 2

// write makes all files and reads each back; the sum is of the rows that storage now holds.
func (w *writer) write(ctx context.Context, paths []string) ([]Written, RowSum, error) {
	files, sums := make([]Written, len(paths)), make([]RowSum, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(w.parallel)
	written := make([]chan struct{}, len(paths)) // closed when the file is
	lag := readBackLag * w.parallel
	for i := range len(paths) + lag {
		if i < len(paths) {
			written[i] = make(chan struct{})
			group.Go(func() (err error) {
				if files[i], err = w.writeFile(ctx, paths[i], i); err != nil {
					return fmt.Errorf("write %s: %w", paths[i], err)
				}
				close(written[i])
				return nil
			})
		}
		if back := i - lag; back >= 0 {
			group.Go(func() (err error) {
				if err := until(ctx, written[back]); err != nil {
					return err
				}
				sums[back], err = w.readBack(ctx, files[back])
				return err
			})
		}
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

// until waits for a channel to be closed.
func until(ctx context.Context, closed <-chan struct{}) error {
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeFile is done when the file is durable. After an error the caller discards the path.
func (w *writer) writeFile(ctx context.Context, path string, number int) (file Written, err error) {
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
	if err := w.encode(ctx, sink, number, collector); err != nil {
		return Written{}, err
	}
	if err := out.Close(); err != nil {
		return Written{}, err
	}
	stats, err := collector.JSON()
	values, _ := w.partition(number)
	return Written{Path: path, Bytes: sink.bytes, Rows: collector.Rows(), Stats: stats, Values: values}, err
}

// encode writes the buckets of a file one after the other.
func (w *writer) encode(ctx context.Context, sink *counted, number int, collector *delta.Collector) (err error) {
	defer recovered(&err)
	pw, err := newParquetWriter(sink, w.stored, w.encoding, w.spark)
	if err != nil {
		return err
	}
	f := encodedFile{w, pw, collector, w.groupsOf(number)}
	from, to := w.table.arrangement.bucketsOf(number)
	for b := from; b < to; b++ {
		if err := f.bucket(ctx, b); err != nil {
			return err
		}
	}
	return pw.Close()
}

// groupsOf cuts a file into row groups that differ by one row at most.
func (w *writer) groupsOf(number int) *groups {
	rows := int64(0)
	from, to := w.table.arrangement.bucketsOf(number)
	for b := from; b < to; b++ {
		rows += w.table.rows[b]
	}
	return &groups{cuts: layout.Cuts(int(rows), int((rows-1)/w.group)+1)}
}

// groups counts the rows of a file into its row groups.
type groups struct {
	cuts []int // first row of each, then the number of rows
	done int   // rows written
}

// next is how many of some rows the group may take that is open, and whether it is to be
// opened first.
func (g *groups) next(rows int) (n int, begins bool) {
	at, begins := slices.BinarySearch(g.cuts, g.done)
	if begins {
		at++
	}
	return min(rows, g.cuts[at]-g.done), begins
}

// encodedFile is a file that is being written.
type encodedFile struct {
	*writer
	parquet   *pqarrow.FileWriter
	collector *delta.Collector
	groups    *groups
}

func (f encodedFile) bucket(ctx context.Context, number int) error {
	b, err := f.table.load(number)
	if err != nil {
		return err
	}
	stride, left := strideOver(b.pieces, f.step), garbage{every: f.task.wide}
	for row := 0; row < len(b.at); {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, begins := f.groups.next(stride.next(b.at[row:]))
		if begins {
			if err := f.parquet.NewBufferedRowGroupChecked(); err != nil {
				return err
			}
		}
		columns, err := b.columns(f.schema, row, row+n)
		if err != nil {
			return err
		}
		if err := f.batch(array.NewRecordBatch(f.stored, f.task.dropping(columns), int64(n))); err != nil {
			return err
		}
		left.pass(batch{columns: columns}.bytes())
		row, f.groups.done = row+n, f.groups.done+n
	}
	return nil
}

func (f encodedFile) batch(rows arrow.RecordBatch) error {
	if err := f.collector.Observe(rows); err != nil {
		return err
	}
	if err := f.parquet.WriteBuffered(rows); err != nil {
		return err
	}
	f.done.add(f.width * float64(rows.NumRows()))
	return nil
}

// readBack sums the rows of a finished file through a reader of its own.
func (w *writer) readBack(ctx context.Context, written Written) (sum RowSum, err error) {
	f := File{Path: written.Path, Bytes: written.Bytes, Rows: written.Rows, Log: delta.Add{Path: written.Path, PartitionValues: written.Values}}
	if sum, err = sumFile(ctx, w.task, f); err != nil {
		return RowSum{}, fmt.Errorf("read back: %w", err)
	}
	w.done.add(w.width * float64(written.Rows))
	return sum, nil
}

// sumFile reads all rows of a file.
func sumFile(ctx context.Context, t Task, f File) (sum RowSum, err error) {
	open, err := openListed(ctx, t, f)
	if err != nil {
		return RowSum{}, err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	open.keepNumbers(nil)
	summer, left := newSummer(t.columns()), garbage{every: t.wide}
	for b, err := range open.Batches(ctx, 0, open.Groups()) {
		if err != nil {
			return RowSum{}, err
		}
		some, err := summer.sum(b)
		if err != nil {
			return RowSum{}, fmt.Errorf("read %s: %w", f.Path, err)
		}
		sum = sum.Plus(some)
		left.pass(b.bytes())
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
