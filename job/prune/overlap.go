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
	ends := EndsOf(files)
	if len(ends.lows) == 0 {
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
			touched += rows * float64(ends.Meeting(Bounds{Min: probe, Max: probe})+ends.unbounded)
		}
	}
	depth := touched / weight
	return Overlap{Depth: depth, LookupShare: depth / float64(len(files))}, true
}

func (b Bounds) known() bool { return !b.Min.IsNull() && !b.Max.IsNull() }

// Ends are the least and greatest values of a column in the files of a table, each sorted.
type Ends struct {
	lows, highs []predicate.Value
	unbounded   int // files that have neither but may hold any value
}

// EndsOf sorts the bounds of a column in each file. A file of NULLs only holds no value.
func EndsOf(files []Bounds) (e Ends) {
	for _, f := range files {
		switch {
		case f.known():
			e.lows, e.highs = append(e.lows, f.Min), append(e.highs, f.Max)
		case !f.allNull():
			e.unbounded++
		}
	}
	slices.SortFunc(e.lows, predicate.Order)
	slices.SortFunc(e.highs, predicate.Order)
	return e
}

// Meeting counts the bounded files that may share a value with b: those that begin at or
// before its end less those that end before it begins; all of them where b is not known.
func (e Ends) Meeting(b Bounds) int {
	if !b.known() {
		return len(e.lows)
	}
	begun := sort.Search(len(e.lows), func(i int) bool { return predicate.Order(e.lows[i], b.Max) > 0 })
	ended := sort.Search(len(e.highs), func(i int) bool { return predicate.Order(e.highs[i], b.Min) >= 0 })
	return begun - ended
}

// Meets reports whether two files may share a value of the column with these bounds.
func (b Bounds) Meets(other Bounds) bool {
	return !behind(b.Min, other.Max) && !behind(other.Min, b.Max)
}

func behind(a, b predicate.Value) bool {
	order, ok := predicate.Compare(a, b)
	return ok && order > 0
}
