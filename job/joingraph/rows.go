package joingraph

import (
	"ajlo/job/fact"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

// cardinalities answers how many rows a table has, from the best source that knows it.
type cardinalities struct {
	lake  Rows
	scans map[table.Name]int64 // rows of the largest full scan seen
}

func cardinalitiesOf(queries []fact.Query, lake Rows) cardinalities {
	c := cardinalities{lake: lake, scans: map[table.Name]int64{}}
	for _, q := range queries {
		for _, s := range q.Scans {
			if s.Measured && isFull(s.Predicate) {
				c.scans[s.Table] = max(c.scans[s.Table], s.Rows)
			}
		}
	}
	return c
}

// isFull reports whether a scan gives nearly every row: it has no predicate, or only the
// not-null checks that Spark adds to every join key by itself.
func isFull(p *predicate.Predicate) bool {
	if p == nil || p.Op == predicate.NotNull {
		return true
	}
	if p.Op != predicate.And {
		return false
	}
	for i := range p.Args {
		if !isFull(&p.Args[i]) {
			return false
		}
	}
	return true
}

func (c cardinalities) of(t table.Name) (rows int64, source CardinalitySource) {
	if c.lake != nil {
		if rows, ok := c.lake(t); ok {
			return rows, FromLake
		}
	}
	if rows, ok := c.scans[t]; ok {
		return rows, FromScan
	}
	return 0, NoSource
}

// product is D of an edge. Its source is the worse of both tables' sources; the product is
// 0 and means nothing where one table is not known at all.
func (c cardinalities) product(left, right table.Name) (float64, CardinalitySource) {
	l, ls := c.of(left)
	r, rs := c.of(right)
	switch {
	case ls == NoSource || rs == NoSource:
		return 0, NoSource
	case ls == FromScan || rs == FromScan:
		return float64(l) * float64(r), FromScan
	}
	return float64(l) * float64(r), FromLake
}
