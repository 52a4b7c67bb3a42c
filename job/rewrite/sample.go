package rewrite

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
)

// sampleRows is about how many rows are sampled: files cut by half a million rows have sizes
// within a few per cent of each other up to a thousand files, and the sample of two keys takes
// 16 MB. A table of fewer rows is sampled whole, so that its files differ by one row at most.
const sampleRows = 1 << 19

// sample is some rows of the key columns, in the table's order.
type sample struct {
	keys     []arrow.Array
	ordinals []uint64 // of the rows in the table
}

// takeSample reads the key columns of all files. Which rows are taken depends on their
// ordinals only.
func takeSample(ctx context.Context, t Task, o Options, s Survey) (sample, error) {
	schema := make(delta.Schema, len(t.Layout.Columns()))
	for k, key := range t.Layout.Columns() {
		column, err := checkKey(t.columns(), string(key))
		if err != nil {
			return sample{}, err
		}
		schema[k] = t.columns()[column]
	}
	parts := make([][]batchSample, len(s.parts))
	chosen := chooser(s.Rows)
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(o.workers())
	for i, p := range s.parts {
		group.Go(func() (err error) {
			parts[i], err = samplePart(inner, t, p, schema, chosen)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return sample{}, err
	}
	return joinSamples(schema, parts)
}

// batchSample is what was chosen from one batch.
type batchSample struct {
	columns  []arrow.Array
	ordinals []uint64
}

// chooser picks about sampleRows of so many rows by a hash of their ordinals, all where there
// are no more.
func chooser(rows int64) func(ordinal uint64) bool {
	if rows <= sampleRows {
		return func(uint64) bool { return true }
	}
	below := uint64(float64(sampleRows) / float64(rows) * math.MaxUint64)
	return func(ordinal uint64) bool { return scrambled(ordinal) < below }
}

// scrambled is the finaliser of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014).
func scrambled(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func samplePart(ctx context.Context, t Task, p part, schema delta.Schema, chosen func(uint64) bool) (parts []batchSample, err error) {
	open, err := openDataFile(ctx, t, p.file, schema)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	for b, err := range open.Batches(ctx, p.from, p.to) {
		if err != nil {
			return nil, err
		}
		some, err := sampleBatch(p.file.first, b, chosen)
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", p.file.Path, err)
		}
		parts = append(parts, some)
	}
	return parts, nil
}

// sampleBatch copies the chosen rows, so that the batch itself can go.
func sampleBatch(first uint64, b batch, chosen func(uint64) bool) (some batchSample, err error) {
	var at []place
	for i := range b.rows {
		if ordinal := first + b.position(i); chosen(ordinal) {
			at, some.ordinals = append(at, place{0, uint32(i)}), append(some.ordinals, ordinal)
		}
	}
	some.columns = make([]arrow.Array, len(b.columns))
	for c, column := range b.columns {
		if some.columns[c], err = gather(column.DataType(), []arrow.Array{column}, at); err != nil {
			return batchSample{}, err
		}
	}
	return some, nil
}

func joinSamples(schema delta.Schema, all [][]batchSample) (s sample, err error) {
	chunks := make([][]arrow.Array, len(schema))
	var at []place
	for _, parts := range all {
		for _, p := range parts {
			for c := range chunks {
				chunks[c] = append(chunks[c], p.columns[c])
			}
			for i := range p.ordinals {
				at = append(at, place{uint32(len(chunks[0]) - 1), uint32(i)})
			}
			s.ordinals = append(s.ordinals, p.ordinals...)
		}
	}
	for c, f := range schema {
		dt, err := arrowType(f.Type)
		if err != nil {
			return sample{}, err
		}
		key, err := gather(dt, chunks[c], at)
		if err != nil {
			return sample{}, err
		}
		s.keys = append(s.keys, key)
	}
	return s, nil
}
