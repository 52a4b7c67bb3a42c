package fact

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Codegen prints the plan again below each stage, from the bottom up: of aggregates that look
// alike the one that stands higher comes first, as in the tree.
func TestHintsOfSubtrees(t *testing.T) {
	const text = "Found 2 WholeStageCodegen subtrees.\n" +
		"== Subtree 1 / 2 (maxMethodCodeSize:263; maxConstantPoolSize:329(0.50% used); numInnerClasses:2) ==\n" +
		"*(1) HashAggregate(keys=[a#1L], functions=[], output=[a#1L])\n+- *(1) Filter isnotnull(a#1L)\n\nGenerated code:\n/* 001 */ x\n\n" +
		"== Subtree 2 / 2 (maxMethodCodeSize:250; maxConstantPoolSize:269(0.41% used); numInnerClasses:2) ==\n" +
		"*(2) HashAggregate(keys=[a#1L], functions=[], output=[k#9L])\n+- Exchange hashpartitioning(a#1L, 2)\n" +
		"   +- *(1) HashAggregate(keys=[a#1L], functions=[], output=[a#1L])\n"
	want := map[string][]string{"HashAggregate(keys=[a#1L], functions=[])": {"[k#9L]", "[a#1L]", "[a#1L]"}}
	if d := cmp.Diff(want, hintsOf(text).outputs); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// Two columns' distinct values, counted at once: Spark numbers the columns by chance.
func TestGroupingByChance(t *testing.T) {
	if a, b := grouping(" k,  x,  y,  gid, ; "), grouping(" k,  y,  x,  gid, ; "); a != b {
		t.Errorf("%q is not %q", a, b)
	}
	if a, b := grouping(" x,  y, ; "), grouping(" y,  x, ; "); a == b {
		t.Error("an order that the query gives is lost")
	}
}
