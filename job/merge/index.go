package merge

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/rewrite"
)

// noRow is no row of the source; an empty entry stands for it.
const noRow = -1

// index finds rows of the source by their keys. It holds numbers of rows, not keys, since the source
// may be larger than memory.
type index struct {
	seed  maphash.Seed
	table []entry        // of as many places as a power of two; a key is at its hash's or after it
	next  []int32        // of each row, the next one with its key, noRow after the last; nil where no two have one
	keys  []rewrite.Keys // of each chunk
	reach []reach        // of each column of the key
}

// entry is a key: its first row, counted from one.
type entry struct {
	hash uint32
	row  int32
}

// makeIndex refuses a source of more rows than can be numbered.
func (s *source) makeIndex(r Request, t *target) error {
	x := &s.index
	*x = index{seed: maphash.MakeSeed(), reach: make([]reach, len(t.on))}
	x.table = make([]entry, 1<<bits.Len(uint(s.count())*3/2))
	for _, chunk := range s.chunks {
		key := make([]arrow.Array, len(t.on))
		for k, c := range t.on {
			key[k] = chunk[c]
		}
		keys, err := rewrite.ViewKeys(key)
		if err == nil {
			err = x.note(key, keys, t)
		}
		if err != nil {
			return r.refuse("the source: %v", err)
		}
		x.keys = append(x.keys, keys)
	}
	for k := range x.reach {
		x.reach[k].settle()
	}
	var key []byte
	for row := s.count() - 1; row >= 0; row-- { // the first of a key is found first
		key = x.add(s, int32(row), key)
	}
	return nil
}

// note keeps what the key's columns reach.
func (x *index) note(key []arrow.Array, keys rewrite.Keys, t *target) error {
	var room []byte
	for i := range key[0].Len() {
		var ok bool
		if room, ok = keys.Append(room[:0], i); !ok {
			continue // it matches nothing
		}
		for k, c := range t.on {
			v, ok, err := delta.ValueOf(key[k], i, t.schema[c].Type)
			if err != nil {
				return err
			}
			x.reach[k].take(v, ok)
		}
	}
	return nil
}

// add puts a row before those of its key.
func (x *index) add(s *source, row int32, room []byte) []byte {
	at := s.pick(row)
	keys := x.keys[at.Chunk-1]
	key, ok := keys.Append(room[:0], int(at.Row))
	if !ok {
		return key
	}
	hash := x.hash(key)
	e := x.place(s, keys, int(at.Row), hash)
	if e.row != 0 {
		x.chain(s.count(), row, e.row-1)
	}
	*e = entry{hash, row + 1}
	return key
}

func (x *index) hash(key []byte) uint32 { return uint32(maphash.Bytes(x.seed, key)) }

// place is the entry of a key, or an empty one for it, whose row is 0.
func (x *index) place(s *source, keys rewrite.Keys, i int, hash uint32) *entry {
	for n := hash; ; n++ {
		e := &x.table[int(n)&(len(x.table)-1)]
		if e.row == 0 {
			return e
		}
		if e.hash != hash {
			continue
		}
		if at := s.pick(e.row - 1); keys.Same(i, x.keys[at.Chunk-1], int(at.Row)) {
			return e
		}
	}
}

func (x *index) chain(rows int, row, after int32) {
	if x.next == nil {
		x.next = make([]int32, rows)
		for i := range x.next {
			x.next[i] = noRow
		}
	}
	x.next[row] = after
}

// after is the next row with the key of a row.
func (x *index) after(row int32) int32 {
	if x.next == nil {
		return noRow
	}
	return x.next[row]
}

// find gives the first row of the source with the key of row i of other columns of the same types,
// noRow where there is none. The key is room for it, which is given back.
func (s *source) find(keys rewrite.Keys, i int, room []byte) (int32, []byte) {
	x := &s.index
	key, ok := keys.Append(room[:0], i)
	if !ok {
		return noRow, key
	}
	return x.place(s, keys, i, x.hash(key)).row - 1, key
}

// mayBeIn reports whether a file with the given bounds of the key's columns could hold a row that
// matches. Bounds that are not known hold anything.
func (x *index) mayBeIn(bounds []prune.Bounds) bool {
	for k, b := range bounds {
		if !x.reach[k].meets(b) {
			return false
		}
	}
	return true
}

// mostSpans are kept of a column: far more than tables have files beside each other, 5 MB.
const mostSpans = 64 << 10

// reach is where a column of the source has values: single ones, and where they are many, spans
// from one to another.
type reach struct {
	low, high []predicate.Value
	// anywhere is true where the type has no values to compare with bounds, or there is a NaN,
	// which is in no bounds of some writers.
	anywhere bool
}

func (r *reach) take(v predicate.Value, ok bool) {
	if r.anywhere = r.anywhere || !ok || v.Kind == predicate.Float && math.IsNaN(v.F); r.anywhere {
		r.low, r.high = nil, nil
		return
	}
	if r.low, r.high = append(r.low, v), append(r.high, v); len(r.low) >= 2*mostSpans {
		r.settle()
	}
}

// settle puts spans in order, joins those that meet, and neighbours where they are too many.
func (r *reach) settle() {
	r.low, r.high = joined(r.low, r.high)
	for len(r.low) > mostSpans {
		n := 0
		for i := 0; i < len(r.low); i += 2 {
			r.low[n], r.high[n] = r.low[i], r.high[min(i+1, len(r.high)-1)]
			n++
		}
		r.low, r.high = r.low[:n], r.high[:n]
	}
}

func (r *reach) meets(b prune.Bounds) bool { return r.anywhere || prune.HoldsAnyOf(b, r.low, r.high) }
