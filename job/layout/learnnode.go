package layout

import (
	"math"
	"slices"

	"ajlo/job/prune"
)

// learnNode is a part of the rows while a tree is grown.
type learnNode struct {
	*learner
	rows   []uint32
	wishes []int // those that read some of it
	place  int   // of its making, to break ties

	// The best cut: how many weighted rows it spares, 0 for none.
	spared      float64
	column      int
	cut         cutAt
	below, from *learnNode
}

// findCut weighs every cut of every column.
func (n *learnNode) findCut() {
	if len(n.rows) < 2*n.least || len(n.wishes) == 0 {
		return
	}
	for c := range n.columns {
		sorted := n.sortedBy(c)
		cuts := n.cutsOn(c, sorted)
		for i, sides := range n.boxesAt(c, sorted, cuts) {
			size := cuts[i].size
			if spared := n.sparedBy(sides, size); spared > n.spared {
				n.spared, n.column, n.cut = spared, c, cuts[i].cutAt
			}
		}
	}
}

// sortedBy gives the node's rows in the order of a column.
func (n *learnNode) sortedBy(c int) []uint32 {
	keys := make([]uint64, len(n.rows))
	for i, row := range n.rows {
		keys[i] = uint64(n.columns[c].of[row])
	}
	return sortedByKey(keys, slices.Clone(n.rows))
}

// sizedCut is a cut with the number of rows below it.
type sizedCut struct {
	cutAt
	size int
}

// cutsOn lists the cuts worth trying, by rising size: the constants inside the node, and even
// parts of it. Both sides have the rows of a leaf.
func (n *learnNode) cutsOn(c int, sorted []uint32) []sizedCut {
	column := n.columns[c]
	var cuts []sizedCut
	add := func(at cutAt) {
		size, _ := slices.BinarySearchFunc(sorted, at.rank, func(row, rank uint32) int { return int(column.of[row]) - int(rank) })
		if size >= n.least && len(sorted)-size >= n.least {
			cuts = append(cuts, sizedCut{at, size})
		}
	}
	for _, at := range column.cuts {
		add(at)
	}
	for q := 1; q < learnQuantiles; q++ {
		rank := column.of[sorted[q*len(sorted)/learnQuantiles]]
		if v := column.values[column.row[rank]]; !v.IsNull() {
			add(cutAt{rank, v})
		}
	}
	slices.SortStableFunc(cuts, func(a, b sizedCut) int { return a.size - b.size })
	return thinnedCuts(slices.CompactFunc(cuts, func(a, b sizedCut) bool { return a.size == b.size }))
}

// maxNodeCuts is how many cuts of one column are weighed in a node: constants lie so close
// when there are more that their neighbours spare nearly the same.
const maxNodeCuts = 128

func thinnedCuts(cuts []sizedCut) []sizedCut {
	if len(cuts) <= maxNodeCuts {
		return cuts
	}
	kept := make([]sizedCut, maxNodeCuts)
	for i := range kept {
		kept[i] = cuts[i*len(cuts)/maxNodeCuts]
	}
	return kept
}

// sides are the bounds of all columns below a cut and from it on.
type sides struct{ below, from []box }

// boxesAt takes the bounds on both sides of each cut in one pass over each column.
func (n *learnNode) boxesAt(c int, sorted []uint32, cuts []sizedCut) []sides {
	boxes := make([]sides, len(cuts))
	for i := range boxes {
		boxes[i] = sides{make([]box, len(n.columns)), make([]box, len(n.columns))}
	}
	for k, column := range n.columns {
		grown, at := newBox(), 0
		for i, cut := range cuts {
			for ; at < cut.size; at++ {
				grown.add(column.of[sorted[at]], column.least)
			}
			boxes[i].below[k] = grown
		}
		grown, at = newBox(), len(sorted)
		for i := len(cuts) - 1; i >= 0; i-- {
			for ; at > cuts[i].size; at-- {
				grown.add(column.of[sorted[at-1]], column.least)
			}
			boxes[i].from[k] = grown
		}
	}
	return boxes
}

// sparedBy is the weight of the rows that wishes need no longer read.
func (n *learnNode) sparedBy(s sides, size int) (spared float64) {
	for _, w := range n.wishes {
		weight := n.learner.wishes[w].Weight
		if !n.reads(w, s.below) {
			spared += weight * float64(size)
		}
		if !n.reads(w, s.from) {
			spared += weight * float64(len(n.rows)-size)
		}
	}
	return spared
}

// split parts the node at its best cut.
func (n *learnNode) split() {
	column := n.columns[n.column]
	var below, from []uint32
	for _, row := range n.rows {
		if column.of[row] < n.cut.rank {
			below = append(below, row)
		} else {
			from = append(from, row)
		}
	}
	n.below, n.from = n.node(below, n.wishes), n.node(from, n.wishes)
	n.rows = nil
}

// tree is what has grown, without what growing took.
func (n *learnNode) tree() *Tree {
	if n.below == nil {
		return nil
	}
	return &Tree{Column: n.columns[n.column].name, Cut: n.cut.value, Below: n.below.tree(), From: n.from.tree()}
}

// openNodes is a heap of nodes that can be cut: the one that spares most first, and the one
// made first among equals.
type openNodes []*learnNode

func (o openNodes) Len() int { return len(o) }
func (o openNodes) Less(i, j int) bool {
	return o[i].spared > o[j].spared || o[i].spared == o[j].spared && o[i].place < o[j].place
}
func (o openNodes) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *openNodes) Push(x any)   { *o = append(*o, x.(*learnNode)) }
func (o *openNodes) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}

// box is what some rows hold of one column, in ranks.
type box struct {
	low, high uint32
	rows      int
	nulls     int
}

func newBox() box { return box{low: math.MaxUint32} }

func (b *box) add(rank, least uint32) {
	b.rows++
	if rank < least {
		b.nulls++
		return
	}
	b.low, b.high = min(b.low, rank), max(b.high, rank)
}

// bounds turns ranks into values.
func (c ranked) bounds(b box) prune.Bounds {
	bounds := prune.Bounds{Rows: int64(b.rows), Nulls: int64(b.nulls)}
	if b.nulls < b.rows {
		bounds.Min, bounds.Max = c.values[c.row[b.low]], c.values[c.row[b.high]]
	}
	return bounds
}
