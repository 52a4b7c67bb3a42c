package merge

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
	"ajlo/job/rewrite"
)

const (
	// mostMarked rows may be deleted of a file by vector: it stands in the log, as up to five
	// characters for two rows, and delta.MostVector is the end of it.
	mostMarked = 16 << 10
	// markedContainers is the most containers of a vector, each of 65,536 rows of a file: they take
	// up to twelve bytes beside their rows.
	markedContainers = 1 << 10
	// markedShare of a file's rows, one part in so many, is the most that Auto deletes by vector:
	// each reader reads them all the same.
	markedShare = 10
)

// chooseMarked says which touched files get a deletion vector instead of being written anew.
func (d *decided) chooseMarked(r Request) error {
	d.settled.marked = make([]bool, len(d.decision.touched))
	takes := d.target.delta.TakesVectors()
	if r.Write == Vectors && !takes && r.alters() {
		return r.refuse("it takes no deletion vectors (delta.enableDeletionVectors): merge with --write copy")
	}
	for i, f := range d.decision.touched {
		if gone := f.changed(); takes && d.mayMark(r, f, gone) {
			d.settled.marked[i] = true
			d.decision.counts.Copied -= f.rows - gone
		}
	}
	return nil
}

func (d *decided) mayMark(r Request, f matches, gone int64) bool {
	add := d.target.delta.Files[f.file]
	live := add.Live()
	if live < 0 || live != f.rows || gone == f.rows { // a file without rows goes out
		return false
	}
	before := int64(0)
	if add.DeletionVector != nil {
		before = add.DeletionVector.Cardinality
	}
	switch {
	case before+gone > mostMarked || (before+live)>>16 >= markedContainers || r.Write == Copy:
		return false
	case r.Write == Vectors:
		return true
	}
	// Updated rows would leave their place.
	return !f.updates(d.rules) && (before+gone)*markedShare <= before+live
}

// mark deletes rows of a file by a vector, and puts what becomes of updated ones aside. Nothing is
// written.
func (p *secondPass) mark(ctx context.Context, number int, f matches) (revised, error) {
	add := p.target.delta.Files[f.file]
	deleted, err := delta.Deleted(ctx, p.target.store, add)
	if err != nil {
		return revised{}, err
	}
	places := f.leaving()
	if n, want := int64(places.GetCardinality()), f.changed(); n != want {
		return revised{}, fmt.Errorf("rule 1: %d rows of %s would be marked, not %d; nothing was committed", n, add.Path, want)
	}
	marked, err := delta.Mark(add, deleted, places)
	if err != nil {
		return revised{}, err
	}
	done := revised{file: f.file, marked: &marked}
	if f.updates(p.rules) {
		done.moved, err = p.move(ctx, number, f, add)
	}
	return done, err
}

// leaving are the places of rows that do not stay as they are.
func (m matches) leaving() *roaring64.Bitmap {
	leaving := roaring64.New()
	for _, place := range m.places {
		leaving.Add(uint64(place))
	}
	for _, places := range m.others {
		for it := places.Iterator(); it.HasNext(); {
			leaving.Add(uint64(it.Next()))
		}
	}
	return leaving
}

// move puts all updated rows of a file aside and gives their sum.
func (p *secondPass) move(ctx context.Context, number int, f matches, add delta.Add) (rewrite.RowSum, error) {
	e := &edit{secondPass: p, matches: f, add: add, number: uint64(number), leave: true}
	var failed error
	e.own(ctx, rewrite.Listed(add), func(_ []arrow.Array, err error) bool {
		failed = err
		return err == nil
	})
	want := int64(0)
	f.count(p.rules, func(rule int, rows int64) {
		if p.rules.all[rule].Action == Update {
			want += rows
		}
	})
	if failed == nil && (e.met != f.changed() || e.moved.Rows != want) {
		failed = fmt.Errorf("rule 1: %d rows of %s were put aside, not %d, and %d of %d changes were met; nothing was committed", e.moved.Rows, add.Path, want, e.met, f.changed())
	}
	return e.moved, failed
}
