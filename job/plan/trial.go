package plan

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Trial says how many bytes a table's files would have by a layout, as an engine found out that
// made some of them. Rows in another order, written by another writer, take some per cent more
// or less.
type Trial struct {
	Location table.Location `json:"location"`
	Version  int64          `json:"version"` // of the table
	Layout   layout.Layout  `json:"layout"`
	Target   unit.Bytes     `json:"target"` // size of files
	Bytes    unit.Bytes     `json:"bytes"`  // 0 where it was not found out
}

// Weighing is every candidate of every table weighed, before anything is chosen.
type Weighing struct {
	in  Input
	all []weighed
}

// Weigh foretells what each candidate of each table reads and costs.
func Weigh(in Input) (Weighing, error) {
	all, err := in.weighAll()
	return Weighing{in, all}, err
}

// Plan chooses among the candidates, those that were tried by the bytes that the trials found.
// It may be asked again with more trials.
func (w Weighing) Plan(trials []Trial) (Plan, error) {
	all := make([]weighed, len(w.all))
	for i, one := range w.all {
		one.table.Candidates, one.table.Queries = slices.Clone(one.table.Candidates), slices.Clone(one.table.Queries)
		one.then = maps.Clone(one.then)
		for _, t := range trials {
			w.in.correct(&one, t)
		}
		one.options = w.in.optionsOf(one)
		all[i] = one
	}
	return w.in.decide(all)
}

// Tries reports whether the trial is of what the step would do.
func (t Trial) Tries(s Step) bool {
	return t.Location == s.Location && t.Version == s.Version && t.Target == s.TargetFile && sameOrder(t.Layout, s.Layout)
}

func sameOrder(a, b layout.Layout) bool {
	return a.Order == b.Order && a.Cuts == b.Cuts && slices.Equal(a.Partition, b.Partition) && slices.Equal(a.Clustering, b.Clustering)
}

// correct weighs a candidate anew by what its trial found.
func (in Input) correct(w *weighed, t Trial) {
	if t.Location != w.table.Location || t.Bytes == 0 || w.table.Bytes == 0 {
		return
	}
	for i, c := range w.table.Candidates {
		if i == 0 || c.Refused || !sameOrder(c.Layout, t.Layout) {
			continue
		}
		share := float64(t.Bytes) / float64(w.table.Bytes)
		then := make([]unit.Bytes, len(w.then[i]))
		for r, b := range w.then[i] {
			then[r] = scaled(b, share)
		}
		w.then[i] = then
		w.table.Candidates[i] = in.candidate(w, c.Layout, then, scaled(c.WrittenBytes, share), t.Bytes)
	}
}

func scaled(b unit.Bytes, by float64) unit.Bytes { return unit.Bytes(math.Round(float64(b) * by)) }

// optionsOf are the candidates worth choosing, greatest NPV first.
func (in Input) optionsOf(w weighed) []option {
	var list []option
	for i, c := range w.table.Candidates {
		if i > 0 && !c.Refused && c.Reason == "" {
			list = append(list, option{candidate: i, npv: c.NPV, rewrite: c.Rewrite, storage: in.Settings.StorageCost(c.Rewrite)})
		}
	}
	slices.SortStableFunc(list, func(a, b option) int { return cmp.Compare(b.npv, a.npv) })
	return list
}
