package rewrite

import (
	"math/bits"

	"github.com/zeebo/xxh3"
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

func hashed(row []byte, seed uint64) RowSum {
	h := xxh3.Hash128Seed(row, seed)
	return RowSum{Rows: 1, Hi: h.Hi, Lo: h.Lo}
}
