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

// weighPartitions weighs what a table without partitions would read if it were partitioned by a
// column of few values that filters name, each part laid out by the curve of other columns that
// reads least. It is chosen only where partition columns may be changed (rule 5), and advice
// elsewhere. Partitions smaller than a file are not tried, nor are values that a sketch made up.
func (in Input) weighPartitions(w *weighed, keys []table.Column) error {
	s := w.input.Snapshot
	curve, scanned, ok := w.least()
	if !ok || in.Sketched || s.Format != lake.Delta || len(s.Layout.Partition) > 0 {
		return nil
	}
	tried, beside := 0, door{curve, scanned, in.partitionsStay(*w)}
	_, scans := filters(w.what.reads)
	for _, c := range union(keys, w.what.partsAlone) {
		if scans[c] == 0 || tried == maxPartitionColumns || !partitionable(s, c) || emptyText(w.input.Sample, c) {
			continue
		}
		values, few := w.input.Sample.Distinct(c, min(w.what.files, layout.MaxPartitions))
		l, ok := w.inside(c)
		if !few || !ok {
			continue
		}
		tried++
		if err := in.weighLayout(w, l); err != nil {
			return fmt.Errorf("plan: %s by %s: %w", w.table.Table, l, err)
		}
		beside.judge(w, fmt.Sprintf("%d partitions", values), "read")
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
	if len(l.Clustering) == 1 {
		l.Order = layout.Sort
	}
	l.Partition = []table.Column{c}
	return l, ok
}
