package state

import (
	"strings"
	"testing"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
)

// Learnt cut points are literals: of all that a run records they stand in the plan's own text
// alone, from where a table that goes back to its keys of before gets them (rule 9).
func TestRule9CutPointsStandInThePlanAlone(t *testing.T) {
	const mark = "SECRET-CUT-42"
	s, _ := newStore(t)
	cuts := layout.ClusteredBy(layout.LearntCuts, "l_shipmode")
	cuts.Tree = &layout.Tree{Column: "l_shipmode", Cut: predicate.StringValue(mark)}
	cuts.Cuts = cuts.Tree.Hash()
	p := decided(1)
	p.Tables[0].Current, p.Tables[0].Chosen, p.Tables[0].Candidates[1].Layout, p.Steps[0].Layout = cuts, cuts, cuts, cuts
	r := begin(t, s, beginning("r1", 1))
	must(t, r.RecordGraph(t.Context(), graph(1)))
	must(t, r.RecordSnapshots(t.Context(), []lake.Snapshot{{Table: "tpch.lineitem", Location: "/lake/lineitem", Layout: cuts}}))
	recordThis(t, r, p)
	for _, column := range []string{"snapshots.layout", "plan_tables.current", "plan_tables.chosen", "candidates.layout", "steps.layout", "plans.json"} {
		from, name, _ := strings.Cut(column, ".")
		var rows, marked int
		query := "SELECT count(*), count(*) FILTER (WHERE instr(" + name + ", ?) > 0) FROM " + from
		must(t, s.db.QueryRowContext(t.Context(), query, mark).Scan(&rows, &marked))
		if rows == 0 || (marked > 0) != (column == "plans.json") {
			t.Errorf("%s: %d of %d rows hold a cut point", column, marked, rows)
		}
	}
	must(t, applyStep(t.Context(), r, 0, "/lake/lineitem"))
	must(t, r.KeepBounds(t.Context(), 0, before("r1")))
	finish(t, r, AppliedInPart)
	kept, err := s.Kept(t.Context(), night(2).End)
	must(t, err)
	if len(kept) != 1 || kept[0].Before.Tree == nil || kept[0].Before.Tree.Cut.S != mark {
		t.Errorf("kept %+v, want the cut points of before", kept)
	}
}
