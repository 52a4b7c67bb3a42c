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
	removed   int64                // files that it removed, −1 where nothing says
	// rewrote is how many bytes of those files it wrote again, and least how many of them hold
	// rows that it meant: files with these are written again whatever the layout, while a layout
	// spares those that are only copied. −1 and 0 where the table's history does not say.
	rewrote, least unit.Bytes
}

// writing is what the window's queries did to a table.
type writing struct {
	changes []change
	// appended is how many bytes were added; where only a log counted files, about how many, by
	// the mean size of the table's.
	appended unit.Bytes
	// overwrites is true where some query put rows in the place of others without saying which.
	overwrites bool
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
				w.changes = append(w.changes, changeOf(made, targetPredicate(t, q)))
			case fact.Overwrite:
				w.overwrites = true
			case fact.Append:
				w.appended += appendedBy(made, mean)
			}
		}
	}
	return w
}

// changeOf takes what a write touched from the table's history where that tells.
func changeOf(w fact.Write, p *predicate.Predicate) change {
	c := change{predicate: p, keys: w.Keys, removed: measured(w.FilesRemoved), rewrote: -1}
	t := w.Touched
	if t == nil {
		return c
	}
	c.removed = t.FilesRemoved
	if t.BytesRemoved == nil {
		return c
	}
	c.rewrote = *t.BytesRemoved
	if t.RowsCopied == nil {
		return c
	}
	updated, deleted := max(0, measured(t.RowsUpdated)), max(0, measured(t.RowsDeleted))
	if rows := *t.RowsCopied + updated + deleted; rows > 0 {
		c.rewrote = part(*t.BytesRemoved, *t.RowsCopied+updated, rows)
		c.least = part(*t.BytesRemoved, updated, rows)
	}
	return c
}

func part(b unit.Bytes, n, of int64) unit.Bytes {
	return unit.Bytes(float64(b) * float64(n) / float64(of))
}

func appendedBy(w fact.Write, meanFile unit.Bytes) unit.Bytes {
	if w.Touched != nil {
		return w.Touched.BytesAdded
	}
	return meanFile * unit.Bytes(max(0, measured(w.FilesAdded)))
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
// did of the present ones, where something says how much that was. A MERGE without constants
// touches files by its keys: as many more or fewer as a look-up of one key reads.
func (w whatIf) written(laid files) (total unit.Bytes) {
	for _, c := range w.writing.changes {
		total += max(min(c.least, w.bytes), unit.Bytes(w.touched(c, laid)*float64(laid.readBytes(c.predicate))))
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
	if read := w.present.readBytes(c.predicate); c.rewrote >= 0 && read > 0 {
		share = float64(c.rewrote) / float64(read)
	}
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
	if (owner == delta.OwnerUser || owner == delta.OwnerPlatform) && w.maker != layout.IcebergBytes {
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
