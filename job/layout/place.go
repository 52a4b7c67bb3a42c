package layout

import "math/bits"

// Curve gives rows their places on the curve of an order: rows are written in ascending
// order of place, and rows of one place in the order they came.
type Curve struct {
	rows     uint64
	bits     int
	keys     int
	position func(point []uint32, bits int) uint64
}

// NewCurve is the curve of ZOrder or Hilbert over so many key columns, whose ranks are below
// rows. Each key's ranks are stretched over the whole side of the cube, by rank / rows, so that
// a key of few values weighs as much as one of many.
func NewCurve(order Order, rows, keys int) (Curve, error) {
	if err := CheckKeys(order, keys); err != nil {
		return Curve{}, err
	}
	c := Curve{rows: uint64(max(rows, 1)), keys: keys, position: interleave}
	if order != ZOrder && keys > 1 { // rows inside a leaf of learnt cuts follow Hilbert's
		c.position = hilbert
	}
	c.bits = curveBits(c.rows, keys)
	return c, nil
}

// Place is where a row lies whose keys have these ranks, which are used up.
func (c Curve) Place(ranks []uint32) uint64 {
	for k, rank := range ranks {
		ranks[k] = uint32(uint64(rank) << c.bits / c.rows)
	}
	return c.position(ranks, c.bits)
}

// Under leaves room above a row's place for the number of the leaf it falls in, of so many:
// the curve is then drawn in as many bits as are left.
func (c Curve) Under(leaves int) Curve {
	c.bits = min(c.bits, (wordBits-bits.Len(uint(max(leaves-1, 0))))/c.keys)
	return c
}

// PlaceIn is the place of a row in a leaf: leaf by leaf, and along the curve inside each.
func (c Curve) PlaceIn(leaf int, ranks []uint32) uint64 {
	return c.FirstOf(leaf) | c.Place(ranks)
}

// FirstOf is the first place of a leaf.
func (c Curve) FirstOf(leaf int) uint64 { return uint64(leaf) << (c.bits * c.keys) }

// LeafOf is the leaf that a place lies in.
func (c Curve) LeafOf(place uint64) int { return int(place >> (c.bits * c.keys)) }

// SortByPlace gives the rows in ascending order of their places; rows of one place stay in the
// order they came. places[i] belongs to rows[i]; both are used up.
func SortByPlace(places []uint64, rows []uint32) []uint32 { return sortedByKey(places, rows) }
