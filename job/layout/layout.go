package layout

import (
	"fmt"
	"slices"
	"strings"

	"ajlo/job/table"
)

// Order is the way rows are put in sequence before they are cut into files.
type Order string

// The orders. None is a table as its writers left it.
const (
	None    Order = "none"
	Sort    Order = "sort"
	ZOrder  Order = "zorder"
	Hilbert Order = "hilbert"
	// LearntCuts parts rows by a Tree and orders each part along the Hilbert curve.
	LearntCuts Order = "cuts"
)

// Layout is how a table's rows are spread over its files.
type Layout struct {
	Partition  []table.Column `json:"partition"`
	Clustering []table.Column `json:"clustering"`
	Order      Order          `json:"order"`
	// Scope names the part of the table the layout holds for; "table" is all of it.
	Scope string `json:"scope"`
	// Tree holds the cuts of order LearntCuts, and is nil for every other. Clustering is then
	// the keys of the curve inside each leaf.
	Tree *Tree `json:"tree,omitempty"`
	// Cuts is the tree's Hash: all that files and reports tell of it.
	Cuts string `json:"cuts,omitempty"`
}

// WholeTable is the scope that leaves nothing out.
const WholeTable = "table"

// Unordered is the layout of a table nobody has clustered.
func Unordered() Layout {
	return Layout{Partition: []table.Column{}, Clustering: []table.Column{}, Order: None, Scope: WholeTable}
}

// ClusteredBy is an unpartitioned table in the given order of keys.
func ClusteredBy(order Order, keys ...table.Column) Layout {
	return Layout{Partition: []table.Column{}, Clustering: slices.Clone(keys), Order: order, Scope: WholeTable}
}

// CutBy is an unpartitioned table parted by learnt cuts, in the Hilbert order of keys inside
// each leaf.
func CutBy(tree *Tree, keys ...table.Column) Layout {
	l := ClusteredBy(LearntCuts, keys...)
	l.Tree, l.Cuts = tree, tree.Hash()
	return l
}

// Columns are all columns whose values decide where a row goes: the keys, then what else the
// learnt cuts go by.
func (l Layout) Columns() []table.Column {
	all := slices.Clone(l.Clustering)
	for _, c := range l.Tree.Columns() {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// SameKeys reports whether both layouts cluster by the same set of keys: (a,b) and (b,a)
// prune alike, and going from one to the other rewrites everything for nothing. Learnt cuts are
// keys of their own.
func SameKeys(a, b Layout) bool {
	return slices.Equal(sorted(a.Partition), sorted(b.Partition)) && slices.Equal(sorted(a.Clustering), sorted(b.Clustering)) &&
		a.Cuts == b.Cuts
}

func sorted(columns []table.Column) []table.Column {
	return slices.Sorted(slices.Values(columns))
}

// String names the layout for people: "hilbert(o_orderkey, o_orderdate)", "as it arrives".
func (l Layout) String() string {
	if len(l.Clustering) == 0 && len(l.Partition) == 0 {
		return "as it arrives"
	}
	var parts []string
	if len(l.Partition) > 0 {
		parts = append(parts, fmt.Sprintf("partitioned(%s)", join(l.Partition)))
	}
	if len(l.Clustering) > 0 {
		parts = append(parts, fmt.Sprintf("%s(%s)", l.Order, join(l.Clustering)))
	}
	return strings.Join(parts, " ")
}

func join(columns []table.Column) string { return strings.Join(table.Texts(columns), ", ") }
