package layout

import (
	"math/bits"
)

// maxKeys is the most keys a curve takes: with more, a 64-bit position leaves each of them
// too few bits, and engines cluster by four columns at most.
const maxKeys = 4

// curveBits is the bits of each coordinate: enough to tell the ranks of so many rows apart,
// and few enough that a position on the curve fits 64 bits (32 for two keys, 21 for three, 16
// for four).
func curveBits(rows uint64, keys int) int {
	return min(64/keys, max(1, bits.Len64(max(rows, 1)-1)))
}

// interleave puts the bits of the coordinates one after the other, most significant first
// and the first coordinate first: the position on the Z-order (Morton) curve.
func interleave(point []uint32, bits int) (position uint64) {
	for b := bits - 1; b >= 0; b-- {
		for _, x := range point {
			position = position<<1 | uint64(x>>b&1)
		}
	}
	return position
}

// hilbert gives the position of a point on the Hilbert curve that fills the cube of 2^bits
// cells a side, by J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings
// 707 (2004): the coordinates are turned into the transposed index in place, so the point is
// used up, and its bits are then interleaved.
func hilbert(point []uint32, bits int) uint64 {
	undoRotations(point, bits)
	grayEncode(point, bits)
	return interleave(point, bits)
}

// undoRotations takes the reflections and exchanges of axes out, from the coarsest level of
// the curve to the finest. Both cases are worked out under a mask, because a branch on the
// bits of data is guessed wrong half the time.
func undoRotations(point []uint32, bits int) {
	for b := bits - 1; b > 0; b-- {
		below := uint32(1)<<b - 1
		for i := range point {
			set := -(point[i] >> b & 1)
			exchange := (point[0] ^ point[i]) & below &^ set
			point[0] ^= exchange | below&set
			point[i] ^= exchange
		}
	}
}

func grayEncode(point []uint32, bits int) {
	for i := 1; i < len(point); i++ {
		point[i] ^= point[i-1]
	}
	last, flip := point[len(point)-1], uint32(0)
	for b := bits - 1; b > 0; b-- {
		flip ^= (uint32(1)<<b - 1) & -(last >> b & 1)
	}
	for i := range point {
		point[i] ^= flip
	}
}
