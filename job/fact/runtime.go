package fact

import (
	"slices"
	"strings"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// Side is a side of a join.
type Side string

// The sides; NoSide is where a join has none of the kind, or the log does not say.
const (
	NoSide    Side = ""
	LeftSide  Side = "left"
	RightSide Side = "right"
)

// buildSide is the field that describeJoin fills; formatted texts have the side in the tree's
// name: "BroadcastHashJoin Inner BuildRight".
const buildSide = "Build side"

// buildOf is the side that a hash join reads whole before it reads the other: what it finds
// there can leave files of the other unread.
func buildOf(n *node) Side {
	f, _ := n.field(buildSide)
	for _, word := range append(strings.Fields(n.name), f.text) {
		if side := sideOf(word); side != NoSide {
			return side
		}
	}
	return NoSide
}

// sideOf reads "BuildRight", which accelerators write "GpuBuildRight".
func sideOf(word string) Side {
	switch {
	case strings.HasSuffix(word, "BuildLeft"):
		return LeftSide
	case strings.HasSuffix(word, "BuildRight"):
		return RightSide
	}
	return NoSide
}

const (
	dynamic = "dynamicpruningexpression("
	// spent is what is left of a filter whose values nobody works out: no broadcast could be
	// reused for them.
	spent = dynamic + "true)"
)

// runTimeColumns are the columns by which a scan left files unread at run time, by values that
// another part of the plan had found: Spark's dynamic partition pruning, V1 among its
// PartitionFilters, V2 under RuntimeFilters.
func runTimeColumns(n *node, s *predicate.Scope) (columns []table.Column) {
	for _, label := range []string{"PartitionFilters", "RuntimeFilters"} {
		f, _ := n.field(label)
		for _, filter := range cutOutside(strings.TrimSuffix(strings.TrimPrefix(f.text, "["), "]")) {
			if strings.HasPrefix(filter, dynamic) && filter != spent {
				columns = append(columns, pruned(filter, s)...)
			}
		}
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// pruned are the scan's columns before the IN of "dynamicpruningexpression(p#1 IN dynamicpruning#2)".
func pruned(filter string, s *predicate.Scope) (columns []table.Column) {
	key, _, _ := strings.Cut(strings.TrimPrefix(filter, dynamic), " IN ")
	for _, f := range s.Fields {
		if f.Attribute != "" && holdsAttribute(key, f.Attribute) {
			columns = append(columns, f.Name)
		}
	}
	return columns
}

// holdsAttribute finds "p#1L" in a text, and not in "p#1L2" or "top#1L".
func holdsAttribute(text, attribute string) bool {
	at := strings.Index(text, attribute)
	if at < 0 {
		return false
	}
	after := text[at+len(attribute):]
	return (at == 0 || strings.ContainsAny(text[at-1:at], "( ,")) && (after == "" || strings.ContainsAny(after[:1], ") ,"))
}
