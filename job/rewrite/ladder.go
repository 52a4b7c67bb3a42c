package rewrite

import (
	"bytes"
	"math/bits"
	"slices"
)

// ladder is the distinct values of a key column's sample, ascending, and how many sampled rows
// lie below each: what ranks any value of the column by the sample.
type ladder struct {
	nulls  uint32   // sampled rows that are NULL; they lie below every value
	words  []uint64 // the steps, or nil where they are texts
	texts  [][]byte
	starts []uint32 // sampled rows below each step, then all of them
	// first[b] is the first step whose word is at least base + b<<shift: where a search starts.
	first []uint32
	base  uint64
	shift int
}

// firstBits makes the table of search starts at most 2^16 long, 256 KB.
const firstBits = 16

func newLadder(v keyView) *ladder {
	l := &ladder{}
	rows := v.array.Len()
	var words []uint64
	var texts [][]byte
	for i := range rows {
		switch {
		case v.null(i):
			l.nulls++
		case v.word != nil:
			words = append(words, v.word(i))
		default:
			texts = append(texts, v.text(i))
		}
	}
	if v.word != nil {
		slices.Sort(words)
		l.words = steps(l, words, func(a, b uint64) bool { return a == b })
		l.makeFirst()
		return l
	}
	slices.SortFunc(texts, bytes.Compare)
	l.texts = steps(l, texts, bytes.Equal)
	return l
}

// steps keeps the first of each run of equals and notes in the ladder where the runs start.
func steps[T any](l *ladder, sorted []T, same func(a, b T) bool) []T {
	distinct := sorted[:0]
	for i, v := range sorted {
		if i == 0 || !same(v, distinct[len(distinct)-1]) {
			distinct = append(distinct, v)
			l.starts = append(l.starts, l.nulls+uint32(i))
		}
	}
	l.starts = append(l.starts, l.nulls+uint32(len(sorted)))
	return distinct
}

func (l *ladder) makeFirst() {
	if len(l.words) == 0 {
		return
	}
	l.base = l.words[0]
	span := l.words[len(l.words)-1] - l.base
	l.shift = max(0, bits.Len64(span)-firstBits)
	l.first = make([]uint32, span>>l.shift+2)
	b := 0
	for step, w := range l.words {
		for ; uint64(b) <= (w-l.base)>>l.shift; b++ {
			l.first[b] = uint32(step)
		}
	}
	for ; b < len(l.first); b++ {
		l.first[b] = uint32(len(l.words))
	}
}

// find gives the lowest step that is not below value i, which is not NULL, and whether it
// equals it, as far as longestKey goes.
func (l *ladder) find(v keyView, i int) (step int, equal bool) {
	if v.word == nil {
		text := v.text(i)
		return slices.BinarySearchFunc(l.texts, text[:min(len(text), longestKey)], bytes.Compare)
	}
	return l.step(v.word(i))
}

// step is find for a word.
func (l *ladder) step(w uint64) (step int, equal bool) {
	if len(l.words) == 0 || w < l.base {
		return 0, false
	}
	b := (w - l.base) >> l.shift
	if b >= uint64(len(l.first)-1) {
		return len(l.words), false
	}
	low, high := l.first[b], l.first[b+1]
	for low < high {
		middle := (low + high) / 2
		if l.words[middle] < w {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return int(low), int(low) < len(l.words) && l.words[low] == w
}

// rank is the place of the middle one of the value's equals among the sampled rows; a value
// that was not sampled has that of the next one that was.
func (l *ladder) rank(v keyView, i int) uint32 {
	if v.null(i) {
		return (max(l.nulls, 1) - 1) / 2
	}
	step, equal := l.find(v, i)
	if !equal {
		return min(l.starts[step], l.starts[len(l.starts)-1]-1)
	}
	return (l.starts[step] + l.starts[step+1] - 1) / 2
}

// ranks gives the rank of every value.
func (l *ladder) ranks(v keyView) []uint32 {
	all := make([]uint32, v.array.Len())
	words := v.words()
	if words == nil || len(l.words) == 0 {
		for i := range all {
			all[i] = l.rank(v, i)
		}
		return all
	}
	for i, w := range words {
		step, equal := l.step(w)
		if equal {
			all[i] = (l.starts[step] + l.starts[step+1] - 1) / 2
		} else {
			all[i] = min(l.starts[step], l.starts[len(l.starts)-1]-1)
		}
	}
	return all
}

// rung numbers a value so that rungs rise with the values: odd where the value was sampled (or
// is NULL), so that all values on the rung are equal; even where it lies between two that were, or
// is a text that was cut, so that others on the rung may differ.
func (l *ladder) rung(v keyView, i int) uint64 {
	if v.null(i) {
		return 1
	}
	step, equal := l.find(v, i)
	return uint64(2*step + 2 + btoi(equal && !l.cut(step)))
}

// cut reports whether a step may stand for longer texts.
func (l *ladder) cut(step int) bool { return l.texts != nil && len(l.texts[step]) >= longestKey }
