package rewrite

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// unlikeNaNs reports whether a column, at any depth, holds NaNs of different bits. All NaNs
// are one value to a Parquet dictionary, so such a column must be written without one.
func unlikeNaNs(chunks []arrow.Array) bool {
	var seen nans
	for _, c := range chunks {
		if seen.look(c) {
			return true
		}
	}
	return false
}

// nans is the first NaN of each width.
type nans struct{ narrow, wide uint64 }

// look reports whether a holds a NaN other than the first.
func (n *nans) look(a arrow.Array) bool {
	switch a := a.(type) {
	case *array.Float32:
		for i, v := range a.Float32Values() {
			if v != v && a.IsValid(i) && differs(&n.narrow, uint64(math.Float32bits(v))) {
				return true
			}
		}
	case *array.Float64:
		for i, v := range a.Float64Values() {
			if v != v && a.IsValid(i) && differs(&n.wide, math.Float64bits(v)) {
				return true
			}
		}
	case *array.Struct:
		for f := range a.NumField() {
			if n.look(a.Field(f)) {
				return true
			}
		}
	case array.ListLike:
		return n.look(a.ListValues())
	}
	return false
}

// differs keeps the first bits, which are never 0, and compares the others with them.
func differs(first *uint64, bits uint64) bool {
	if *first == 0 {
		*first = bits
	}
	return *first != bits
}
