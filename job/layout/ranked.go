package layout

import (
	"math"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// ranked is a sampled column with its ranks.
type ranked struct {
	values []predicate.Value
	of     []uint32 // rank of each row
	row    []uint32 // one row of each rank that occurs
	least  uint32   // rank of the least value; NULLs rank below it
	// distinct are the ranks that occur, ascending.
	distinct []uint32
}

// rank ranks a column on first use; ok is false where it was not sampled.
func (s *Simulation) rank(column table.Column) (r ranked, ok bool) {
	if known, done := s.ranked[column]; done {
		return known, true
	}
	values, ok := s.values[column]
	if !ok {
		return ranked{}, false
	}
	r = ranked{values: values, of: ranksOfValues(values), row: make([]uint32, s.rows), least: math.MaxUint32}
	for row, rank := range r.of {
		r.row[rank] = uint32(row)
		if !values[row].IsNull() {
			r.least = min(r.least, rank)
		}
	}
	for rank, row := range r.row {
		if r.of[row] == uint32(rank) {
			r.distinct = append(r.distinct, uint32(rank))
		}
	}
	s.ranked[column] = r
	return r, true
}

// ranksOfValues sorts whole numbers, dates and times by their bits, which is many times
// faster, and everything else by comparing.
func ranksOfValues(values []predicate.Value) []uint32 {
	if keys, ok := keysOf(values); ok {
		return RanksOfKeys(keys)
	}
	return Ranks(len(values), func(i, j int) int { return nullsFirst(values[i], values[j]) })
}

// keysOf gives unsigned keys that order as the values do, NULL being 0; ok is false where
// values are no whole numbers of one kind and scale, or one takes the key of NULL.
func keysOf(values []predicate.Value) (keys []uint64, ok bool) {
	var first predicate.Value
	keys = make([]uint64, len(values))
	for i, v := range values {
		if v.IsNull() {
			continue
		}
		if first.IsNull() {
			first = v
		}
		if v.Kind != first.Kind || v.Scale != first.Scale || v.Kind == predicate.Float || v.Kind == predicate.String || v.I == math.MinInt64 {
			return nil, false
		}
		keys[i] = uint64(v.I) ^ 1<<63
	}
	return keys, true
}

// nullsFirst orders values as Spark sorts ascending: NULL before everything.
func nullsFirst(a, b predicate.Value) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return -1
	case b.IsNull():
		return 1
	}
	return predicate.Order(a, b)
}
