package rewrite

import (
	"math"
	"slices"

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

// nanSearch looks for NaNs in the columns that can have them.
type nanSearch struct {
	columns []int
	found   []nans // parallel
}

func newNanSearch(schema delta.Schema) nanSearch {
	var n nanSearch
	for c, f := range schema {
		if hasFloat(f.Type) {
			n.columns, n.found = append(n.columns, c), append(n.found, nans{})
		}
	}
	return n
}

func hasFloat(t delta.Type) bool {
	switch t.Kind {
	case delta.Float, delta.Double:
		return true
	case delta.Struct:
		return slices.ContainsFunc(t.Fields, func(f delta.Field) bool { return hasFloat(f.Type) })
	case delta.Array:
		return hasFloat(*t.Element)
	case delta.Map:
		return hasFloat(*t.Key) || hasFloat(*t.Element)
	}
	return false
}

func (n nanSearch) look(b batch) {
	for i, c := range n.columns {
		n.found[i].look(b.columns[c])
	}
}

// merge takes in what another search of the same schema found.
func (n nanSearch) merge(o nanSearch) {
	for i := range n.found {
		n.found[i].merge(o.found[i])
	}
}

func (n nanSearch) named(schema delta.Schema) nanColumns {
	named := nanColumns{unbounded: map[string]bool{}, plain: map[string]bool{}}
	for i, c := range n.columns {
		seen := n.found[i]
		named.unbounded[schema[c].Physical()] = seen.narrow != 0 || seen.wide != 0
		named.plain[schema[c].Physical()] = seen.unlike
	}
	return named
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

func (n *nans) merge(o nans) {
	n.unlike = n.unlike || o.unlike
	if o.narrow != 0 {
		n.note(&n.narrow, o.narrow)
	}
	if o.wide != 0 {
		n.note(&n.wide, o.wide)
	}
}
