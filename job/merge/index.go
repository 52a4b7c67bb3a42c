package merge

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/rewrite"
)

// noGroup is that of a row whose key has a NULL: it matches nothing.
const noGroup = -1

// noRow is no row of the source.
const noRow = -1

// index finds rows of the source by their keys. Rows of one key are a group.
type index struct {
	byKey map[string]int32
	group []int32 // of each row
	first []int32 // of each group, its first row
	last  []int32 // of each group
	next  []int32 // of each row, the next of its group; noRow after the last
	// values are, for each column of the key, those of all groups in their order; nil where the
	// type has no values to compare with bounds.
	values [][]predicate.Value
}

// makeIndex refuses a source of more rows than can be numbered.
func (s *source) makeIndex(r Request, t *target) error {
	if len(s.rows) > math.MaxInt32 {
		return r.refuse("the source has %d rows, more than ajlo merges at once: merge it in parts", len(s.rows))
	}
	s.index = index{byKey: map[string]int32{}, values: make([][]predicate.Value, len(t.on))}
	fields := make(delta.Schema, len(t.on))
	for k, c := range t.on {
		fields[k] = t.schema[c]
	}
	for _, chunk := range s.chunks {
		key := make([]arrow.Array, len(t.on))
		for k, c := range t.on {
			key[k] = chunk[c]
		}
		if err := s.index.add(key, fields); err != nil {
			return r.refuse("the source: %v", err)
		}
	}
	s.index.sort()
	return nil
}

// add numbers the rows of a chunk and puts them into groups.
func (x *index) add(columns []arrow.Array, fields delta.Schema) error {
	keys, err := rewrite.ViewKeys(columns)
	if err != nil {
		return err
	}
	var key []byte
	for i := range columns[0].Len() {
		row, ok := int32(len(x.group)), false
		x.next = append(x.next, noRow)
		if key, ok = keys.Append(key[:0], i); !ok {
			x.group = append(x.group, noGroup)
			continue
		}
		group, known := x.byKey[string(key)]
		if !known {
			group = int32(len(x.first))
			x.byKey[string(key)] = group
			x.first, x.last = append(x.first, row), append(x.last, row)
			if err := x.note(columns, fields, i); err != nil {
				return err
			}
		}
		if before := x.last[group]; before != row {
			x.next[before], x.last[group] = row, row
		}
		x.group = append(x.group, group)
	}
	return nil
}

// note keeps the values of a new group.
func (x *index) note(columns []arrow.Array, fields delta.Schema, row int) error {
	for k, column := range columns {
		v, ok, err := delta.ValueOf(column, row, fields[k].Type)
		if err != nil {
			return err
		}
		if ok {
			x.values[k] = append(x.values[k], v)
		}
	}
	return nil
}

// sort puts values in their order. NaN is in no bounds of some writers, so that a column with one
// excludes no file.
func (x *index) sort() {
	for k := range x.values {
		if slices.ContainsFunc(x.values[k], func(v predicate.Value) bool { return v.Kind == predicate.Float && math.IsNaN(v.F) }) {
			x.values[k] = nil
		}
		slices.SortFunc(x.values[k], predicate.Order)
		x.values[k] = slices.CompactFunc(x.values[k], func(a, b predicate.Value) bool { return predicate.Order(a, b) == 0 })
	}
}

// groups is how many keys there are.
func (x *index) groups() int { return len(x.first) }

// find gives the group of row i of other columns of the same types, noGroup where there is none.
// The key is room for it, which is given back.
func (x *index) find(keys rewrite.Keys, i int, key []byte) (int32, []byte) {
	key, ok := keys.Append(key[:0], i)
	if !ok {
		return noGroup, key
	}
	if group, known := x.byKey[string(key)]; known {
		return group, key
	}
	return noGroup, key
}

// mayBeIn reports whether a file with the given bounds of the key's columns could hold a row that
// matches. Bounds that are not known hold anything.
func (x *index) mayBeIn(bounds []prune.Bounds) bool {
	if x.groups() == 0 {
		return false
	}
	for k, b := range bounds {
		if len(x.values[k]) > 0 && !prune.HoldsAny(b, x.values[k]) {
			return false
		}
	}
	return true
}
