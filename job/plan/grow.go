package plan

import (
	"cmp"
	"fmt"
	"slices"

	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// grownFrom is how many layouts of each number of keys are tried with one more: the best few
// of the pairs nearly always hold the best of the larger sets, and all sets of four out of
// eight keys would take as long again for each table.
const grownFrom = 3

// grow weighs sets of three and four keys, each made of a good one of a key less.
func (in Input) grow(w *weighed, keys []table.Column) error {
	for size := 2; size < in.Settings.can(w.input.Snapshot).MaxKeys; size++ {
		for _, parent := range w.best(size, grownFrom) {
			for _, key := range keys {
				l := layout.ClusteredBy(in.curve(w.input), append(slices.Clone(parent.Clustering), key)...)
				if slices.Contains(parent.Clustering, key) || w.has(l) || !makable(w.input.Snapshot, l) {
					continue
				}
				if err := in.try(w, l); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// best gives the curves of so many keys that read least.
func (w weighed) best(keys, most int) []layout.Layout {
	var found []Candidate
	for _, c := range w.table.Candidates[1:] {
		if len(c.Layout.Clustering) == keys && !c.Refused && c.Layout.Order != layout.LearntCuts {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b Candidate) int { return cmp.Compare(a.ScannedBytes, b.ScannedBytes) })
	var list []layout.Layout
	for _, c := range found[:min(most, len(found))] {
		list = append(list, c.Layout)
	}
	return list
}

// has reports whether a layout of these keys was weighed, or is the table's own.
func (w weighed) has(l layout.Layout) bool {
	l = within(w.input.Snapshot, l)
	return slices.ContainsFunc(w.table.Candidates, func(c Candidate) bool { return layout.SameKeys(c.Layout, l) })
}

// try weighs one layout.
func (in Input) try(w *weighed, l layout.Layout) error {
	if err := in.weighLayout(w, within(w.input.Snapshot, l)); err != nil {
		return fmt.Errorf("plan: %s by %s: %w", w.table.Table, l, err)
	}
	return nil
}

// least is what is read under the weighed layout that reads least, and that layout; ok is
// false where none was weighed.
func (w weighed) least() (l layout.Layout, scanned unit.Bytes, ok bool) {
	for _, c := range w.table.Candidates[1:] {
		if !c.Refused && (!ok || c.ScannedBytes < scanned) {
			l, scanned, ok = c.Layout, c.ScannedBytes, true
		}
	}
	return l, scanned, ok
}
