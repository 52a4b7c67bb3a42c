package plan

import (
	"slices"

	"ajlo/job/delta"
	"ajlo/job/lake"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// decayRanges is how many parts each key's values are looked at in.
const decayRanges = 8

// Decay is what came into a table since it was laid by its keys, and how far that gets in the
// way.
type Decay struct {
	Files int        `json:"files"` // that came in since
	Bytes unit.Bytes `json:"bytes"`
	Keys  []KeyDecay `json:"keys"`
	// Reason says what upkeep does about it tonight.
	Reason string `json:"reason"`
}

// KeyDecay is how many files a value of a key falls in, by eighths of the ordered files (of all where
// none is in order): of the ordered ones alone and of all.
type KeyDecay struct {
	Column  table.Column `json:"column"`
	Ordered []int        `json:"ordered_depth"`
	Now     []int        `json:"depth"`
}

// Decayed is the number of ranges whose values fall in more files than the order alone makes.
func (k KeyDecay) Decayed() (n int) {
	for i := range k.Now {
		if k.Now[i] > k.Ordered[i] {
			n++
		}
	}
	return n
}

// decayOf looks for files that came in since; nil where there are none or it has no keys of
// ajlo.
func decayOf(s lake.Snapshot) *Decay {
	fresh := places(s, func(f lake.File) bool { return !f.Laid })
	if s.Owner != delta.OwnerUs || len(s.Layout.Clustering) == 0 || len(fresh) == 0 {
		return nil
	}
	d := &Decay{Files: len(fresh), Bytes: bytesOf(s, fresh), Keys: []KeyDecay{}}
	for _, key := range s.Layout.Clustering {
		d.Keys = append(d.Keys, keyDecay(s, key))
	}
	return d
}

func keyDecay(s lake.Snapshot, key table.Column) KeyDecay {
	k := KeyDecay{Column: key, Ordered: []int{}, Now: []int{}}
	var starts []predicate.Value
	for _, f := range s.Files {
		if b, ok := f.Bounds[key]; ok && f.Laid && !b.Min.IsNull() {
			starts = append(starts, b.Min)
		}
	}
	if len(starts) == 0 { // others wrote all of them anew
		for _, f := range s.Files {
			if b, ok := f.Bounds[key]; ok && !b.Min.IsNull() {
				starts = append(starts, b.Min)
			}
		}
	}
	slices.SortFunc(starts, predicate.Order)
	for i := range min(decayRanges, len(starts)) {
		at := starts[(2*i+1)*len(starts)/(2*min(decayRanges, len(starts)))]
		ordered, all := 0, 0
		for _, f := range s.Files {
			if !holds(f, key, at) {
				continue
			}
			all++
			if f.Laid {
				ordered++
			}
		}
		k.Ordered, k.Now = append(k.Ordered, ordered), append(k.Now, all)
	}
	return k
}

// holds reports whether a look-up of the value would read the file.
func holds(f lake.File, key table.Column, v predicate.Value) bool {
	equal := predicate.Predicate{Op: predicate.Eq, Column: key, Values: []predicate.Value{v}}
	return prune.MayMatch(&equal, func(c table.Column) (prune.Bounds, bool) { b, ok := f.Bounds[c]; return b, ok })
}
