package rewrite

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/zeebo/xxh3"

	"ajlo/job/delta"
)

// RowSum is a multiset of rows in 24 bytes: their number and the sum of their 128-bit
// hashes modulo 2^128 (rule 1). Order and grouping into files do not change it.
type RowSum struct {
	Rows int64  `json:"rows"`
	Hi   uint64 `json:"hash_hi"`
	Lo   uint64 `json:"hash_lo"`
}

// Plus is the sum of both multisets.
func (s RowSum) Plus(o RowSum) RowSum {
	lo, carry := bits.Add64(s.Lo, o.Lo, 0)
	hi, _ := bits.Add64(s.Hi, o.Hi, carry)
	return RowSum{Rows: s.Rows + o.Rows, Hi: hi, Lo: lo}
}

// Minus takes out rows that are in the multiset.
func (s RowSum) Minus(o RowSum) RowSum {
	lo, borrow := bits.Sub64(s.Lo, o.Lo, 0)
	hi, _ := bits.Sub64(s.Hi, o.Hi, borrow)
	return RowSum{Rows: s.Rows - o.Rows, Hi: hi, Lo: lo}
}

// summer hashes rows column by column: a row's hash is 128 bits into which its values are
// folded in the order of the schema, each fold depending on what was folded before, so that
// the values of two rows cannot change places unnoticed. NULL is folded by other constants
// than any value. Sums are comparable under one schema only, which the first state stands for.
type summer struct {
	schema delta.Schema
	seed   uint64
	state  []lanes
	row    []byte
}

// lanes are two independent halves of a row's hash.
type lanes struct{ a, b uint64 }

// Odd constants without structure: the first 64-bit words of the fractions of √2, √3, √5, √7,
// made odd.
const (
	foldA = 0x6a09e667f3bcc909
	foldB = 0xbb67ae8584caa73b
	nullA = 0x3c6ef372fe94f82b
	nullB = 0xa54ff53a5f1d36f1
)

func newSummer(schema delta.Schema) *summer { return &summer{schema: schema, seed: seedOf(schema)} }

// fold takes in a value of up to 128 bits.
func (l *lanes) fold(high, low uint64) {
	hi, lo := bits.Mul64(l.a^low, foldA)
	l.a = hi ^ lo ^ bits.RotateLeft64(high, 32)
	l.b = (bits.RotateLeft64(l.b, 29) ^ low ^ bits.RotateLeft64(high, 17)) * foldB
	l.b ^= l.b >> 31
}

func (l *lanes) foldNull() {
	hi, lo := bits.Mul64(l.a^nullA, nullB)
	l.a = hi ^ lo
	l.b = (bits.RotateLeft64(l.b, 41) ^ nullB) * nullA
	l.b ^= l.b >> 31
}

// hash mixes what the last values brought in through all bits.
func (l lanes) hash() RowSum {
	return RowSum{Rows: 1, Hi: scrambled(l.a + bits.RotateLeft64(l.b, 32)), Lo: scrambled(l.b ^ l.a*foldB)}
}

// sum is the sum of a batch in the form of ArrowSchema.
func (s *summer) sum(b batch) (sum RowSum, err error) {
	if cap(s.state) < b.rows {
		s.state = make([]lanes, b.rows)
	}
	s.state = s.state[:b.rows]
	for i := range s.state {
		s.state[i] = lanes{s.seed, ^s.seed}
	}
	for c, column := range b.columns {
		if err := s.column(column, s.schema[c].Type); err != nil {
			return RowSum{}, fmt.Errorf("column %q: %w", s.schema[c].Name, err)
		}
	}
	for _, l := range s.state {
		sum = sum.Plus(l.hash())
	}
	return sum, nil
}

func (s *summer) column(a arrow.Array, t delta.Type) error {
	switch a := a.(type) {
	case *array.Int8:
		foldWords(s, a, a.Int8Values(), func(v int8) uint64 { return uint64(v) })
	case *array.Int16:
		foldWords(s, a, a.Int16Values(), func(v int16) uint64 { return uint64(v) })
	case *array.Int32:
		foldWords(s, a, a.Int32Values(), func(v int32) uint64 { return uint64(v) })
	case *array.Int64:
		foldWords(s, a, a.Int64Values(), func(v int64) uint64 { return uint64(v) })
	case *array.Float32:
		foldWords(s, a, a.Float32Values(), func(v float32) uint64 { return uint64(math.Float32bits(v)) })
	case *array.Float64:
		foldWords(s, a, a.Float64Values(), math.Float64bits)
	case *array.Date32:
		foldWords(s, a, a.Date32Values(), func(v arrow.Date32) uint64 { return uint64(v) })
	case *array.Timestamp:
		foldWords(s, a, a.TimestampValues(), func(v arrow.Timestamp) uint64 { return uint64(v) })
	case *array.Decimal128:
		s.decimals(a)
	case *array.Boolean:
		s.each(a, func(l *lanes, i int) { l.fold(0, uint64(btoi(a.Value(i)))) })
	case *array.String, *array.Binary:
		s.bytes(a)
	case *array.Dictionary:
		s.texts(a)
	default:
		return s.nested(a, t)
	}
	return nil
}

// foldWords is the loop that most values go through.
func foldWords[T any](s *summer, a arrow.Array, values []T, word func(T) uint64) {
	if a.NullN() == 0 {
		for i, v := range values {
			s.state[i].fold(0, word(v))
		}
		return
	}
	s.each(a, func(l *lanes, i int) { l.fold(0, word(values[i])) })
}

func (s *summer) each(a arrow.Array, fold func(l *lanes, i int)) {
	for i := range s.state {
		if a.IsNull(i) {
			s.state[i].foldNull()
		} else {
			fold(&s.state[i], i)
		}
	}
}

func (s *summer) decimals(a *array.Decimal128) {
	nulls := a.NullN() > 0
	for i, v := range a.Values() {
		if nulls && a.IsNull(i) {
			s.state[i].foldNull()
			continue
		}
		s.state[i].fold(uint64(v.HighBits()), v.LowBits())
	}
}

func (s *summer) bytes(a arrow.Array) {
	if a.Len() == 0 {
		return
	}
	apart := bytesChunks([]arrow.Array{a})[0]
	nulls := a.NullN() > 0
	for i := range s.state {
		if nulls && a.IsNull(i) {
			s.state[i].foldNull()
			continue
		}
		h := xxh3.Hash128(apart.value(uint32(i)))
		s.state[i].fold(h.Hi, h.Lo)
	}
}

// texts folds what bytes would, each text of a dictionary being hashed once.
func (s *summer) texts(a *array.Dictionary) {
	apart := bytesChunks([]arrow.Array{a})[0]
	hashes := make([]xxh3.Uint128, a.Dictionary().Len())
	for i := range hashes {
		hashes[i] = xxh3.Hash128(apart.bytes[apart.offsets[i]:apart.offsets[i+1]])
	}
	for i, number := range apart.numbers {
		if number == noText {
			s.state[i].foldNull()
			continue
		}
		s.state[i].fold(hashes[number].Hi, hashes[number].Lo)
	}
}

// nested folds the hash of a value's canonical form, see encode.go.
func (s *summer) nested(a arrow.Array, t delta.Type) error {
	add, err := appenderOf(a, t)
	if err != nil {
		return err
	}
	for i := range s.state {
		s.row = add(s.row[:0], i)
		h := xxh3.Hash128(s.row)
		s.state[i].fold(h.Hi, h.Lo)
	}
	return nil
}
