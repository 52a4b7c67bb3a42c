package plan

import (
	"fmt"
	"slices"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Harm is what later queries say of the keys a table was given: they read more than they would
// have by the layout before.
type Harm struct {
	Before     layout.Layout `json:"before"`
	Executions int64         `json:"executions"` // scans of later queries
	Would      unit.Bytes    `json:"would_bytes"`
	Read       unit.Bytes    `json:"read_bytes"`
	Version    int64         `json:"version"`       // that the step committed
	Later      bool          `json:"later_commits"` // others have written since
	// Back is the way of a table that had no keys back to its files of before; Closed says why
	// there is none.
	Back   *Back  `json:"back,omitempty"`
	Closed string `json:"closed,omitempty"`
}

// String says what happened.
func (h Harm) String() string {
	return fmt.Sprintf("since it was laid so, %d scans read %s instead of %s by %s", h.Executions, h.Read, h.Would, h.Before)
}

// offered are the layouts that are weighed for a table: by the paper's constant one key each,
// and for a table that was harmed its keys of before, alone where layouts are not chosen anew.
func (in Input) offered(t TableInput, keys []table.Column) []layout.Layout {
	var list []layout.Layout
	if in.Trigger.Fired {
		list = curves(keys, in.curve(t))
	}
	list = slices.DeleteFunc(list, func(l layout.Layout) bool { return !makable(t.Snapshot, l) })
	if in.Settings.Estimator == ByConstant {
		list = slices.DeleteFunc(list, func(l layout.Layout) bool { return len(l.Clustering) > 1 })
	}
	if back, ok := in.back(t); ok && !slices.ContainsFunc(list, func(l layout.Layout) bool { return layout.SameKeys(within(t.Snapshot, l), back) }) {
		list = append(list, back)
	}
	return list
}

// back is the layout that a harmed table may go back to; ok is false where it has no keys, or
// none that can be laid by any more.
func (in Input) back(t TableInput) (l layout.Layout, ok bool) {
	if t.Harmed == nil {
		return layout.Layout{}, false
	}
	return t.Harmed.Before, noWayBack(t) == ""
}

// noWayBack says why a harmed table cannot be laid by its keys of before; empty where it can.
func noWayBack(t TableInput) string {
	before := t.Harmed.Before
	switch {
	case len(before.Clustering) == 0 && t.Harmed.Closed != "":
		return "it had no keys to go back to, and its files of before cannot come back: " + t.Harmed.Closed
	case len(before.Clustering) == 0 && t.Harmed.Later:
		return fmt.Sprintf("it had no keys to go back to, and %s would lose what was written since", rewinding(t.Snapshot))
	case len(before.Clustering) == 0 && t.Snapshot.Format == lake.Iceberg:
		return "it had no keys to go back to; rollback_to_snapshot would undo it while nothing else is written"
	case len(before.Clustering) == 0:
		return fmt.Sprintf("it had no keys to go back to; RESTORE to version %d would undo it while nothing else is written", t.Harmed.Version-1)
	case !slices.Equal(before.Partition, t.Snapshot.Layout.Partition):
		return fmt.Sprintf("it was partitioned by (%s) then; ajlo rollback takes the run back", columnsOf(before.Partition))
	case before.Order == layout.LearntCuts && before.Tree == nil:
		return "the cut points of before are not known"
	}
	for _, c := range before.Clustering {
		if reason := unfit(t.Snapshot, c); reason != "" {
			return fmt.Sprintf("its key %s of before: %s", c, reason)
		}
	}
	return ""
}

// rewinding is the statement that takes a table back to an earlier version.
func rewinding(s lake.Snapshot) string { return Settings{}.can(s).Undo }

// returning reports whether a table goes back by its files of before.
func (t Table) returning() bool {
	return t.Harm != nil && t.Harm.Back != nil && len(t.Harm.Before.Clustering) == 0 && layout.SameKeys(t.Chosen, t.Harm.Before)
}

// putBack has a harmed table that had no keys go back to its files of before, unless another
// layout was chosen: nothing is rewritten for it.
func (in Input) putBack(w *weighed) {
	h, t := w.input.Harmed, &w.table
	if h == nil || h.Back == nil || len(h.Before.Clustering) > 0 || !in.open(*w) || !layout.SameKeys(t.Chosen, t.Current) {
		return
	}
	t.Chosen, t.Rewrite = h.Before, 0
	t.ScannedBytesThen = unit.Bytes(float64(t.ScannedBytesNow) * float64(h.Would) / float64(max(h.Read, 1)))
	t.Reason = putBackReason(*h.Back)
	t.Candidates = append(t.Candidates, Candidate{
		Layout: h.Before, Bytes: t.Bytes, ScannedBytes: t.ScannedBytesThen, Losers: []string{}, Gains: t.ScannedBytesNow - t.ScannedBytesThen,
		NPV: in.Settings.npv(t.ScannedBytesNow-t.ScannedBytesThen, 0), Reason: "chosen: " + t.Reason,
	})
	t.Candidates[0].Reason = "not kept: " + t.Reason
}

// tellHarm adds to a table's reason what became of its harm.
func (in Input) tellHarm(w *weighed) {
	h := w.input.Harmed
	if h == nil {
		return
	}
	w.table.Harm = h
	switch none := noWayBack(w.input); {
	case layout.SameKeys(w.table.Chosen, h.Before):
		w.table.Reason = fmt.Sprintf("goes back: %s; %s", h, w.table.Reason)
	case !layout.SameKeys(w.table.Chosen, w.table.Current):
		w.table.Reason = fmt.Sprintf("%s; so it goes on: %s", h, w.table.Reason)
	case none != "":
		w.table.Reason = fmt.Sprintf("harmed: %s; not undone: %s", h, none)
	default:
		w.table.Reason = fmt.Sprintf("harmed: %s; not undone: %s", h, w.table.Reason)
	}
}
