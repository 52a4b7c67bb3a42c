package rewrite

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/layout"
)

// bucket is rows that are sorted and written together: at lists them in the table's order.
type bucket struct {
	pieces []piece
	at     []place
}

// load brings a bucket into memory and puts its rows in order.
func (d *distributed) load(number int) (bucket, error) {
	b := bucket{pieces: d.held.pieces}
	if d.spill == nil {
		b.at = d.heldAt[d.heldStarts[number]:d.heldStarts[number+1]]
	} else {
		var err error
		if b.pieces, err = d.spill.get(number); err != nil {
			return bucket{}, err
		}
		for chunk, p := range b.pieces {
			for row := range p.places {
				b.at = append(b.at, place{uint32(chunk), uint32(row)})
			}
		}
	}
	b.sort()
	return b, b.untie(d.arrangement, d.keys)
}

// sort is by place and then by ordinal.
func (b *bucket) sort() {
	rows := make([]uint32, len(b.at))
	keys := make([]uint64, len(b.at))
	for i, at := range b.at {
		rows[i], keys[i] = uint32(i), b.pieces[at.chunk].ordinals[at.row]
	}
	if !slices.IsSorted(keys) {
		rows = layout.SortByPlace(keys, rows)
		keys = make([]uint64, len(b.at))
	}
	for i, row := range rows {
		at := b.at[row]
		keys[i] = b.pieces[at.chunk].places[at.row]
	}
	rows = layout.SortByPlace(keys, rows)
	sorted := make([]place, len(b.at))
	for i, row := range rows {
		sorted[i] = b.at[row]
	}
	b.at = sorted
}

// untie sorts rows of one place whose keys the place does not tell apart.
func (b *bucket) untie(a *arrangement, keys []int) error {
	if !a.sort {
		return nil
	}
	views := make([][]keyView, len(b.pieces))
	for i, p := range b.pieces {
		views[i] = make([]keyView, len(keys))
		for k, column := range keys {
			var err error
			if views[i][k], err = viewKey(p.columns[column]); err != nil {
				return err
			}
		}
	}
	compare := func(x, y place) int {
		for k := range keys {
			if c := compareKeys(views[x.chunk][k], int(x.row), views[y.chunk][k], int(y.row)); c != 0 {
				return c
			}
		}
		return 0
	}
	for start := 0; start < len(b.at); {
		place, end := b.placeAt(start), start+1
		for end < len(b.at) && b.placeAt(end) == place {
			end++
		}
		if end-start > 1 && a.tied(place) {
			slices.SortStableFunc(b.at[start:end], compare)
		}
		start = end
	}
	return nil
}

func (b *bucket) placeAt(i int) uint64 { return b.pieces[b.at[i].chunk].places[b.at[i].row] }

// columns copies rows of the bucket, in order.
func (b *bucket) columns(schema *arrow.Schema, from, to int) ([]arrow.Array, error) {
	return gatherRows(schema, b.pieces, b.at[from:to])
}
