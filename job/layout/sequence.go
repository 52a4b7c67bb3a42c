package layout

import (
	"fmt"
	"math"
	"slices"

	"ajlo/job/unit"
)

// Sequence gives the order in which rows are written: a permutation of 0..n-1, where
// ranks[k][i] is the rank of row i in key column k, keys in the layout's order. Rows that the
// order does not tell apart keep their input order. With one key every order is a plain sort.
func Sequence(order Order, ranks [][]uint32) ([]int, error) {
	if err := checkRanks(order, ranks); err != nil {
		return nil, err
	}
	if order == Sort || len(ranks) == 1 {
		return widen(lexicographic(ranks)), nil
	}
	curve, err := NewCurve(order, len(ranks[0]), len(ranks))
	if err != nil {
		return nil, err
	}
	return widen(alongCurve(ranks, curve)), nil
}

// CheckKeys says why rows cannot be put in an order by so many keys; nil where they can.
func CheckKeys(order Order, keys int) error {
	switch {
	case order != Sort && order != ZOrder && order != Hilbert && order != LearntCuts:
		return fmt.Errorf("order rows by %q: want sort, zorder, hilbert or cuts", order)
	case keys == 0:
		return fmt.Errorf("order rows by %s: no key columns", order)
	case keys > maxKeys && order != Sort:
		return fmt.Errorf("order rows by %s: %d key columns, at most %d", order, keys, maxKeys)
	}
	return nil
}

func checkRanks(order Order, ranks [][]uint32) error {
	if err := CheckKeys(order, len(ranks)); err != nil {
		return err
	}
	for k := range ranks {
		if len(ranks[k]) != len(ranks[0]) {
			return fmt.Errorf("order rows by %s: key %d has %d rows, key 0 has %d", order, k, len(ranks[k]), len(ranks[0]))
		}
	}
	if len(ranks[0]) > math.MaxUint32 {
		return fmt.Errorf("order rows by %s: %d rows, at most %d", order, len(ranks[0]), math.MaxUint32)
	}
	return nil
}

// lexicographic sorts by the first key, then the second, …: stable passes from the last key
// to the first.
func lexicographic(ranks [][]uint32) []uint32 {
	rows := identity(len(ranks[0]))
	for _, key := range slices.Backward(ranks) {
		keys := make([]uint64, len(rows))
		for i, row := range rows {
			keys[i] = uint64(key[row])
		}
		rows = sortedByKey(keys, rows)
	}
	return rows
}

func alongCurve(ranks [][]uint32, curve Curve) []uint32 {
	places := make([]uint64, len(ranks[0]))
	point := make([]uint32, len(ranks))
	for i := range places {
		for k := range ranks {
			point[k] = ranks[k][i]
		}
		places[i] = curve.Place(point)
	}
	return sortedByKey(places, identity(len(places)))
}

func widen(rows []uint32) []int {
	wide := make([]int, len(rows))
	for i, row := range rows {
		wide[i] = int(row)
	}
	return wide
}

// FileCount is how many files a table of so many bytes becomes: as many as keep each at or
// below the target when all are alike, at least 1. A target of zero or less means one file.
func FileCount(total, target unit.Bytes) int {
	if total <= 0 || target <= 0 {
		return 1
	}
	return int((total-1)/target) + 1
}

// Cuts gives files+1 row offsets that cut n rows into parts that differ by one row at most:
// part i is rows [cuts[i], cuts[i+1]). Parts are empty where there are more files than rows.
// Fewer than one file counts as one.
func Cuts(n, files int) []int {
	files = max(files, 1)
	cuts := make([]int, files+1)
	each, left := n/files, n%files
	for i := range files {
		cuts[i+1] = cuts[i] + each
		if i < left {
			cuts[i+1]++
		}
	}
	return cuts
}
