package layout

import (
	"container/heap"
	"math"
	"slices"
	"unicode/utf8"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// Wish is one way of reading a table that learnt cuts are to serve, with its weight.
type Wish struct {
	Predicate *predicate.Predicate
	Weight    float64
}

const (
	// learnRows is how many rows of a sample cuts are learnt from: a hundred for each file of
	// a thousand show where a file begins and ends.
	learnRows = 100_000
	// minLeafShare is the least leaf, as a part of a file of the target size.
	minLeafShare = 0.5
	// maxLeafExcess bounds the leaves, each of which is a file at least, by the files of the
	// target size.
	maxLeafExcess = 1.05
	// learnQuantiles is how many even cuts of a node are tried on each column beside those of
	// the predicates.
	learnQuantiles = 16
)

// Learn grows a tree of cuts that spares the wishes as many rows as it can, in so many files:
// greedily, always the cut that spares most, at the constants of the predicates or at even
// parts. Each leaf has at least half the rows of a file. It gives nil where no cut spares
// anything. The same sample and wishes give the same tree.
func (s *Simulation) Learn(wishes []Wish, files int) *Tree {
	l := s.learner(wishes, files)
	if len(l.columns) == 0 || files < 2 {
		return nil
	}
	root := l.node(l.all, allOf(len(wishes)))
	open := openNodes{}
	l.consider(&open, root)
	limit := int(maxLeafExcess * float64(files))
	for leaves := 1; leaves < limit && len(open) > 0; leaves++ {
		n := heap.Pop(&open).(*learnNode)
		n.split()
		l.consider(&open, n.below)
		l.consider(&open, n.from)
	}
	return root.tree()
}

// learner holds what all nodes share.
type learner struct {
	wishes  []Wish
	spans   [][]span // of each wish; nil where it is no conjunction of comparisons
	columns []learnColumn
	all     []uint32 // rows cuts are learnt from
	made    int      // nodes so far
	least   int      // rows of a leaf
}

// learnColumn is a column that wishes compare with constants.
type learnColumn struct {
	name table.Column
	ranked
	cuts []cutAt // at the constants of wishes, rising
}

// cutAt is a value to cut at and the least rank that is not below it.
type cutAt struct {
	rank  uint32
	value predicate.Value
}

func (s *Simulation) learner(wishes []Wish, files int) *learner {
	l := &learner{wishes: wishes, all: s.thinned(learnRows)}
	l.least = max(1, int(math.Ceil(minLeafShare*float64(len(l.all))/float64(max(files, 1)))))
	for _, c := range comparedColumns(wishes) {
		known, ok := s.rank(c)
		if !ok || s.rows == 0 {
			continue
		}
		column := learnColumn{name: c, ranked: known}
		column.cuts = column.cutsOf(wishes)
		l.columns = append(l.columns, column)
	}
	l.spans = make([][]span, len(wishes))
	for i, w := range wishes {
		l.spans[i], _ = l.spansOf(w.Predicate)
	}
	return l
}

// thinned takes at most so many rows at even steps.
func (s *Simulation) thinned(most int) []uint32 {
	if s.rows <= most {
		return identity(s.rows)
	}
	rows := make([]uint32, most)
	for i := range rows {
		rows[i] = uint32(i * s.rows / most)
	}
	return rows
}

// comparedColumns are those whose bounds can decide a comparison of some wish, in order of
// appearance.
func comparedColumns(wishes []Wish) []table.Column {
	var columns []table.Column
	for _, w := range wishes {
		w.Predicate.Columns(func(c table.Column, op predicate.Op) bool {
			if op != predicate.Unknown && op != predicate.NotNull && !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
			return true
		})
	}
	return columns
}

// rankOf is the least rank whose value is not below v; beyond all ranks where there is none.
func (c learnColumn) rankOf(v predicate.Value) uint32 {
	at, _ := slices.BinarySearchFunc(c.distinct, v, func(rank uint32, v predicate.Value) int {
		return nullsFirst(c.values[c.row[rank]], v)
	})
	if at == len(c.distinct) {
		return uint32(len(c.of))
	}
	return c.distinct[at]
}

// alike reports whether a constant is of the column's own type, as what the column is cut at
// has to be.
func (c learnColumn) alike(v predicate.Value) bool {
	own := c.values[c.row[c.distinct[len(c.distinct)-1]]]
	return v.Kind == own.Kind && v.Scale == own.Scale && (v.Kind != predicate.String || utf8.ValidString(v.S))
}

// cutsOf lists the cuts at the constants that wishes compare the column with.
func (c learnColumn) cutsOf(wishes []Wish) []cutAt {
	var cuts []cutAt
	for _, w := range wishes {
		for _, v := range cutValues(w.Predicate, c.name) {
			if c.alike(v) {
				cuts = append(cuts, cutAt{c.rankOf(v), v})
			}
		}
	}
	slices.SortStableFunc(cuts, func(a, b cutAt) int { return nullsFirst(a.value, b.value) })
	return slices.CompactFunc(cuts, func(a, b cutAt) bool { return a.rank == b.rank })
}

// node makes a node of rows; within are the wishes that may read some of them.
func (l *learner) node(rows []uint32, within []int) *learnNode {
	n := &learnNode{learner: l, rows: rows, place: l.made}
	l.made++
	boxes := make([]box, len(l.columns))
	for i, c := range l.columns {
		boxes[i] = newBox()
		for _, row := range rows {
			boxes[i].add(c.of[row], c.least)
		}
	}
	for _, w := range within {
		if l.reads(w, boxes) {
			n.wishes = append(n.wishes, w)
		}
	}
	return n
}

// reads reports whether a wish has to read rows with these bounds.
func (l *learner) reads(wish int, boxes []box) bool {
	if spans := l.spans[wish]; spans != nil {
		for _, s := range spans {
			if !s.meets(boxes[s.column]) {
				return false
			}
		}
		return true
	}
	return prune.MayMatch(l.wishes[wish].Predicate, func(c table.Column) (prune.Bounds, bool) {
		if i := l.column(c); i >= 0 {
			return l.columns[i].bounds(boxes[i]), true
		}
		return prune.Bounds{}, false
	})
}

func (l *learner) column(name table.Column) int {
	return slices.IndexFunc(l.columns, func(c learnColumn) bool { return c.name == name })
}

// consider finds the node's best cut and puts it among the open nodes if it spares anything.
func (l *learner) consider(open *openNodes, n *learnNode) {
	if n.findCut(); n.spared > 0 {
		heap.Push(open, n)
	}
}

func allOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
