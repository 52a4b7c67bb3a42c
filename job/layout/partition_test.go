package layout

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// However a partitioned table is laid, every row is in one file, and no file holds rows of two
// partitions; inside a partition rows lie as they would if it were a table of its own.
func TestNoFileSpansTwoPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 40).Draw(t, "rows")
		of := rapid.SliceOfN(rapid.Int64Range(0, 3), rows, rows).Draw(t, "partition")
		parts := make([]predicate.Value, rows)
		for i, p := range of {
			parts[i] = predicate.IntValue(p)
		}
		s := NewSimulation(map[table.Column][]predicate.Value{"p": parts, "a": drawValues(t, rows), "b": drawValues(t, rows)}, rows, nil)
		l := ClusteredBy(rapid.SampledFrom([]Order{Sort, ZOrder, Hilbert}).Draw(t, "order"), "a", "b")
		by := rapid.SampledFrom([]Maker{ExactRanks, DeltaRanges}).Draw(t, "maker")
		inside := l
		l.Partition = []table.Column{"p"}
		sequence, cuts, err := s.parted(l, by, rapid.IntRange(1, 8).Draw(t, "files"))
		if err != nil {
			t.Fatal(err)
		}
		every := make([]int, rows)
		for i := range every {
			every[i] = i
		}
		if got := slices.Sorted(slices.Values(sequence)); !slices.Equal(got, every) {
			t.Fatalf("rows %v, want each of %d once", sequence, rows)
		}
		for i := range len(cuts) - 1 {
			for _, row := range sequence[cuts[i]:cuts[i+1]] {
				if of[row] != of[sequence[cuts[i]]] {
					t.Fatalf("file %d holds rows of partitions %d and %d", i, of[row], of[sequence[cuts[i]]])
				}
			}
		}
		alone := slices.DeleteFunc(slices.Clone(sequence), func(row int) bool { return of[row] != of[0] })
		members := slices.DeleteFunc(slices.Clone(every), func(row int) bool { return of[row] != of[0] })
		want, _, err := s.only(members).parted(inside, by, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, place := range want {
			if alone[i] != members[place] {
				t.Fatalf("partition %d lies as %v, alone as %v of %v", of[0], alone, want, members)
			}
		}
	})
}

// A partition column that was not sampled is passed over: nothing is promised of it.
func TestPartitionsThatWereNotSampled(t *testing.T) {
	s := NewSimulation(map[table.Column][]predicate.Value{"a": {predicate.IntValue(2), predicate.IntValue(1)}}, 2, nil)
	l := ClusteredBy(Sort, "a")
	l.Partition = []table.Column{"day(started)"}
	got, err := s.Lay(l, ExactRanks, 1, []table.Column{"a"})
	if err != nil || got.Files != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
