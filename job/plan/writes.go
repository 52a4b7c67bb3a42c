package plan

import (
	"slices"

	"ajlo/job/delta"
	"ajlo/job/fact"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// change is one MERGE, UPDATE or DELETE of a table in the window.
type change struct {
	predicate *predicate.Predicate // that reached the scan of the table
	keys      []table.Column       // that a MERGE compares
	removed   int64                // files that it removed, −1 where the log does not say
}

// writing is what the window's queries did to a table.
type writing struct {
	changes []change
	// appended is about how many bytes were added, by the mean size of the table's files.
	appended unit.Bytes
}

// writes collects what the succeeded queries of the window did to one table.
func writes(t TableInput, queries []fact.Query) (w writing) {
	mean := t.Snapshot.Bytes() / unit.Bytes(max(1, len(t.Snapshot.Files)))
	for _, q := range queries {
		for _, made := range q.Writes {
			if q.Status != fact.Succeeded || !t.scannedAs(made.Table) {
				continue
			}
			switch made.Operation {
			case fact.Merge, fact.Update, fact.Delete:
				w.changes = append(w.changes, change{predicate: targetPredicate(t, q), keys: made.Keys, removed: measured(made.FilesRemoved)})
			case fact.Append:
				w.appended += mean * unit.Bytes(max(0, measured(made.FilesAdded)))
			}
		}
	}
	return w
}

func measured(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

// targetPredicate is the narrowest predicate with which a query scanned the table it changed.
func targetPredicate(t TableInput, q fact.Query) (narrowest *predicate.Predicate) {
	for _, s := range q.Scans {
		if s.Predicate != nil && t.scannedAs(s.Table) && (narrowest == nil || len(s.Predicate.Conjuncts()) > len(narrowest.Conjuncts())) {
			narrowest = s.Predicate
		}
	}
	return narrowest
}

// written is what the changes would rewrite of files laid otherwise. The files whose bounds
// meet a change's predicate are those it may touch; of them it touches as large a part as it
// did of the present ones, where the log says how many it removed. A MERGE without constants
// touches files by its keys: as many more or fewer as a look-up of one key reads.
func (w whatIf) written(laid files) (total unit.Bytes) {
	for _, c := range w.writing.changes {
		total += unit.Bytes(w.touched(c, laid) * float64(laid.readBytes(c.predicate)))
	}
	return total
}

// touched is the part of the files meeting a change's predicate that the change rewrites, 0
// to 1.
func (w whatIf) touched(c change, laid files) float64 {
	meeting := w.present.reading(c.predicate)
	if c.removed < 0 || meeting == 0 {
		return 1
	}
	share := float64(c.removed) / float64(meeting)
	for _, key := range c.keys {
		now, okNow := prune.OverlapOf(w.present.boundsOf(key))
		then, okThen := prune.OverlapOf(laid.boundsOf(key))
		if okNow && okThen && now.LookupShare > 0 && meeting == int64(w.present.n) {
			share *= then.LookupShare / now.LookupShare
			break
		}
	}
	return min(1, share)
}

// reading counts the files that a scan with the predicate opens.
func (f files) reading(p *predicate.Predicate) (n int64) {
	for i := range f.n {
		if prune.MayMatch(p, f.bound(i)) {
			n++
		}
	}
	return n
}

func (f files) boundsOf(c table.Column) []prune.Bounds {
	bounds := make([]prune.Bounds, f.n)
	for i := range bounds {
		b, ok := f.bound(i)(c)
		if !ok {
			b = prune.Bounds{Nulls: -1, Rows: -1}
		}
		bounds[i] = b
	}
	return bounds
}

// openCube is how large a cube of Delta's clustering grows before OPTIMIZE leaves it alone
// (spark.databricks.io.skipping.mdc.minCubeSize, 100 GiB): until then whatever is appended has
// the whole of it rewritten.
const openCube = 100 * unit.GiB

// upkeep is what the window's appends make the next upkeep rewrite under a layout: Delta's
// OPTIMIZE on Spark the open cube whole, the embedded engine what was appended.
func (w whatIf) upkeep(by layout.Maker, l layout.Layout) unit.Bytes {
	switch {
	case w.writing.appended == 0 || l.Order == layout.None:
		return 0
	case by == layout.DeltaRanges:
		return min(w.bytes, openCube) + w.writing.appended
	}
	return w.writing.appended
}

// makerOf is how the present layout is kept up: as its owner's engine does.
func (w whatIf) makerOf(owner string) layout.Maker {
	if owner == delta.OwnerUser && w.maker != layout.IcebergBytes {
		return layout.DeltaRanges
	}
	return w.maker
}

// columnsOfChanges are those that the changes go by.
func (w writing) columnsOfChanges() (columns []table.Column) {
	for _, c := range w.changes {
		for _, key := range slices.Concat(c.keys, predicateColumns([]read{{predicate: c.predicate}})) {
			if !slices.Contains(columns, key) {
				columns = append(columns, key)
			}
		}
	}
	return columns
}
