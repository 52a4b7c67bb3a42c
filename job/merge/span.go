package merge

import (
	"sort"

	"ajlo/job/predicate"
)

// joined puts spans in order and joins those that meet.
func joined(low, high []predicate.Value) (_, _ []predicate.Value) {
	sort.Sort(spans{low, high})
	n := 0
	for i := range low {
		if n > 0 && predicate.Order(low[i], high[n-1]) <= 0 {
			if predicate.Order(high[i], high[n-1]) > 0 {
				high[n-1] = high[i]
			}
			continue
		}
		low[n], high[n] = low[i], high[i]
		n++
	}
	return low[:n], high[:n]
}

// spans sort by their lower end.
type spans struct{ low, high []predicate.Value }

func (s spans) Len() int           { return len(s.low) }
func (s spans) Less(i, j int) bool { return predicate.Order(s.low[i], s.low[j]) < 0 }
func (s spans) Swap(i, j int) {
	s.low[i], s.low[j] = s.low[j], s.low[i]
	s.high[i], s.high[j] = s.high[j], s.high[i]
}
