package plan

import (
	"fmt"
	"slices"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// maxPartitionColumns bounds the columns that are tried as partitions of one table.
const maxPartitionColumns = 3

// weighPartitions weighs, as advice, what a table without partitions would read if it were
// partitioned by a column of few values that filters name, each part laid out by the curve of
// other columns that reads least. It is never chosen: a partitioned table is another table,
// which readers and writers have to be moved to (rule 5). Partitions smaller than a file are not
// tried, nor are values that a sketch made up.
func (in Input) weighPartitions(w *weighed, keys []table.Column) error {
	s := w.input.Snapshot
	curve, scanned, ok := w.least()
	if !ok || in.Sketched || s.Format != lake.Delta || len(s.Layout.Partition) > 0 {
		return nil
	}
	tried := 0
	_, scans := filters(w.what.reads)
	for _, c := range keys {
		if scans[c] == 0 || tried == maxPartitionColumns {
			continue
		}
		values, few := w.input.Sample.Distinct(c, w.what.files)
		l, ok := w.inside(c)
		if !few || !ok {
			continue
		}
		tried++
		if err := in.weighLayout(w, l); err != nil {
			return fmt.Errorf("plan: %s by %s: %w", w.table.Table, l, err)
		}
		advice := &w.table.Candidates[len(w.table.Candidates)-1]
		if advice.ScannedBytes >= scanned {
			advice.Reason = fmt.Sprintf("%d partitions read no less than %s", values, curve)
			continue
		}
		advice.Reason = fmt.Sprintf("advice alone: %d partitions would read %s a window less than %s; a partitioned table is another table, which ajlo does not put in this one's place",
			values, scanned-advice.ScannedBytes, curve)
	}
	return nil
}

// inside is the curve that reads least, without the column and inside partitions by it; ok is
// false where no curve has other keys: by the column alone, sorting leaves unread what
// partitions would.
func (w weighed) inside(c table.Column) (l layout.Layout, ok bool) {
	scanned := unit.Bytes(0)
	for _, tried := range w.table.Candidates[1:] {
		others := slices.DeleteFunc(slices.Clone(tried.Layout.Clustering), func(key table.Column) bool { return key == c })
		if tried.Refused || len(others) == 0 || len(tried.Layout.Partition) > 0 || tried.Layout.Order == layout.LearntCuts || ok && tried.ScannedBytes >= scanned {
			continue
		}
		l, scanned, ok = layout.ClusteredBy(tried.Layout.Order, others...), tried.ScannedBytes, true
	}
	l.Partition = []table.Column{c}
	return l, ok
}
