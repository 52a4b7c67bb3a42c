package prune

import (
	"slices"
	"sort"

	"ajlo/job/predicate"
)

// Overlap is how far the files of a table get in each other's way on one column.
type Overlap struct {
	// Depth is the mean number of files that a value of the column falls in; 1 is perfect
	// order, the number of files none at all.
	Depth float64
	// LookupShare is the share of all files that a look-up of one value reads, 0 to 1.
	LookupShare float64
}

// OverlapOf measures a column from its bounds in each file. The values that stand for the
// column are the least and the greatest of each file, half of its rows each; a file without
// bounds holds every value. ok is false where no file has bounds.
func OverlapOf(files []Bounds) (o Overlap, ok bool) {
	lows, highs, unbounded := ends(files)
	if len(lows) == 0 {
		return Overlap{}, false
	}
	var weight, touched float64
	for _, f := range files {
		if !f.known() {
			continue
		}
		rows := float64(max(f.Rows-max(f.Nulls, 0), 1))
		for _, probe := range []predicate.Value{f.Min, f.Max} {
			weight += rows
			touched += rows * float64(holding(lows, highs, probe)+unbounded)
		}
	}
	depth := touched / weight
	return Overlap{Depth: depth, LookupShare: depth / float64(len(files))}, true
}

func (b Bounds) known() bool { return !b.Min.IsNull() && !b.Max.IsNull() }

// ends gives the sorted least and greatest values, and how many files have neither but may
// hold any value. A file of NULLs only holds none.
func ends(files []Bounds) (lows, highs []predicate.Value, unbounded int) {
	for _, f := range files {
		switch {
		case f.known():
			lows, highs = append(lows, f.Min), append(highs, f.Max)
		case !f.allNull():
			unbounded++
		}
	}
	slices.SortFunc(lows, ascending)
	slices.SortFunc(highs, ascending)
	return lows, highs, unbounded
}

func ascending(a, b predicate.Value) int {
	order, _ := predicate.Compare(a, b)
	return order
}

// holding counts the files whose bounds enclose v: those that begin at or before it less
// those that end before it.
func holding(lows, highs []predicate.Value, v predicate.Value) int {
	begun := sort.Search(len(lows), func(i int) bool { return ascending(lows[i], v) > 0 })
	ended := sort.Search(len(highs), func(i int) bool { return ascending(highs[i], v) >= 0 })
	return begun - ended
}
