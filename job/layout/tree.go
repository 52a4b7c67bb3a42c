package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// Tree is a table's learnt cuts: a node parts rows at one value of one column, and the leaves,
// from left to right, are the parts that files are made of. A nil *Tree is one leaf.
//
// A row goes Below where its value is less than Cut, as Spark sorts: NULL is below
// everything, not-a-number above all numbers.
type Tree struct {
	Column      table.Column
	Cut         predicate.Value
	Below, From *Tree
}

// Leaves is the number of leaves.
func (t *Tree) Leaves() int {
	if t == nil {
		return 1
	}
	return t.Below.Leaves() + t.From.Leaves()
}

// Branch is a node of a tree laid flat: where a row goes from it, to another branch or, as
// the complement ^n, to leaf n.
type Branch struct {
	Column      table.Column
	Cut         predicate.Value
	Below, From int
}

// Flat is a tree laid flat for walking it row by row: its nodes from the top.
type Flat []Branch

// Flat lays the tree flat; no tree has no branches.
func (t *Tree) Flat() Flat {
	var flat Flat
	leaves := 0
	var lay func(node *Tree) int
	lay = func(node *Tree) int {
		if node == nil {
			leaves++
			return ^(leaves - 1)
		}
		at := len(flat)
		flat = append(flat, Branch{Column: node.Column, Cut: node.Cut})
		flat[at].Below = lay(node.Below)
		flat[at].From = lay(node.From)
		return at
	}
	lay(t)
	return flat
}

// Leaf is the number of the leaf, from 0, that a row falls in. below reports whether the row
// is below the cut of a branch.
func (f Flat) Leaf(below func(branch int) bool) int {
	if len(f) == 0 {
		return 0
	}
	at := 0
	for at >= 0 {
		if below(at) {
			at = f[at].Below
		} else {
			at = f[at].From
		}
	}
	return ^at
}

// Nodes lists the nodes from the top, each before those below it.
func (t *Tree) Nodes() []*Tree {
	if t == nil {
		return nil
	}
	return slices.Concat([]*Tree{t}, t.Below.Nodes(), t.From.Nodes())
}

// Columns are those that the tree cuts, in the order of their first cut.
func (t *Tree) Columns() []table.Column {
	var columns []table.Column
	for _, node := range t.Nodes() {
		if !slices.Contains(columns, node.Column) {
			columns = append(columns, node.Column)
		}
	}
	return columns
}

// hashDigits of a SHA-256 in hex tell trees apart well enough, and keep a file's tags short.
const hashDigits = 16

// Hash names the tree without telling its cuts; empty for no tree.
func (t *Tree) Hash() string {
	if t == nil {
		return ""
	}
	text, err := json.Marshal(t)
	if err != nil { // a tree always has JSON
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:hashDigits]
}

// Below reports whether v sorts before the cut: the rule of every tree.
func Below(v, cut predicate.Value) bool { return nullsFirst(v, cut) < 0 }
