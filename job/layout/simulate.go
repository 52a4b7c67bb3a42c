package layout

import (
	"fmt"
	"math"
	"slices"
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
	shares map[string][]share // by partition columns
	rows   int
	// boundChars is how many characters of a column's strings the format keeps in a bound, 0 for
	// all; nil keeps all of every column.
	boundChars func(table.Column) int
}

// SimulatedFiles holds the bounds of the files a layout would make, column by column:
// Bounds[c][i] is column c in file i, which has Share[i] of the table's rows.
type SimulatedFiles struct {
	Files  int
	Share  []float64
	Bounds map[table.Column][]prune.Bounds
}

// NewSimulation takes the sampled values of each column, all of the same length, and how many
// characters of a column's strings bounds keep, 0 for all; with nil they keep all of every column.
func NewSimulation(values map[table.Column][]predicate.Value, rows int, boundChars func(table.Column) int) *Simulation {
	return &Simulation{values: values, ranked: map[table.Column]ranked{}, shares: map[string][]share{}, rows: rows, boundChars: boundChars}
}

// Lay orders the sample by the layout as the maker would, cuts it into files and takes the
// bounds of the given columns in each. Columns that were not sampled get no bounds, so that
// nothing is promised for them.
func (s *Simulation) Lay(l Layout, by Maker, files int, columns []table.Column) (SimulatedFiles, error) {
	sequence, cuts, err := s.parted(l, by, max(1, min(files, s.rows)))
	if err != nil {
		return SimulatedFiles{}, err
	}
	made := SimulatedFiles{Files: len(cuts) - 1, Bounds: map[table.Column][]prune.Bounds{}, Share: make([]float64, len(cuts)-1)}
	for i := range made.Share {
		made.Share[i] = float64(cuts[i+1]-cuts[i]) / float64(max(s.rows, 1))
	}
	for _, column := range columns {
		known, ok := s.rank(column)
		if !ok {
			continue
		}
		chars := s.chars(column)
		if slices.Contains(l.Partition, column) {
			chars = 0 // a partition's value is kept whole
		}
		bounds := make([]prune.Bounds, made.Files)
		for i := range bounds {
			bounds[i] = s.bound(known, chars, sequence[cuts[i]:cuts[i+1]])
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

// parted orders the sample and cuts it into files, partition by partition.
func (s *Simulation) parted(l Layout, by Maker, files int) (sequence, cuts []int, err error) {
	if shares := s.partitions(l.Partition); shares != nil {
		return s.partitioned(shares, l, by, files)
	}
	ranks := make([][]uint32, len(l.Clustering))
	for i, key := range l.Clustering {
		known, ok := s.rank(key)
		if !ok {
			return nil, nil, fmt.Errorf("layout: key %q was not sampled", key)
		}
		ranks[i] = known.of
	}
	if err := CheckKeys(l.Order, len(ranks)); err != nil {
		return nil, nil, err
	}
	switch {
	case l.Order == LearntCuts:
		leaf, err := s.leaves(l.Tree)
		if err != nil {
			return nil, nil, err
		}
		return Parted(l.Order, leaf, ranks, files)
	case by == DeltaRanges:
		return widen(alongDelta(l.Order, ranks)), Cuts(s.rows, files), nil
	case by == IcebergBytes && l.Order != Sort:
		rows, err := s.alongIceberg(l.Clustering)
		return widen(rows), Cuts(s.rows, files), err
	}
	return Parted(l.Order, nil, ranks, files)
}

// leaves finds the leaf of every sampled row.
func (s *Simulation) leaves(t *Tree) ([]uint32, error) {
	flat := t.Flat()
	columns := make([][]predicate.Value, len(flat))
	for i, branch := range flat {
		values, ok := s.values[branch.Column]
		if !ok {
			return nil, fmt.Errorf("layout: column %q, which the table is cut by, was not sampled", branch.Column)
		}
		columns[i] = values
	}
	leaf := make([]uint32, s.rows)
	for row := range leaf {
		leaf[row] = uint32(flat.Leaf(func(branch int) bool { return Below(columns[branch][row], flat[branch].Cut) }))
	}
	return leaf, nil
}

// bound takes the bounds of the rows at the given places of the sample.
func (s *Simulation) bound(column ranked, chars int, places []int) prune.Bounds {
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
		b.Min, b.Max = cutMin(column.values[column.row[low]], chars), cutMax(column.values[column.row[high]], chars)
	}
	return b
}

func (s *Simulation) chars(c table.Column) int {
	if s.boundChars == nil {
		return 0
	}
	return s.boundChars(c)
}

func cutMin(v predicate.Value, chars int) predicate.Value {
	v.S, _ = cutText(v, chars)
	return v
}

// cutMax puts the greatest character behind a cut maximum, so that it still lies at or
// above every value of the file.
func cutMax(v predicate.Value, chars int) predicate.Value {
	text, cut := cutText(v, chars)
	if cut {
		text += string(utf8.MaxRune)
	}
	v.S = text
	return v
}

func cutText(v predicate.Value, chars int) (text string, cut bool) {
	if v.Kind != predicate.String || chars == 0 || len(v.S) <= chars {
		return v.S, false
	}
	var head strings.Builder
	kept := 0
	for _, r := range v.S {
		if kept == chars {
			return head.String(), true
		}
		head.WriteRune(r)
		kept++
	}
	return v.S, false
}
