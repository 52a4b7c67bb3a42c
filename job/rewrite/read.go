package rewrite

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
	"ajlo/job/unit"
)

// held is a table in memory: chunks[c] is column c in pieces, all columns cut alike.
type held struct {
	schema delta.Schema
	chunks [][]arrow.Array
	starts []int // first row of each piece, then the number of rows
	sum    RowSum
	bytes  int64
}

func (h *held) rows() int { return h.starts[len(h.starts)-1] }

// read brings all files into memory, in their given order, and sums their rows.
func read(ctx context.Context, t Task, o Options, done *meter) (*held, error) {
	r := reader{task: t, limit: o.Memory}
	files := make([]part, len(t.Files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.Parallel)
	for i, f := range t.Files {
		group.Go(func() (err error) {
			files[i].sum, err = readFile(ctx, t, f, func(b batch) error {
				files[i].batches = append(files[i].batches, b)
				return r.hold(b)
			})
			r.bytesRead.Add(int64(f.Bytes))
			done.add(f.Bytes)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return joined(t.Metadata.Schema, files), nil
}

// reader keeps what is held within the memory limit.
type reader struct {
	task             Task
	limit            unit.Bytes
	inUse, bytesRead atomic.Int64
}

func (r *reader) hold(b batch) error {
	held := unit.Bytes(r.inUse.Add(b.bytes()))
	if memoryFactor*held <= r.limit {
		return nil
	}
	return tooLarge(r.task.Table, projected(held, unit.Bytes(r.bytesRead.Load()), r.task.bytes()), r.limit)
}

// projected is the size of the whole table in memory, by the part that was read; at least
// what is held already.
func projected(held, read, total unit.Bytes) unit.Bytes {
	if read == 0 {
		return held
	}
	return max(held, unit.Bytes(float64(held)/float64(read)*float64(total)))
}

// part is the rows of one file.
type part struct {
	batches []batch
	sum     RowSum
}

// readFile hands the rows of one file on, batch by batch, and sums them.
func readFile(ctx context.Context, t Task, f File, take func(batch) error) (sum RowSum, err error) {
	open, err := openListed(ctx, t, f)
	if err != nil {
		return RowSum{}, err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	seed := seedOf(t.Metadata.Schema)
	for b, err := range open.Batches(ctx) {
		if err != nil {
			return RowSum{}, err
		}
		if err := take(b); err != nil {
			return RowSum{}, err
		}
		some, err := sumRows(b.columns, b.rows, t.Metadata.Schema, seed)
		if err != nil {
			return RowSum{}, err
		}
		sum = sum.Plus(some)
	}
	return sum, checkRows(f.Path, sum.Rows, open.Rows())
}

func joined(schema delta.Schema, files []part) *held {
	h := &held{schema: schema, chunks: make([][]arrow.Array, len(schema)), starts: []int{0}}
	for _, f := range files {
		h.sum = h.sum.Plus(f.sum)
		for _, b := range f.batches {
			if b.rows == 0 {
				continue
			}
			for c := range h.chunks {
				h.chunks[c] = append(h.chunks[c], b.columns[c])
			}
			h.bytes += b.bytes()
			h.starts = append(h.starts, h.rows()+b.rows)
		}
	}
	return h
}

// places turns rows of the table into places among its pieces.
func (h *held) places(rows []int) []place {
	at := make([]place, len(rows))
	for i, row := range rows {
		chunk, found := slices.BinarySearch(h.starts, row)
		if !found {
			chunk--
		}
		at[i] = place{uint32(chunk), uint32(row - h.starts[chunk])}
	}
	return at
}
