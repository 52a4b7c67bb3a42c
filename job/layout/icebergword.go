package layout

import (
	"encoding/binary"
	"math"

	"ajlo/job/predicate"
)

const (
	wordBits        = 64
	microsPerSecond = 1_000_000
)

// icebergWord is the eight bytes that Iceberg's z-order takes of a value: NULL as zeros, whole
// numbers, days and seconds with the sign turned over, floats by their bits, and the first
// eight bytes of a string. ok is false for kinds that it refuses.
func icebergWord(v predicate.Value) (word uint64, ok bool) {
	switch v.Kind {
	case predicate.Null:
		return 0, true
	case predicate.Bool:
		return uint64(v.I) << (wordBits - 8), true
	case predicate.Int, predicate.Date:
		return uint64(v.I) ^ 1<<63, true
	case predicate.Timestamp:
		return uint64(v.I/microsPerSecond) ^ 1<<63, true
	case predicate.Float:
		w := math.Float64bits(v.F)
		if v.F < 0 {
			return ^w, true
		}
		return w | 1<<63, true
	case predicate.String:
		var head [8]byte
		copy(head[:], v.S)
		return binary.BigEndian.Uint64(head[:]), true
	}
	return 0, false
}

// interleaveWords puts the bits of the words one after the other, most significant first and
// the first word first, as bytes that compare in that order.
func interleaveWords(words []uint64) []byte {
	out := make([]byte, 8*len(words))
	at := 0
	for b := wordBits - 1; b >= 0; b-- {
		for _, w := range words {
			out[at/8] |= byte(w>>b&1) << (7 - at%8)
			at++
		}
	}
	return out
}
