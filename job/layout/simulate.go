package layout

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// Simulation lays a sample of a table out by one candidate after another. A column is ranked
// once, on first use: orders and bounds are then worked out on ranks alone.
type Simulation struct {
	values map[table.Column][]predicate.Value
	ranked map[table.Column]ranked
	rows   int
	// boundChars is how many characters of a string the format keeps in a bound, 0 for all.
	boundChars int
}

// SimulatedFiles holds the bounds of the files a layout would make, column by column:
// Bounds[c][i] is column c in file i. All files have the same number of rows.
type SimulatedFiles struct {
	Files  int
	Bounds map[table.Column][]prune.Bounds
}

// NewSimulation takes the sampled values of each column, all of the same length.
func NewSimulation(values map[table.Column][]predicate.Value, rows, boundChars int) *Simulation {
	return &Simulation{values: values, ranked: map[table.Column]ranked{}, rows: rows, boundChars: boundChars}
}

// Lay orders the sample by the layout, cuts it into files and takes the bounds of the
// given columns in each. Columns that were not sampled get no bounds, so that nothing is
// promised for them.
func (s *Simulation) Lay(l Layout, files int, columns []table.Column) (SimulatedFiles, error) {
	sequence, err := s.sequence(l)
	if err != nil {
		return SimulatedFiles{}, err
	}
	files = max(1, min(files, s.rows))
	made := SimulatedFiles{Files: files, Bounds: map[table.Column][]prune.Bounds{}}
	cuts := Cuts(s.rows, files)
	for _, column := range columns {
		known, ok := s.rank(column)
		if !ok {
			continue
		}
		bounds := make([]prune.Bounds, files)
		for i := range bounds {
			bounds[i] = s.bound(known, sequence[cuts[i]:cuts[i+1]])
		}
		made.Bounds[column] = bounds
	}
	return made, nil
}

// File gives the look-up of one file's bounds that pruning asks for.
func (f SimulatedFiles) File(i int) prune.Columns {
	return func(c table.Column) (prune.Bounds, bool) {
		bounds, ok := f.Bounds[c]
		if !ok {
			return prune.Bounds{}, false
		}
		return bounds[i], true
	}
}

func (s *Simulation) sequence(l Layout) ([]int, error) {
	ranks := make([][]uint32, len(l.Clustering))
	for i, key := range l.Clustering {
		known, ok := s.rank(key)
		if !ok {
			return nil, fmt.Errorf("layout: key %q was not sampled", key)
		}
		ranks[i] = known.of
	}
	return Sequence(l.Order, ranks)
}

// bound takes the bounds of the rows at the given places of the sample.
func (s *Simulation) bound(column ranked, places []int) prune.Bounds {
	nulls, low, high := 0, uint32(math.MaxUint32), uint32(0)
	for _, place := range places {
		rank := column.of[place]
		if rank < column.least {
			nulls++
			continue
		}
		low, high = min(low, rank), max(high, rank)
	}
	b := prune.Bounds{Rows: int64(len(places)), Nulls: int64(nulls)}
	if nulls < len(places) {
		b.Min, b.Max = s.cutMin(column.values[column.row[low]]), s.cutMax(column.values[column.row[high]])
	}
	return b
}

func (s *Simulation) cutMin(v predicate.Value) predicate.Value {
	v.S, _ = s.cutText(v)
	return v
}

// cutMax puts the greatest character behind a cut maximum, so that it still lies at or
// above every value of the file.
func (s *Simulation) cutMax(v predicate.Value) predicate.Value {
	text, cut := s.cutText(v)
	if cut {
		text += string(utf8.MaxRune)
	}
	v.S = text
	return v
}

func (s *Simulation) cutText(v predicate.Value) (text string, cut bool) {
	if v.Kind != predicate.String || s.boundChars == 0 || len(v.S) <= s.boundChars {
		return v.S, false
	}
	var head strings.Builder
	kept := 0
	for _, r := range v.S {
		if kept == s.boundChars {
			return head.String(), true
		}
		head.WriteRune(r)
		kept++
	}
	return v.S, false
}
