package layout

// Curve gives rows their places on the curve of an order: rows are written in ascending
// order of place, and rows of one place in the order they came.
type Curve struct {
	rows     uint64
	bits     int
	position func(point []uint32, bits int) uint64
}

// NewCurve is the curve of ZOrder or Hilbert over so many key columns, whose ranks are below
// rows. Each key's ranks are stretched over the whole side of the cube, by rank / rows, so that
// a key of few values weighs as much as one of many.
func NewCurve(order Order, rows, keys int) (Curve, error) {
	if err := CheckKeys(order, keys); err != nil {
		return Curve{}, err
	}
	c := Curve{rows: uint64(max(rows, 1)), position: interleave}
	if order == Hilbert {
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

// SortByPlace gives the rows in ascending order of their places; rows of one place stay in the
// order they came. places[i] belongs to rows[i]; both are used up.
func SortByPlace(places []uint64, rows []uint32) []uint32 { return sortedByKey(places, rows) }
