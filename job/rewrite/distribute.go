package rewrite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/sync/errgroup"
)

// piece is some rows with their places in the order and their ordinals in the table.
type piece struct {
	columns  []arrow.Array
	places   []uint64
	ordinals []uint64
}

func (p piece) bytes() int64 {
	total := int64(8 * (len(p.places) + len(p.ordinals)))
	for _, c := range p.columns {
		total += heldBytes(c.Data())
	}
	return total
}

// heldBytes is the memory that an array's buffers hold, used or not.
func heldBytes(d arrow.ArrayData) (total int64) {
	for _, b := range d.Buffers() {
		if b != nil {
			total += int64(b.Cap())
		}
	}
	for _, child := range d.Children() {
		total += heldBytes(child)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		total += heldBytes(d.Dictionary())
	}
	return total
}

// distributed is a table read once: all rows, by bucket, in memory or spilled.
type distributed struct {
	arrangement *arrangement
	keys        []int // key columns of the table
	sum         RowSum
	rows        []int64 // of each bucket
	nan         nanColumns
	spill       *spill // nil where everything fitted
	held        pool   // where nothing was spilled
	heldAt      []place
	heldStarts  []int
}

// Close gives spilled rows' space back.
func (d *distributed) Close() error {
	if d.spill == nil {
		return nil
	}
	return d.spill.Close()
}

// distribute reads all files and puts every row into its bucket. The caller closes what it
// gives.
func distribute(ctx context.Context, t Task, o Options, s Survey, a *arrangement, done *meter) (*distributed, error) {
	schema, err := ArrowSchema(t.columns())
	if err != nil {
		return nil, err
	}
	d := &distributor{task: t, options: o, schema: schema, arrangement: a, done: done}
	out, err := d.run(ctx, s.parts)
	if err != nil && d.spill != nil {
		err = errors.Join(err, d.spill.Close())
	}
	return out, err
}

type distributor struct {
	task        Task
	options     Options
	schema      *arrow.Schema
	arrangement *arrangement
	done        *meter

	mu    sync.Mutex
	spill *spill // made when it is first needed
}

// part is some row groups of one file that are read in one go.
type part struct {
	file     File
	from, to int // row groups
}

// partBytes is the least that a part holds, stored, if its file has more: to open a file costs
// reading its footer, which tells of all its row groups.
const partBytes = 16 << 20

// partsOf cuts a file into parts.
func partsOf(f File, groups []format.RowGroup) (parts []part) {
	from, bytes := 0, int64(0)
	for g, group := range groups {
		for _, c := range group.Columns {
			bytes += c.MetaData.TotalCompressedSize
		}
		if bytes >= partBytes || g == len(groups)-1 {
			parts = append(parts, part{f, from, g + 1})
			from, bytes = g+1, 0
		}
	}
	return parts
}

