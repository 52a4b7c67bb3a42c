package plan

import (
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// However the values that are left are written, every one of them may match, and of a few runs
// none of the others does.
func TestEveryValueThatIsLeftMayMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 400).Draw(t, "values")
		left, runs, before := map[predicate.Value]bool{}, 0, false
		for i := range n {
			is := rapid.Bool().Draw(t, "left")
			left[predicate.IntValue(i)] = is
			if is && !before {
				runs++
			}
			before = is
		}
		p := survival{spans: runsOf(left)}.on("c")
		for v, is := range left {
			matches := prune.MayMatch(p, func(table.Column) (prune.Bounds, bool) { return prune.Bounds{Min: v, Max: v, Rows: 1}, true })
			if is && !matches || !is && matches && p != nil && runs <= maxSpans {
				t.Fatalf("%d is left: %t, matches: %t by %s", v.I, is, matches, p.Shape())
			}
		}
	})
}
