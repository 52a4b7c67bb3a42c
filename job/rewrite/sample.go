package rewrite

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
)

// sampleRows is about how many rows are sampled: files cut by half a million rows have sizes
// within a few per cent of each other up to a thousand files, and the sample of two keys takes
// 16 MB. A table of fewer rows is sampled whole, so that its files differ by one row at most.
const sampleRows = 1 << 19

// Keys may be texts of any length. No more of one is sampled than decides where its row goes,
// far more than engines keep in a file's bounds, and fewer rows are where they take more than so
// many bytes: an eighth of the memory limit between these two, so that most tables are laid the
// same by every limit.
const (
	longestKey  = 1 << 10
	smallSample = 16 << 20
	largeSample = 48 << 20
	sampleShare = 8
)

func (o Options) sampleBytes() int64 {
	return min(max(int64(o.Memory)/sampleShare, smallSample), largeSample)
}

// sample is some rows of the key columns, in the table's order. Texts are cut at longestKey.
type sample struct {
	keys     []arrow.Array
	ordinals []uint64 // of the rows in the table
}

// takeSample reads the key columns of all files. Which rows are taken depends on their
// ordinals and on the bytes of all keys only.
func takeSample(ctx context.Context, t Task, o Options, s Survey) (sample, error) {
	schema := make(delta.Schema, len(t.Layout.Columns()))
	for k, key := range t.Layout.Columns() {
		column, err := checkKey(t.columns(), string(key))
		if err != nil {
			return sample{}, err
		}
		schema[k] = t.columns()[column]
	}
	all := newSampler(s.Rows, len(s.parts), o.sampleBytes())
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(o.workers())
	for i, p := range s.parts {
		group.Go(func() error { return samplePart(inner, t, p, schema, all, i) })
	}
	if err := group.Wait(); err != nil {
		return sample{}, err
	}
	return joinSamples(schema, all.parts)
}

// scrambled is the finaliser of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014).
func scrambled(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func samplePart(ctx context.Context, t Task, p part, schema delta.Schema, to *sampler, number int) (err error) {
	open, err := openDataFile(ctx, t, p.file, schema)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	for b, err := range open.Batches(ctx, p.from, p.to) {
		if err != nil {
			return err
		}
		if err := to.take(number, p.file.first, b); err != nil {
			return fmt.Errorf("sample %s: %w", p.file.Path, err)
		}
	}
	return nil
}

func joinSamples(schema delta.Schema, all [][]batchSample) (s sample, err error) {
	var parts []batchSample
	var at []place
	for _, some := range all {
		for _, p := range some {
			for i := range p.ordinals {
				at = append(at, place{uint32(len(parts)), uint32(i)})
			}
			parts = append(parts, p)
			s.ordinals = append(s.ordinals, p.ordinals...)
		}
	}
	chunks := make([]arrow.Array, len(parts))
	for c, f := range schema {
		dt, err := arrowType(f.Type)
		if err != nil {
			return sample{}, err
		}
		for i := range parts {
			chunks[i], parts[i].columns[c] = parts[i].columns[c], nil // one column is there twice at a time
		}
		key, err := gather(dt, chunks, at)
		if err != nil {
			return sample{}, err
		}
		s.keys = append(s.keys, key)
	}
	return s, nil
}
