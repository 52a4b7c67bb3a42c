package rewrite

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/layout"
	"ajlo/job/table"
)

// rungBits is the bits of one key's rung: a sample has below 2^20 rows (sampleRows and what
// chance adds), and each of them two rungs.
const (
	rungBits = 21
	maxRungs = 64 / rungBits
)

// arrangement says where every row of a table belongs: its place in the order, and the bucket
// whose rows are sorted together. Places rise from bucket to bucket; rows of one place that a
// cut parts are parted by their ordinals in the table. It is read only once made.
type arrangement struct {
	keys    []table.Column // those of the order, then what else learnt cuts go by
	ladders []*ladder      // of the keys of the order
	leaves  leaves
	curve   layout.Curve
	sort    bool // by the keys one after the other instead of along the curve
	cuts    []cut
	files   []int  // bucket with which each file begins, then the number of buckets
	leafOf  []int  // of each file
	wanted  []bool // buckets whose rows are kept; nil for all
}

// cut is the first row of a bucket.
type cut struct{ place, ordinal uint64 }

func (c cut) compare(place, ordinal uint64) int {
	switch {
	case c.place != place:
		return btoi(c.place > place) - btoi(c.place < place)
	default:
		return btoi(c.ordinal > ordinal) - btoi(c.ordinal < ordinal)
	}
}

// cutting is how rows are to be cut.
type cutting struct {
	files   int // about, of all leaves
	buckets int // of a file
	// everyLeaf has each leaf get a file, also where no row of it was sampled: there is one in the table.
	everyLeaf bool
}

// arrange learns from the sample where files and their buckets begin.
func arrange(l layout.Layout, s sample, c cutting) (*arrangement, error) {
	rows := len(s.ordinals)
	a := &arrangement{keys: l.Columns(), sort: l.Order == layout.Sort || l.Order != layout.LearntCuts && len(l.Clustering) == 1}
	var err error
	if err := layout.CheckKeys(l.Order, len(l.Clustering)); err != nil {
		return nil, err
	}
	if a.leaves, err = findLeaves(l.Tree, a.keys, s.keys); err != nil {
		return nil, err
	}
	if !a.sort {
		if a.curve, err = layout.NewCurve(l.Order, rows, len(l.Clustering)); err != nil {
			return nil, err
		}
		a.curve = a.curve.Under(a.leaves.count)
	}
	for k, key := range s.keys[:len(l.Clustering)] {
		v, err := viewKey(key)
		if err != nil {
			return nil, fmt.Errorf("key column %q: %w", l.Clustering[k], err)
		}
		a.ladders = append(a.ladders, newLadder(v))
	}
	places, err := a.places(s.keys, rows)
	if err != nil {
		return nil, err
	}
	a.cut(places, s.ordinals, c)
	return a, nil
}

// cut makes the buckets alike in sampled rows. The sample is in the order of its ordinals.
func (a *arrangement) cut(places, ordinals []uint64, c cutting) {
	rows := make([]uint32, len(places))
	for i := range rows {
		rows[i] = uint32(i)
	}
	rows = layout.SortByPlace(slices.Clone(places), rows)
	for _, f := range a.spans(places, rows, c) {
		a.files, a.leafOf = append(a.files, len(a.cuts)), append(a.leafOf, f.leaf)
		for _, edge := range layout.Cuts(f.to-f.from, c.buckets)[:c.buckets] {
			switch at := f.from + edge; {
			case edge == 0 && f.first:
				a.cuts = append(a.cuts, cut{place: a.curve.FirstOf(f.leaf)})
			case at < len(rows):
				a.cuts = append(a.cuts, cut{places[rows[at]], ordinals[rows[at]]})
			}
			if f.from == f.to {
				break // no sampled row parts its buckets
			}
		}
	}
	a.files = append(a.files, len(a.cuts))
	if len(a.cuts) > 0 {
		a.cuts[0] = cut{} // rows below the sample's first belong to the first bucket
	}
}

// span is the sampled rows of a file, in order. The first of a leaf holds all its rows from its
// first place on.
type span struct {
	from, to int
	leaf     int
	first    bool
}

// spans cuts sampled rows, in order, into files.
func (a *arrangement) spans(places []uint64, rows []uint32, c cutting) (spans []span) {
	sizes := make([]int, a.leaves.count)
	for _, row := range rows {
		sizes[a.leafAt(places[row])]++
	}
	wanted := slices.Clone(sizes)
	for leaf := range wanted {
		if c.everyLeaf {
			wanted[leaf] = max(1, wanted[leaf])
		}
	}
	from := 0
	for leaf, files := range layout.FilesOfLeaves(wanted, c.files) {
		edges := layout.Cuts(sizes[leaf], files)
		for i := range files {
			spans = append(spans, span{from: from + edges[i], to: from + edges[i+1], leaf: leaf, first: i == 0 && len(sizes) > 1})
		}
		from += sizes[leaf]
	}
	return spans
}

// leafAt is the leaf of a place.
func (a *arrangement) leafAt(place uint64) int {
	if a.leaves.count < 2 {
		return 0
	}
	return a.curve.LeafOf(place)
}

func (a *arrangement) fileCount() int { return len(a.files) - 1 }

func (a *arrangement) buckets() int { return len(a.cuts) }

// bucketsOf are the buckets of one file: from the first up to the second, which is not its own.
func (a *arrangement) bucketsOf(file int) (from, to int) { return a.files[file], a.files[file+1] }

// places gives each row its place. The columns are the key columns.
func (a *arrangement) places(columns []arrow.Array, rows int) ([]uint64, error) {
	views := make([]keyView, len(columns))
	for k, column := range columns {
		var err error
		if views[k], err = viewKey(column); err != nil {
			return nil, fmt.Errorf("key column %q: %w", a.keys[k], err)
		}
	}
	places := make([]uint64, rows)
	if a.sort {
		for i := range places {
			places[i] = a.sortPlace(views, i)
		}
		return places, nil
	}
	ranks, of := make([]uint32, len(a.ladders)), make([][]uint32, len(a.ladders))
	for k, l := range a.ladders {
		of[k] = l.ranks(views[k])
	}
	for i := range places {
		for k := range of {
			ranks[k] = of[k][i]
		}
		places[i] = a.curve.PlaceIn(a.leaves.of(views, i), ranks)
	}
	return places, nil
}

// sortPlace packs the rungs of the first keys. After the first even rung nothing more is known
// of the order, so what follows is left zero.
func (a *arrangement) sortPlace(views []keyView, i int) (packed uint64) {
	known := true
	for k := range maxRungs {
		packed <<= rungBits
		if k >= len(views) || !known {
			continue
		}
		rung := a.ladders[k].rung(views[k], i)
		packed |= rung
		known = rung&1 == 1
	}
	return packed
}

// tied reports whether rows of this place may differ in their keys and are still to be sorted.
func (a *arrangement) tied(place uint64) bool {
	if !a.sort {
		return false
	}
	if len(a.keys) > maxRungs {
		return true
	}
	for k := range len(a.keys) {
		if place>>((maxRungs-1-k)*rungBits)&1 == 0 {
			return true
		}
	}
	return false
}

// bucket finds the bucket of a row.
func (a *arrangement) bucket(place, ordinal uint64) int {
	low, high := 1, len(a.cuts) // the first bucket's cut is below every row
	for low < high {
		middle := int(uint(low+high) / 2)
		if a.cuts[middle].compare(place, ordinal) <= 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low - 1
}
