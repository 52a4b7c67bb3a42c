package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func textArray(texts []string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendStringValues(texts, nil)
	return b.NewArray()
}

// wideTexts are as many texts, of up to so many bytes each.
func wideTexts(n, most int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%06d", i*7919%n) + strings.Repeat("x", i*104729%most)
	}
	return texts
}

// sampled takes texts in batches that end at the given rows, in the given order.
func sampled(t *rapid.T, texts []string, ends, order []int, most int64) (rows []uint64, bytes int64, parts []batchSample) {
	s := newSampler(int64(len(texts)), len(ends), most)
	for _, part := range order {
		from := 0
		if part > 0 {
			from = ends[part-1]
		}
		some := batch{columns: []arrow.Array{textArray(texts[from:ends[part]])}, rows: ends[part] - from}
		if err := s.take(part, uint64(from), some); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range s.parts {
		for _, b := range part {
			rows = append(rows, b.ordinals...)
			parts = append(parts, b)
		}
	}
	return rows, s.bytes, parts
}

// What is sampled has no more than its bytes, and does not depend on how rows come.
func TestSampleIsBounded(t *testing.T) {
	texts := wideTexts(2000, 3000)
	rapid.Check(t, func(r *rapid.T) {
		most := rapid.Int64Range(30_000, 3_000_000).Draw(r, "most")
		cuts := rapid.SliceOfNDistinct(rapid.IntRange(1, len(texts)-1), 1, 9, rapid.ID).Draw(r, "cuts")
		slices.Sort(cuts)
		ends := append(cuts, len(texts))
		order := rapid.Permutation(indices(len(ends))).Draw(r, "order")
		want, _, _ := sampled(r, texts, []int{len(texts)}, []int{0}, most)
		got, bytes, parts := sampled(r, texts, ends, order, most)
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatal(diff)
		}
		if bytes > most || bytes < most/5 && len(got) < len(texts) {
			r.Fatalf("%d bytes of %d rows, wanted at most %d and not much less", bytes, len(got), most)
		}
		for _, p := range parts {
			for i, ordinal := range p.ordinals {
				whole := texts[ordinal]
				if text := p.columns[0].(*array.String).Value(i); text != whole[:min(len(whole), longestKey)] {
					r.Fatalf("row %d is %q", ordinal, text)
				}
			}
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Rungs rise with the values, and only values that are equal for sure share an odd one.
func TestRungsOfLongTexts(t *testing.T) {
	long := strings.Repeat("k", longestKey)
	steps := textArray([]string{"a", long, long[1:]})
	texts := []string{"", "a", "b", long[2:], long[1:], long, long + "a", long + "b", "z"}
	view, err := viewKey(steps)
	if err != nil {
		t.Fatal(err)
	}
	values, err := viewKey(textArray(texts))
	if err != nil {
		t.Fatal(err)
	}
	l := newLadder(view)
	for i := 1; i < len(texts); i++ {
		before, now := l.rung(values, i-1), l.rung(values, i)
		if now < before || now == before && now%2 == 1 {
			t.Errorf("rung %d of text %d follows %d", now, i, before)
		}
	}
}
