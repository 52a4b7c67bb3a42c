package layout

// digitBits is the width of one pass of the radix sort: 256 counters stay in the first-level
// cache, and a pass whose digit is the same in every key is skipped.
const (
	digitBits = 8
	digits    = 64 / digitBits
	buckets   = 1 << digitBits
)

// sortedByKey gives the rows in ascending order of their keys; rows with equal keys stay in
// the order they came. keys[i] belongs to rows[i]; both are used up. Least significant digit
// first, so the work grows with the rows only.
func sortedByKey(keys []uint64, rows []uint32) []uint32 {
	if len(keys) < 2 {
		return rows
	}
	counts := countDigits(keys)
	otherKeys, otherRows := make([]uint64, len(keys)), make([]uint32, len(rows))
	for d := range digits {
		shift := d * digitBits
		if counts[d][digit(keys[0], shift)] == len(keys) {
			continue
		}
		scatter(keys, rows, otherKeys, otherRows, offsets(counts[d]), shift)
		keys, otherKeys = otherKeys, keys
		rows, otherRows = otherRows, rows
	}
	return rows
}

func countDigits(keys []uint64) (counts [digits][buckets]int) {
	for _, k := range keys {
		for d := range digits {
			counts[d][digit(k, d*digitBits)]++
		}
	}
	return counts
}

func digit(key uint64, shift int) uint8 { return uint8(key >> shift) }

// offsets turns the size of each bucket into the place where it starts.
func offsets(counts [buckets]int) (starts [buckets]int) {
	next := 0
	for b, c := range counts {
		starts[b] = next
		next += c
	}
	return starts
}

func scatter(keys []uint64, rows []uint32, toKeys []uint64, toRows []uint32, next [buckets]int, shift int) {
	for i, k := range keys {
		at := &next[digit(k, shift)]
		toKeys[*at], toRows[*at] = k, rows[i]
		*at++
	}
}
