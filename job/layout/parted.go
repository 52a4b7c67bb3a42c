package layout

import (
	"container/heap"
	"fmt"
	"math"
)

// Parted is Sequence with the offsets at which the order is cut into so many files: rows come
// by leaf where leaf gives each row's leaf of learnt cuts (nil for every other order), then in
// the order of their keys. No file holds rows of two leaves, so there may be more files than
// asked for; part i is rows [cuts[i], cuts[i+1]).
func Parted(order Order, leaf []uint32, ranks [][]uint32, files int) (rows, cuts []int, err error) {
	if order == LearntCuts {
		order = Hilbert
	}
	rows, err = Sequence(order, ranks)
	if err != nil {
		return nil, nil, err
	}
	if leaf == nil {
		return rows, Cuts(len(rows), files), nil
	}
	if len(leaf) != len(rows) {
		return nil, nil, fmt.Errorf("order rows by %s: %d rows have a leaf, %d a rank", order, len(leaf), len(rows))
	}
	sizes, order32 := byLeaf(leaf, rows)
	return widen(order32), CutLeaves(sizes, files), nil
}

// byLeaf sorts rows by their leaf, keeping their order inside it, and counts each leaf's rows.
func byLeaf(leaf []uint32, rows []int) (sizes []int, sorted []uint32) {
	keys, narrow := make([]uint64, len(rows)), make([]uint32, len(rows))
	for i, row := range rows {
		keys[i], narrow[i] = uint64(leaf[row]), uint32(row)
		for int(leaf[row]) >= len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[leaf[row]]++
	}
	return sizes, sortedByKey(keys, narrow)
}

// CutLeaves gives the row offsets that cut leaves of the given numbers of rows into about so
// many files: every leaf that has rows is at least one, none spans two leaves, and each
// further file goes to the leaf whose files are the largest.
func CutLeaves(sizes []int, files int) []int {
	cuts, total := []int{0}, 0
	for i, n := range FilesOfLeaves(sizes, files) {
		if n == 0 {
			continue
		}
		for _, cut := range Cuts(sizes[i], n)[1:] {
			cuts = append(cuts, total+cut)
		}
		total += sizes[i]
	}
	return cuts
}

// FilesOfLeaves shares about so many files out to leaves of the given numbers of rows by the method of
// equal proportions: the next file goes where rows / √(n·(n+1)) is greatest, which keeps files nearest
// to one size.
func FilesOfLeaves(sizes []int, files int) []int {
	shares := make([]int, len(sizes))
	var claims claims
	for i, rows := range sizes {
		if rows == 0 {
			continue
		}
		shares[i], files = 1, files-1
		if rows > 1 {
			claims = append(claims, claim{leaf: i, want: wanted(rows, 1)})
		}
	}
	heap.Init(&claims)
	for ; files > 0 && len(claims) > 0; files-- {
		i := claims[0].leaf
		shares[i]++
		if shares[i] == sizes[i] {
			heap.Pop(&claims)
			continue
		}
		claims[0].want = wanted(sizes[i], shares[i])
		heap.Fix(&claims, 0)
	}
	return shares
}

func wanted(rows, files int) float64 {
	n := float64(files)
	return float64(rows) / math.Sqrt(n*(n+1))
}

// claim is how much a leaf wants one more file.
type claim struct {
	leaf int
	want float64
}

// claims is a heap, the greatest want first and the first leaf among equals.
type claims []claim

func (c claims) Len() int { return len(c) }
func (c claims) Less(i, j int) bool {
	return c[i].want > c[j].want || c[i].want == c[j].want && c[i].leaf < c[j].leaf
}
func (c claims) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *claims) Push(x any)   { *c = append(*c, x.(claim)) }
func (c *claims) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
