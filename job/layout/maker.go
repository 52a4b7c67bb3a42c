package layout

import (
	"bytes"
	"fmt"
	"slices"

	"ajlo/job/table"
	"ajlo/job/unit"
)

// Maker is an engine's way of making a layout, as far as it decides which file a row falls in.
type Maker string

// The makers.
const (
	// ExactRanks ranks every row: the embedded engine.
	ExactRanks Maker = "exact_ranks"
	// DeltaRanges is OPTIMIZE of Delta on Spark: each key is parted into 1,000 ranges of equal
	// numbers of rows (spark.databricks.io.skipping.mdc.rangeId.max), their numbers are put on
	// the curve, and rows of one place are spread at random. A key of few values gets as many
	// ranges as it has values and so weighs little beside one of many.
	DeltaRanges Maker = "delta_ranges"
	// IcebergBytes is rewrite_data_files of Iceberg on Spark: sort by the values, or z-order of
	// their first eight bytes, whatever part of the bytes the values use.
	IcebergBytes Maker = "iceberg_bytes"
)

// String gives the maker's name.
func (m Maker) String() string { return string(m) }

// ParseMaker reads the name of a maker.
func ParseMaker(text string) (Maker, error) {
	for _, m := range []Maker{ExactRanks, DeltaRanges, IcebergBytes} {
		if text == string(m) {
			return m, nil
		}
	}
	return "", fmt.Errorf("maker %q: want %s, %s or %s", text, ExactRanks, DeltaRanges, IcebergBytes)
}

// FileCount is how many files the maker makes of so many bytes.
func (m Maker) FileCount(total, target unit.Bytes) int {
	switch {
	case m == ExactRanks || target <= 0 || total <= target:
		return FileCount(total, target)
	case m == IcebergBytes:
		return icebergFileCount(total, target)
	}
	return int(total / target) // OPTIMIZE divides and drops the rest
}

// Iceberg spreads the rest over the whole files where they then stay below 1.1 times the
// target, unless the rest alone is a file of the least size, 0.75 of the target.
func icebergFileCount(total, target unit.Bytes) int {
	whole := total / target
	rest, mean := total%target, total/whole
	if 4*rest > 3*target || 10*mean >= 11*target {
		return int(whole) + 1
	}
	return int(whole)
}

// deltaRanges is the number of ranges that Delta parts a key into, and deltaBits are the bits
// it gives their numbers on the curve.
const (
	deltaRanges = 1_000
	deltaBits   = 10
)

// alongDelta orders rows as Delta's clustering and ZORDER BY do.
func alongDelta(order Order, ranks [][]uint32) []uint32 {
	ids := make([][]uint32, len(ranks))
	for k := range ranks {
		ids[k] = rangeIDs(ranks[k])
	}
	position := interleave
	if order == Hilbert && len(ids) > 1 {
		position = hilbert
	}
	rows := scattered(len(ranks[0]))
	keys, point := make([]uint64, len(rows)), make([]uint32, len(ids))
	for i, row := range rows {
		for k := range ids {
			point[k] = ids[k][row]
		}
		keys[i] = position(point, deltaBits)
	}
	return sortedByKey(keys, rows)
}

// rangeIDs parts a column as Spark's range partitioner does: it walks the sorted rows, and
// where the next range is full sets a bound at the value, unless that is a bound already. A
// row's number is how many bounds lie below its value.
func rangeIDs(ranks []uint32) []uint32 {
	step := float64(len(ranks)) / deltaRanges
	target, bounds := step, make([]uint32, 0, deltaRanges)
	for i, rank := range slices.Sorted(slices.Values(ranks)) {
		if float64(i+1) < target || len(bounds) > 0 && bounds[len(bounds)-1] == rank {
			continue
		}
		if bounds = append(bounds, rank); len(bounds) == deltaRanges-1 {
			break
		}
		target += step
	}
	ids := make([]uint32, len(ranks))
	for row, rank := range ranks {
		id, _ := slices.BinarySearch(bounds, rank)
		ids[row] = uint32(id)
	}
	return ids
}

// scattered are rows in an order that has nothing to do with their values, always the same.
func scattered(n int) []uint32 {
	keys, rows := make([]uint64, n), identity(n)
	for i := range keys {
		keys[i] = scatter64(uint64(i))
	}
	return sortedByKey(keys, rows)
}

// scatter64 is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014).
func scatter64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// alongIceberg orders rows by z-order of their values' bytes.
func (s *Simulation) alongIceberg(keys []table.Column) ([]uint32, error) {
	words := make([][]uint64, len(keys))
	for k, key := range keys {
		words[k] = make([]uint64, s.rows)
		for row, v := range s.values[key] {
			w, ok := icebergWord(v)
			if !ok {
				return nil, fmt.Errorf("layout: Iceberg cannot z-order by %q, whose values are %s", key, v.Kind)
			}
			words[k][row] = w
		}
	}
	positions := make([][]byte, s.rows)
	point := make([]uint64, len(keys))
	for row := range positions {
		for k := range words {
			point[k] = words[k][row]
		}
		positions[row] = interleaveWords(point)
	}
	rows := identity(s.rows)
	slices.SortStableFunc(rows, func(a, b uint32) int { return bytes.Compare(positions[a], positions[b]) })
	return rows, nil
}