func (d *distributor) run(ctx context.Context, parts []part) (*distributed, error) {
	workers := make([]*distributing, d.options.workers())
	queue := make(chan part, len(parts))
	for _, p := range parts {
		queue <- p
	}
	close(queue)
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		w, err := newDistributing(d)
		if err != nil {
			return nil, errors.Join(err, group.Wait())
		}
		workers[i] = w
		group.Go(func() error {
			for p := range queue {
				if err := w.read(ctx, p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return d.gathered(workers)
}

// gathered joins what the workers have. Once anything was spilled, everything is.
func (d *distributor) gathered(workers []*distributing) (*distributed, error) {
	out := &distributed{arrangement: d.arrangement, keys: workers[0].keys, rows: make([]int64, d.arrangement.buckets()), spill: d.spill}
	found := newNanSearch(d.task.columns())
	for _, w := range workers {
		out.sum = out.sum.Plus(w.sum)
		found.merge(w.nans)
		for b, n := range w.rows {
			out.rows[b] += n
		}
		if d.spill == nil {
			out.held.join(w.pool)
		}
	}
	if d.spill != nil {
		if err := flushed(workers); err != nil {
			return nil, err
		}
	}
	out.nan = found.named(d.task.columns())
	if d.spill == nil {
		out.heldStarts, out.heldAt = out.held.byBucket(d.arrangement.buckets())
	}
	return out, nil
}

// flushed has all workers spill what still waits.
func flushed(workers []*distributing) error {
	var group errgroup.Group
	for _, w := range workers {
		group.Go(w.flush)
	}
	return group.Wait()
}

// spilling gives the file for rows that do not fit.
func (d *distributor) spilling() (*spill, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	if d.spill == nil {
		d.spill, err = newSpill(d.options.Spill, d.schema, d.arrangement.buckets())
	}
	return d.spill, err
}

// distributing is one worker of a distribution.
type distributing struct {
	*distributor
	keys   []int // key columns of the table
	pool   pool
	rows   []int64 // of each bucket
	sum    RowSum
	summer *summer
	nans   nanSearch
}

func newDistributing(d *distributor) (*distributing, error) {
	w := &distributing{
		distributor: d, rows: make([]int64, d.arrangement.buckets()),
		summer: newSummer(d.task.columns()), nans: newNanSearch(d.task.columns()),
	}
	for _, key := range d.arrangement.keys {
		column, err := checkKey(d.task.columns(), string(key))
		if err != nil {
			return nil, err
		}
		w.keys = append(w.keys, column)
	}
	return w, nil
}

// read takes in one part.
func (w *distributing) read(ctx context.Context, p part) (err error) {
	open, err := openListed(ctx, w.task, p.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	open.keepNumbers(w.keys)
	share, left := float64(p.file.Bytes)/float64(max(1, open.Rows())), garbage{every: w.task.wide}
	for b, err := range open.Batches(ctx, p.from, p.to) {
		if err != nil {
			return err
		}
		if err := w.take(p.file, b); err != nil {
			return fmt.Errorf("read %s: %w", p.file.Path, err)
		}
		w.done.add(share * float64(b.rows))
		left.pass(b.bytes())
	}
	return nil
}

// take puts the rows of a batch with those that wait.
func (w *distributing) take(f File, b batch) error {
	sum, err := w.summer.sum(b)
	if err != nil {
		return err
	}
	w.sum = w.sum.Plus(sum)
	w.nans.look(b)
	keys := make([]arrow.Array, len(w.keys))
	for k, column := range w.keys {
		keys[k] = b.columns[column]
	}
	p := piece{columns: b.columns, ordinals: make([]uint64, b.rows)}
	if p.places, err = w.arrangement.places(keys, b.rows); err != nil {
		return err
	}
	buckets := make([]uint32, b.rows)
	for i := range buckets {
		p.ordinals[i] = f.first + b.position(i)
		bucket := w.arrangement.bucket(p.places[i], p.ordinals[i])
		buckets[i] = uint32(bucket)
		w.rows[bucket]++
	}
	if w.arrangement.wanted != nil {
		if p, buckets, err = w.only(p, buckets); err != nil {
			return err
		}
	}
	w.pool.add(p, buckets)
	if w.pool.bytes < w.options.waiting() {
		return nil
	}
	return w.flush()
}

// flush spills all rows that wait.
func (w *distributing) flush() error {
	if len(w.pool.pieces) == 0 {
		return nil
	}
	to, err := w.spilling()
	if err != nil {
		return err
	}
	starts, at := w.pool.byBucket(w.arrangement.buckets())
	stride, left := strideOver(w.pool.pieces, int64(w.options.batch())), garbage{every: w.task.wide}
	for b := range w.arrangement.buckets() {
		for rows := at[starts[b]:starts[b+1]]; len(rows) > 0; {
			n := stride.next(rows)
			p, err := w.pool.gather(w.schema, rows[:n])
			if err != nil {
				return err
			}
			if err := to.put(b, p); err != nil {
				return err
			}
			left.pass(p.bytes())
			rows = rows[n:]
		}
	}
	w.pool = pool{}
	return nil
}
