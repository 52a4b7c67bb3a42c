package layout

import "slices"

// Ranks gives each of n rows the rank of its value: the place, from 0 to n−1, of the middle
// one of its equals among all rows in order. Equal rows share a rank, a greater value has a
// greater one, and a value of many rows takes as much of the scale as it has rows: so a curve
// over ranks is cut evenly whatever the values' distribution, and a sample's ranks are those
// of its table, scaled. compare orders rows i and j and decides where NULLs go (ajlo puts
// them first, as Spark sorts). The result depends on nothing but compare's answers.
func Ranks(n int, compare func(i, j int) int) []uint32 {
	order := identity(n)
	slices.SortFunc(order, func(a, b uint32) int { return compare(int(a), int(b)) })
	return middles(order, func(a, b uint32) bool { return compare(int(a), int(b)) == 0 })
}

// RanksOfKeys is Ranks for values given as unsigned keys that order as the values do.
func RanksOfKeys(keys []uint64) []uint32 {
	order := sortedByKey(slices.Clone(keys), identity(len(keys)))
	return middles(order, func(a, b uint32) bool { return keys[a] == keys[b] })
}

// middles gives each row of a sorted order the middle place of its run of equals.
func middles(order []uint32, same func(a, b uint32) bool) []uint32 {
	ranks := make([]uint32, len(order))
	for start := 0; start < len(order); {
		end := start + 1
		for end < len(order) && same(order[start], order[end]) {
			end++
		}
		for _, row := range order[start:end] {
			ranks[row] = uint32((start + end - 1) / 2)
		}
		start = end
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
