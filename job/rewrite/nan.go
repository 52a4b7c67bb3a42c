package rewrite

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"ajlo/job/delta"
)

// nanColumns are the columns that hold a NaN, at any depth, and how they must be written.
//
// Parquet's bounds leave NaN out, but NaN is above every number for Spark, which skips by
// those bounds: under `x > 5` rows with NaN would be lost. Spark's own writer keeps no bounds
// of such columns, so none are written here. And all NaNs are one value to a dictionary: a
// column with NaNs of different bits must be written without one.
type nanColumns struct {
	unbounded map[string]bool
	plain     map[string]bool
}

func nanColumnsOf(schema delta.Schema, h *held) nanColumns {
	found := nanColumns{unbounded: map[string]bool{}, plain: map[string]bool{}}
	for c, f := range schema {
		var seen nans
		for _, chunk := range h.chunks[c] {
			seen.look(chunk)
		}
		found.unbounded[f.Name] = seen.narrow != 0 || seen.wide != 0
		found.plain[f.Name] = seen.unlike
	}
	return found
}

// nans is the bits of the first NaN of each width, 0 for none, and whether others differ.
type nans struct {
	narrow, wide uint64
	unlike       bool
}

func (n *nans) look(a arrow.Array) {
	switch a := a.(type) {
	case *array.Float32:
		for i, v := range a.Float32Values() {
			if v != v && a.IsValid(i) {
				n.note(&n.narrow, uint64(math.Float32bits(v)))
			}
		}
	case *array.Float64:
		for i, v := range a.Float64Values() {
			if v != v && a.IsValid(i) {
				n.note(&n.wide, math.Float64bits(v))
			}
		}
	case *array.Struct:
		for f := range a.NumField() {
			n.look(a.Field(f))
		}
	case array.ListLike:
		n.look(a.ListValues())
	}
}

func (n *nans) note(first *uint64, bits uint64) {
	if *first == 0 {
		*first = bits
	}
	n.unlike = n.unlike || *first != bits
}
