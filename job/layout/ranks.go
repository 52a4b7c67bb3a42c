package layout

import "slices"

// Ranks gives each of n rows the dense rank of its value: equal rows share a rank, the least
// value has rank 0. compare orders rows i and j and decides where NULLs go (ajlo puts them
// first, as Spark sorts). The result depends on nothing but compare's answers.
func Ranks(n int, compare func(i, j int) int) []uint32 {
	order := identity(n)
	slices.SortFunc(order, func(a, b uint32) int { return compare(int(a), int(b)) })
	return dense(order, func(a, b uint32) bool { return compare(int(a), int(b)) == 0 })
}

// RanksOfKeys is Ranks for values given as unsigned keys that order as the values do.
func RanksOfKeys(keys []uint64) []uint32 {
	order := sortedByKey(slices.Clone(keys), identity(len(keys)))
	return dense(order, func(a, b uint32) bool { return keys[a] == keys[b] })
}

// dense numbers the rows of a sorted order from 0, with one number for a run of equals.
func dense(order []uint32, same func(a, b uint32) bool) []uint32 {
	ranks := make([]uint32, len(order))
	rank := uint32(0)
	for k, row := range order {
		if k > 0 && !same(order[k-1], row) {
			rank++
		}
		ranks[row] = rank
	}
	return ranks
}

func identity(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	return order
}
