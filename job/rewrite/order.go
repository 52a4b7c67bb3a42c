package rewrite

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"ajlo/job/delta"
	"ajlo/job/layout"
)

// maxWordDigits is the decimal digits that always fit a signed 64-bit word.
const maxWordDigits = 18

// checkKey refuses columns that have no order.
func checkKey(schema delta.Schema, key string) (column int, err error) {
	for c, f := range schema {
		if f.Name != key {
			continue
		}
		switch f.Type.Kind {
		case delta.Struct, delta.Array, delta.Map, delta.Binary, delta.Other:
			return 0, fmt.Errorf("key column %q: rows cannot be ordered by %s", key, f.Type.Text)
		}
		return c, nil
	}
	return 0, fmt.Errorf("key column %q: the table has no such column", key)
}

// sequence gives the order in which the rows are to be written.
func (h *held) sequence(l layout.Layout) ([]int, error) {
	ranks := make([][]uint32, len(l.Clustering))
	for k, key := range l.Clustering {
		column, err := checkKey(h.schema, string(key))
		if err != nil {
			return nil, err
		}
		if ranks[k], err = ranksOf(h.chunks[column], h.rows()); err != nil {
			return nil, fmt.Errorf("key column %q: %w", key, err)
		}
	}
	return layout.Sequence(l.Order, ranks)
}

// ranksOf ranks a column: NULLs first, NaN above all numbers, −0.0 equal to 0.0, strings by
// their bytes, as Spark sorts.
func ranksOf(chunks []arrow.Array, rows int) ([]uint32, error) {
	if values, ok := bytesOf(chunks, rows); ok {
		return layout.Ranks(rows, func(i, j int) int { return compareNullable(values[i], values[j]) }), nil
	}
	if values, ok := longDecimals(chunks, rows); ok {
		return layout.Ranks(rows, func(i, j int) int { return bytes.Compare(values[i][:], values[j][:]) }), nil
	}
	keys, rowOf, err := wordsOf(chunks, rows)
	if err != nil {
		return nil, err
	}
	return placeNulls(layout.RanksOfKeys(keys), rowOf, rows), nil
}

// placeNulls spreads the ranks of the values over all rows: NULLs come first, share the
// middle of their places and move every value up by their number.
func placeNulls(ranks []uint32, rowOf []uint32, rows int) []uint32 {
	if len(ranks) == rows {
		return ranks
	}
	nulls := uint32(rows - len(ranks))
	all := slices.Repeat([]uint32{(nulls - 1) / 2}, rows)
	for i, row := range rowOf {
		all[row] = ranks[i] + nulls
	}
	return all
}

// bytesOf views strings without copying them; NULL is nil and an empty string is not.
func bytesOf(chunks []arrow.Array, rows int) ([][]byte, bool) {
	values := make([][]byte, 0, rows)
	for _, chunk := range chunks {
		if _, ok := chunk.(*array.String); !ok {
			return nil, false
		}
		apart := bytesChunks([]arrow.Array{chunk})[0]
		for i := range chunk.Len() {
			if chunk.IsNull(i) {
				values = append(values, nil)
				continue
			}
			v := apart.value(uint32(i))
			values = append(values, v[:len(v):len(v)])
		}
	}
	return values, len(chunks) > 0
}

func compareNullable(a, b []byte) int {
	if a == nil || b == nil {
		return btoi(a != nil) - btoi(b != nil)
	}
	return bytes.Compare(a, b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// longDecimals gives decimals that do not fit a word as 17 bytes that sort as they do, the
// first of which is 0 for NULL.
func longDecimals(chunks []arrow.Array, rows int) ([][17]byte, bool) {
	values := make([][17]byte, 0, rows)
	for _, chunk := range chunks {
		a, ok := chunk.(*array.Decimal128)
		if !ok || a.DataType().(*arrow.Decimal128Type).Precision <= maxWordDigits {
			return nil, false
		}
		for i := range a.Len() {
			values = append(values, decimalKey(a, i))
		}
	}
	return values, len(chunks) > 0
}

func decimalKey(a *array.Decimal128, i int) (key [17]byte) {
	if a.IsNull(i) {
		return key
	}
	v := a.Value(i)
	key[0] = 1
	high, low := uint64(v.HighBits())^signBit, v.LowBits()
	for b := range 8 {
		key[1+b], key[9+b] = byte(high>>(56-8*b)), byte(low>>(56-8*b))
	}
	return key
}

const signBit = 1 << 63

// wordsOf gives the values that are not NULL as words that sort as they do, with their rows.
func wordsOf(chunks []arrow.Array, rows int) (keys []uint64, rowOf []uint32, err error) {
	keys, rowOf = make([]uint64, 0, rows), make([]uint32, 0, rows)
	start := 0
	for _, chunk := range chunks {
		word, err := wordOf(chunk)
		if err != nil {
			return nil, nil, err
		}
		for i := range chunk.Len() {
			if chunk.IsValid(i) {
				keys, rowOf = append(keys, word(i)), append(rowOf, uint32(start+i))
			}
		}
		start += chunk.Len()
	}
	return keys, rowOf, nil
}

func wordOf(a arrow.Array) (func(i int) uint64, error) {
	switch a := a.(type) {
	case *array.Int8:
		return signed(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Int16:
		return signed(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Int32:
		return signed(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Int64:
		return signed(a.Value), nil
	case *array.Date32:
		return signed(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Timestamp:
		return signed(func(i int) int64 { return int64(a.Value(i)) }), nil
	case *array.Decimal128:
		return signed(func(i int) int64 { return int64(a.Value(i).LowBits()) }), nil
	case *array.Boolean:
		return func(i int) uint64 { return uint64(btoi(a.Value(i))) }, nil
	case *array.Float32:
		return func(i int) uint64 { return floatKey(float64(a.Value(i))) }, nil
	case *array.Float64:
		return func(i int) uint64 { return floatKey(a.Value(i)) }, nil
	}
	return nil, fmt.Errorf("rows cannot be ordered by %s", a.DataType())
}

func signed(value func(i int) int64) func(i int) uint64 {
	return func(i int) uint64 { return uint64(value(i)) ^ signBit }
}

// floatKey sorts as Spark sorts floats.
func floatKey(v float64) uint64 {
	if math.IsNaN(v) {
		return math.MaxUint64
	}
	bits := math.Float64bits(v + 0) // −0.0 + 0 is 0.0
	if bits&signBit != 0 {
		return ^bits
	}
	return bits | signBit
}
