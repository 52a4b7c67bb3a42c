package rewrite

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"ajlo/job/delta"
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

// keyView is a key column in a form that sorts as Spark sorts: NULLs first, NaN above all
// numbers, −0.0 equal to 0.0, strings by their bytes.
type keyView struct {
	array arrow.Array
	word  func(i int) uint64 // nil where the values do not fit 64 bits
	text  func(i int) []byte // nil where they do
}

func viewKey(a arrow.Array) (keyView, error) {
	switch a := a.(type) {
	case *array.String:
		apart := bytesChunks([]arrow.Array{a})[0]
		return keyView{array: a, text: func(i int) []byte { return apart.value(uint32(i)) }}, nil
	case *array.Decimal128:
		if a.DataType().(*arrow.Decimal128Type).Precision > maxWordDigits {
			return keyView{array: a, text: func(i int) []byte { return decimalKey(a, i) }}, nil
		}
	}
	word, err := wordOf(a)
	return keyView{array: a, word: word}, err
}

func (v keyView) null(i int) bool { return v.array.IsNull(i) }

// words are the values of the commonest types at once; nil where there is a NULL or another type.
func (v keyView) words() []uint64 {
	if v.array.NullN() > 0 {
		return nil
	}
	switch a := v.array.(type) {
	case *array.Int32:
		return signedWords(a.Int32Values())
	case *array.Int64:
		return signedWords(a.Int64Values())
	case *array.Date32:
		return signedWords(a.Date32Values())
	case *array.Timestamp:
		return signedWords(a.TimestampValues())
	}
	return nil
}

func signedWords[T int32 | int64 | arrow.Date32 | arrow.Timestamp](values []T) []uint64 {
	words := make([]uint64, len(values))
	for i, v := range values {
		words[i] = uint64(v) ^ signBit
	}
	return words
}

// compareKeys orders value i of one view and value j of another of the same column.
func compareKeys(a keyView, i int, b keyView, j int) int {
	switch {
	case a.null(i) || b.null(j):
		return btoi(b.null(j)) - btoi(a.null(i))
	case a.word != nil:
		return cmp.Compare(a.word(i), b.word(j))
	}
	return bytes.Compare(a.text(i), b.text(j))
}

// Keys are columns of the same rows by which rows are found and ordered, as SQL compares values:
// 0.0 equals −0.0, and NaN equals NaN.
type Keys []keyView

// ViewKeys fails for types whose values have no order here.
func ViewKeys(columns []arrow.Array) (Keys, error) {
	keys := make(Keys, len(columns))
	for c, column := range columns {
		var err error
		if keys[c], err = viewKey(column); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// Append adds the key of row i to bytes that are equal for equal keys of columns of the same types,
// and for no others. It is not ok, and adds what it may, where a value is NULL.
func (k Keys) Append(key []byte, i int) (_ []byte, ok bool) {
	for _, v := range k {
		switch {
		case v.null(i):
			return key, false
		case v.word != nil:
			key = binary.LittleEndian.AppendUint64(key, v.word(i))
		default:
			text := v.text(i)
			key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
		}
	}
	return key, true
}

// Same reports whether row i has the values that row j of other columns of the same types has; NULL
// is the same as NULL.
func (k Keys) Same(i int, o Keys, j int) bool {
	for c := range k {
		if compareKeys(k[c], i, o[c], j) != 0 {
			return false
		}
	}
	return true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// decimalKey gives a decimal that does not fit a word as 16 bytes that sort as it does.
func decimalKey(a *array.Decimal128, i int) []byte {
	v := a.Value(i)
	high, low := uint64(v.HighBits())^signBit, v.LowBits()
	key := make([]byte, 16)
	for b := range 8 {
		key[b], key[8+b] = byte(high>>(56-8*b)), byte(low>>(56-8*b))
	}
	return key
}

const signBit = 1 << 63

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
