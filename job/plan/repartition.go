package plan

import (
	"fmt"
	"slices"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// unpartedFrom is how many layouts inside partitions are tried without those: the best of them
// nearly always have the keys of the best without.
const unpartedFrom = 3

// weighUnparted weighs what a partitioned Delta table would read without partitions, laid out by its
// partition columns and the keys that are best inside them, or by those keys alone. It is chosen
// only where partition columns may be changed, and advice elsewhere.
func (in Input) weighUnparted(w *weighed) error {
	s := w.input.Snapshot
	if len(s.Layout.Partition) == 0 || in.Sketched || s.Format != lake.Delta {
		return nil
	}
	best, scanned := s.Layout, w.table.ScannedBytesNow
	if l, least, ok := w.least(); ok && least < scanned {
		best, scanned = l, least
	}
	beside := door{best, scanned, in.partitionsStay(*w)}
	for _, l := range in.unparted(*w) {
		if err := in.weighLayout(w, l); err != nil {
			return fmt.Errorf("plan: %s by %s: %w", w.table.Table, l, err)
		}
		beside.judge(w, "without partitions it", "reads")
	}
	return nil
}

// doorGain is the part of what a table is read for by its best layout that other partition columns
// have to spare beyond it: others have to be told of them.
const doorGain = 0.1

// door is what layouts with other partition columns are held against.
type door struct {
	best    layout.Layout // with the partition columns of now
	scanned unit.Bytes    // by it
	stay    string        // why partition columns may not be changed; empty where they may
}

// judge says of the layout that was weighed last why it is not chosen, if it is not: it, as in "7
// partitions", and how that reads.
func (d door) judge(w *weighed, it, reads string) {
	c := &w.table.Candidates[len(w.table.Candidates)-1]
	switch spared := d.scanned - c.ScannedBytes; {
	case spared <= 0:
		c.Reason = fmt.Sprintf("%s %s no less than %s", it, reads, d.best)
	case d.stay != "":
		c.Reason = fmt.Sprintf("advice alone: %s would read %s a window less than %s; %s", it, spared, d.best, d.stay)
	case float64(c.ScannedBytes) > (1-doorGain)*float64(d.scanned):
		c.Reason = fmt.Sprintf("%s %s %s a window less than %s, under a tenth: too little for a one-way door", it, reads, spared, d.best)
	}
}

// unparted are layouts without the table's partitions.
func (in Input) unparted(w weighed) (list []layout.Layout) {
	parts := w.input.Snapshot.Layout.Partition
	for _, keys := range append(w.keysInside(unpartedFrom), nil) {
		for _, all := range [][]table.Column{union(parts, keys), keys} {
			order := in.curve(w.input)
			if len(all) == 1 {
				order = layout.Sort
			}
			l := layout.ClusteredBy(order, all...)
			known := func(o layout.Layout) bool { return layout.SameKeys(l, o) }
			if len(all) > 0 && len(all) <= in.Settings.can(w.input.Snapshot).MaxKeys && w.orders(all) && !slices.ContainsFunc(list, known) {
				list = append(list, l)
			}
		}
	}
	return list
}

// keysInside are the keys of the layouts that read least inside the table's partitions.
func (w weighed) keysInside(most int) (list [][]table.Column) {
	var found []Candidate
	for _, c := range w.table.Candidates[1:] {
		if !c.Refused && len(c.Layout.Clustering) > 0 {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b Candidate) int { return int(a.ScannedBytes - b.ScannedBytes) })
	for _, c := range found[:min(most, len(found))] {
		list = append(list, c.Layout.Clustering)
	}
	return list
}

// orders reports whether rows can be ordered by columns, all of which are sampled.
func (w weighed) orders(columns []table.Column) bool {
	return !slices.ContainsFunc(columns, func(c table.Column) bool {
		column, known := w.input.Snapshot.Column(c)
		return !known || !orderable(column.Type) || !slices.Contains(w.input.Sample.Columns, c)
	})
}

// partsAlone are columns that filters name and that are no keys since files keep no bounds of them
// that prune, as of booleans and texts with a long start in common: partitions by them do. There are
// none where partition columns may not be changed.
func (in Input) partsAlone(t TableInput, rs []read) (columns []table.Column) {
	s := t.Snapshot
	if !in.Settings.Repartition || in.Settings.Engine != EmbeddedEngine || s.Format != lake.Delta || len(s.Layout.Partition) > 0 {
		return nil
	}
	named, _ := filters(rs)
	for _, c := range named {
		if unfit(s, c) != "" && partitionable(s, c) && sampleable(s, c) {
			columns = append(columns, c)
		}
	}
	return columns
}

// partitionsStay says why a table's partition columns may not be changed; empty where they may.
func (in Input) partitionsStay(w weighed) string {
	s := w.input.Snapshot
	switch {
	case in.Settings.Engine != EmbeddedEngine:
		return "to change partition columns takes the embedded engine: by statements of Spark an append that is made meanwhile would be lost"
	case !in.Settings.Repartition:
		return "to change partition columns takes leave (allow: {repartition: true})"
	case w.table.Streaming:
		return "a streaming writer is at work on the table"
	case delta.Metadata{Configuration: s.Properties}.ChangeFeed():
		return "readers of its change data feed would read files of before by the new partition columns"
	case w.what.writing.overwrites:
		return "the window overwrites it: a writer that does so partition by partition would overwrite other rows"
	}
	for _, c := range s.Layout.Partition {
		if !partitionable(s, c) {
			return fmt.Sprintf("values of %s are not spelled in one way as a partition's", c)
		}
	}
	return ""
}

func partitionable(s lake.Snapshot, c table.Column) bool {
	column, known := s.Column(c)
	kind, err := delta.ParseType(column.Type)
	return known && err == nil && kind.Partitionable()
}

// emptyText reports whether the sample has an empty text in a column, which a partition takes for NULL.
func emptyText(s lake.Sample, c table.Column) bool {
	at := slices.Index(s.Columns, c)
	return at >= 0 && slices.Contains(s.Values[at], predicate.StringValue(""))
}

// reparts reports whether a table gets other partition columns.
func (t Table) reparts() bool {
	return t.Format != lake.Iceberg && !layout.SameKeys(layout.Layout{Partition: t.Chosen.Partition}, layout.Layout{Partition: t.Current.Partition})
}

// givenUp says what a change of partition columns takes from those who read and write the table.
func givenUp(t Table) string {
	if !t.reparts() {
		return ""
	}
	text := fmt.Sprintf("; a one-way door for others: its partition columns become (%s): streams that read it stop (DELTA_SCHEMA_CHANGED) and want a new checkpoint, ", columnsOf(t.Chosen.Partition))
	if len(t.Chosen.Partition) > 0 {
		return text + "and INSERT OVERWRITE with partitionOverwriteMode=dynamic would replace the rows of some partitions only"
	}
	return text + fmt.Sprintf("writers that name (%s) as its partitions are refused, DELETE by partition rewrites files where it dropped them, and INSERT OVERWRITE with partitionOverwriteMode=dynamic would replace all rows",
		columnsOf(t.Current.Partition))
}

func columnsOf(list []table.Column) string { return strings.Join(table.Texts(list), ", ") }
