package layout

import (
	"slices"
	"strings"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// MaxPartitions is how many values a column may have to partition a table by: each has a file at
// least, and files of thousands of partitions are small.
const MaxPartitions = 1_000

// share is the sampled rows of one partition, as a table of their own.
type share struct {
	rows []int // places in the whole sample, in its order
	of   *Simulation
}

// partitions are the sample's rows by their values in the partition columns, in the order of
// those values; nil where there are no such columns or one was not sampled, so that the rows
// of a partition are not known.
func (s *Simulation) partitions(columns []table.Column) []share {
	id := key(columns)
	if known, done := s.shares[id]; done || len(columns) == 0 {
		return known
	}
	ranks := make([][]uint32, len(columns))
	for i, c := range columns {
		known, ok := s.rank(c)
		if !ok {
			return nil
		}
		ranks[i] = known.of
	}
	var shares []share
	for _, rows := range runs(widen(lexicographic(ranks)), ranks) {
		shares = append(shares, share{rows, s.only(rows)})
	}
	s.shares[id] = shares
	return shares
}

func key(columns []table.Column) string { return strings.Join(table.Texts(columns), "\x00") }

// runs parts sorted rows where the rank of a column changes.
func runs(sorted []int, ranks [][]uint32) (parts [][]int) {
	start := 0
	for i := 1; i <= len(sorted); i++ {
		if i == len(sorted) || slices.ContainsFunc(ranks, func(of []uint32) bool { return of[sorted[i]] != of[sorted[start]] }) {
			parts, start = append(parts, sorted[start:i]), i
		}
	}
	return parts
}

// only is a simulation of some rows alone.
func (s *Simulation) only(rows []int) *Simulation {
	values := map[table.Column][]predicate.Value{}
	for c, all := range s.values {
		values[c] = make([]predicate.Value, len(rows))
		for i, row := range rows {
			values[c][i] = all[row]
		}
	}
	return NewSimulation(values, len(rows), s.boundChars)
}

// partitioned lays every partition out by itself, as engines do: a file never holds rows of
// two. Each partition is at least one file.
func (s *Simulation) partitioned(shares []share, l Layout, by Maker, files int) (sequence, cuts []int, err error) {
	sizes := make([]int, len(shares))
	for i, p := range shares {
		sizes[i] = len(p.rows)
	}
	l.Partition, cuts = nil, []int{0}
	for i, n := range FilesOfLeaves(sizes, files) {
		inside, ends, err := shares[i].of.parted(l, by, n)
		if err != nil {
			return nil, nil, err
		}
		for _, end := range ends[1:] {
			cuts = append(cuts, len(sequence)+end)
		}
		for _, place := range inside {
			sequence = append(sequence, shares[i].rows[place])
		}
	}
	return sequence, cuts, nil
}
