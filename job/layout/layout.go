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
)

// Layout is how a table's rows are spread over its files.
type Layout struct {
	Partition  []table.Column `json:"partition"`
	Clustering []table.Column `json:"clustering"`
	Order      Order          `json:"order"`
	// Scope names the part of the table the layout holds for; "table" is all of it.
	Scope string `json:"scope"`
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

// SameKeys reports whether both layouts cluster by the same set of keys: (a,b) and (b,a)
// prune alike, and going from one to the other rewrites everything for nothing.
func SameKeys(a, b Layout) bool {
	return slices.Equal(sorted(a.Partition), sorted(b.Partition)) && slices.Equal(sorted(a.Clustering), sorted(b.Clustering))
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

func join(columns []table.Column) string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = string(c)
	}
	return strings.Join(texts, ", ")
}
