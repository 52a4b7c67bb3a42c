package rewrite

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// pool is rows that are held in memory, each with its bucket.
type pool struct {
	pieces  []piece
	buckets [][]uint32 // of the rows of each piece
	bytes   int64
}

func (p *pool) add(rows piece, buckets []uint32) {
	if len(buckets) == 0 {
		return
	}
	p.pieces, p.buckets = append(p.pieces, rows), append(p.buckets, buckets)
	p.bytes += rows.bytes() + int64(4*len(buckets))
}

func (p *pool) join(o pool) {
	p.pieces, p.buckets = append(p.pieces, o.pieces...), append(p.buckets, o.buckets...)
	p.bytes += o.bytes
}

// byBucket lists the places of all rows, bucket by bucket: those of bucket b are
// at[starts[b]:starts[b+1]], in the order in which they came.
func (p *pool) byBucket(buckets int) (starts []int, at []place) {
	starts = make([]int, buckets+1)
	for _, of := range p.buckets {
		for _, b := range of {
			starts[b+1]++
		}
	}
	for b := range buckets {
		starts[b+1] += starts[b]
	}
	at = make([]place, starts[buckets])
	next := append([]int{}, starts...)
	for chunk, of := range p.buckets {
		for row, b := range of {
			at[next[b]] = place{uint32(chunk), uint32(row)}
			next[b]++
		}
	}
	return starts, at
}

// gather copies some rows into one piece.
func (p *pool) gather(schema *arrow.Schema, at []place) (piece, error) {
	columns, err := gatherRows(schema, p.pieces, at)
	if err != nil {
		return piece{}, err
	}
	out := piece{columns: columns, places: make([]uint64, len(at)), ordinals: make([]uint64, len(at))}
	for i, from := range at {
		out.places[i] = p.pieces[from.chunk].places[from.row]
		out.ordinals[i] = p.pieces[from.chunk].ordinals[from.row]
	}
	return out, nil
}

// gatherRows copies all columns of some rows.
func gatherRows(schema *arrow.Schema, pieces []piece, at []place) ([]arrow.Array, error) {
	columns := make([]arrow.Array, schema.NumFields())
	chunks := make([]arrow.Array, len(pieces))
	for c := range columns {
		for i, p := range pieces {
			chunks[i] = p.columns[c]
		}
		var err error
		if columns[c], err = gather(schema.Field(c).Type, chunks, at); err != nil {
			return nil, fmt.Errorf("column %q: %w", schema.Field(c).Name, err)
		}
	}
	return columns, nil
}
