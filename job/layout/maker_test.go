package layout

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
)

func TestFileCountOfMakers(t *testing.T) {
	tests := []struct {
		name          string
		by            Maker
		total, target unit.Bytes
		want          int
	}{
		{"embedded: at or below the target", ExactRanks, 209, 20, 11},
		{"Delta drops the rest", DeltaRanges, 209, 20, 10},
		{"Delta makes one file at least", DeltaRanges, 19, 20, 1},
		{"Iceberg spreads a small rest", IcebergBytes, 209, 20, 10},
		{"Iceberg keeps a rest that is nearly a file", IcebergBytes, 216, 20, 11},
		{"Iceberg: a rest too big to spread", IcebergBytes, 30, 20, 2},
		{"Iceberg: less than a file", IcebergBytes, 19, 20, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.by.FileCount(tt.total, tt.target); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestMakersPrintAndParseBack(t *testing.T) {
	for _, m := range []Maker{ExactRanks, DeltaRanges, IcebergBytes} {
		if got, err := ParseMaker(m.String()); err != nil || got != m {
			t.Errorf("%s: got %q, %v", m, got, err)
		}
	}
	if _, err := ParseMaker("spark"); err == nil {
		t.Error("a name that is no maker was read")
	}
}

func TestRangeIDs(t *testing.T) {
	many := make([]uint32, 4_000)
	for i := range many {
		many[i] = uint32(i)
	}
	tests := []struct {
		name  string
		ranks []uint32
		check map[int]uint32 // row to range
	}{
		// Four rows a range: the bound of a range is its last row.
		{"even values fill a thousand ranges", many, map[int]uint32{0: 0, 3: 0, 4: 1, 3_999: 999}},
		{"few values get a range each", []uint32{2, 2, 2, 2, 2, 7, 7, 7, 7, 7, 12}, map[int]uint32{0: 0, 5: 1, 10: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ids := rangeIDs(tt.ranks)
			for row, want := range tt.check {
				if ids[row] != want {
					t.Errorf("row %d is in range %d, want %d", row, ids[row], want)
				}
			}
		})
	}
}

// A greater value is never in a lesser range.
func TestRangesRiseWithValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := drawRanks(t, 1)[0]
		ids := rangeIDs(ranks)
		for i := range ranks {
			for j := range ranks {
				if ranks[i] < ranks[j] && ids[i] > ids[j] || ranks[i] == ranks[j] && ids[i] != ids[j] {
					t.Fatalf("ranks %d and %d are in ranges %d and %d", ranks[i], ranks[j], ids[i], ids[j])
				}
			}
		}
	})
}

// ints is a column of whole numbers.
func ints(values ...int64) []predicate.Value {
	column := make([]predicate.Value, len(values))
	for i, v := range values {
		column[i] = predicate.IntValue(v)
	}
	return column
}

func sequenceOf(t *testing.T, values map[table.Column][]predicate.Value, l Layout, by Maker) []int {
	t.Helper()
	rows, _, err := NewSimulation(values, len(values["a"]), nil).parted(l, by, 1)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Iceberg interleaves the bits of values as they are: the column of greater numbers decides
// where the other is small.
func TestIcebergZOrderGoesByTheValuesBits(t *testing.T) {
	values := map[table.Column][]predicate.Value{"a": ints(3, 2, 1, 0), "b": ints(0, 1<<20, 2<<20, 3<<20)}
	if diff := gocmp.Diff([]int{0, 1, 2, 3}, sequenceOf(t, values, ClusteredBy(ZOrder, "a", "b"), IcebergBytes)); diff != "" {
		t.Error(diff)
	}
	values["b"] = ints(0, 1, 2, 3)
	if diff := gocmp.Diff([]int{3, 2, 1, 0}, sequenceOf(t, values, ClusteredBy(ZOrder, "a", "b"), IcebergBytes)); diff != "" {
		t.Error(diff)
	}
}

func TestIcebergWordsOrderAsValues(t *testing.T) {
	lists := map[string][]predicate.Value{
		"ints":    append([]predicate.Value{{}}, ints(-9, -1, 0, 1, 9)...),
		"floats":  {{}, predicate.FloatValue(-2), predicate.FloatValue(-1), predicate.FloatValue(0), predicate.FloatValue(3)},
		"dates":   {predicate.DateValue(-1), predicate.DateValue(0), predicate.DateValue(1)},
		"seconds": {predicate.TimestampValue(-2_000_000), predicate.TimestampValue(0), predicate.TimestampValue(2_000_000)},
		"texts":   {predicate.StringValue("a"), predicate.StringValue("ab"), predicate.StringValue("b")},
	}
	for name, values := range lists {
		for i := 1; i < len(values); i++ {
			a, okA := icebergWord(values[i-1])
			b, okB := icebergWord(values[i])
			if !okA || !okB || a >= b {
				t.Errorf("%s: %v is not before %v", name, values[i-1], values[i])
			}
		}
	}
	if _, err := NewSimulation(map[table.Column][]predicate.Value{"a": {predicate.DecimalValue(1, 2)}}, 1, nil).
		Lay(ClusteredBy(ZOrder, "a"), IcebergBytes, 1, nil); err == nil {
		t.Error("a z-order by decimals, which Iceberg refuses, was foretold")
	}
}

// With as many values as ranges Delta's order is that of exact ranks, save for rows that lie
// in one cell.
func TestDeltaSortsByRanges(t *testing.T) {
	values := map[table.Column][]predicate.Value{"a": ints(5, 1, 4, 2, 3)}
	if diff := gocmp.Diff([]int{1, 3, 4, 2, 0}, sequenceOf(t, values, ClusteredBy(Sort, "a"), DeltaRanges)); diff != "" {
		t.Error(diff)
	}
}
