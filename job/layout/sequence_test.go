package layout

import (
	"cmp"
	"math/bits"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/unit"
)

// points lists every cell of a cube of 2^bits cells a side in n dimensions.
func points(n, bits int) [][]uint32 {
	all := [][]uint32{{}}
	for range n {
		var longer [][]uint32
		for _, p := range all {
			for x := range uint32(1) << bits {
				longer = append(longer, append(slices.Clone(p), x))
			}
		}
		all = longer
	}
	return all
}

var cubes = []struct {
	name       string
	dims, bits int
}{
	{"2 keys, 1 bit", 2, 1},
	{"2 keys, 2 bits", 2, 2},
	{"2 keys, 6 bits", 2, 6},
	{"3 keys, 1 bit", 3, 1},
	{"3 keys, 4 bits", 3, 4},
	{"4 keys, 1 bit", 4, 1},
	{"4 keys, 3 bits", 4, 3},
}

func TestCurvesVisitEveryCellOnce(t *testing.T) {
	curves := map[Order]func([]uint32, int) uint64{Hilbert: hilbert, ZOrder: interleave}
	for order, position := range curves {
		for _, c := range cubes {
			t.Run(string(order)+", "+c.name, func(t *testing.T) {
				cells := points(c.dims, c.bits)
				seen := make([]bool, len(cells))
				for _, p := range cells {
					at := position(slices.Clone(p), c.bits)
					if at >= uint64(len(cells)) || seen[at] {
						t.Fatalf("cell %v: position %d is outside the curve or taken", p, at)
					}
					seen[at] = true
				}
			})
		}
	}
}

func TestHilbertNeighboursDifferByOneInOneKey(t *testing.T) {
	for _, c := range cubes {
		t.Run(c.name, func(t *testing.T) {
			path := make([][]uint32, 1<<(c.dims*c.bits))
			for _, p := range points(c.dims, c.bits) {
				path[hilbert(slices.Clone(p), c.bits)] = p
			}
			for i := 1; i < len(path); i++ {
				if d := distance(path[i-1], path[i]); d != 1 {
					t.Fatalf("cells %v and %v at %d: distance %d, want 1", path[i-1], path[i], i, d)
				}
			}
		})
	}
}

func distance(a, b []uint32) (sum int) {
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return sum
}

func drawRanks(t *rapid.T, keys int) [][]uint32 {
	n := rapid.IntRange(0, 300).Draw(t, "rows")
	ranks := make([][]uint32, keys)
	for k := range ranks {
		distinct := rapid.IntRange(1, 400).Draw(t, "distinct")
		values := rapid.SliceOfN(rapid.IntRange(0, distinct-1), n, n).Draw(t, "values")
		ranks[k] = Ranks(n, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	}
	return ranks
}

func TestSequenceIsAPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.SampledFrom([]Order{Sort, ZOrder, Hilbert}).Draw(t, "order")
		ranks := drawRanks(t, rapid.IntRange(1, 4).Draw(t, "keys"))
		got, err := Sequence(order, ranks)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		want := make([]int, len(ranks[0]))
		for i := range want {
			want[i] = i
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestOneKeyIsAStableSortForEveryOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := drawRanks(t, 1)
		want := make([]int, len(ranks[0]))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(ranks[0][a], ranks[0][b]) })
		for _, order := range []Order{Sort, ZOrder, Hilbert} {
			got, err := Sequence(order, ranks)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: %s", order, diff)
			}
		}
	})
}

func TestSortIsLexicographicAndStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := drawRanks(t, 3)
		want := make([]int, len(ranks[0]))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int {
			return cmp.Or(cmp.Compare(ranks[0][a], ranks[0][b]), cmp.Compare(ranks[1][a], ranks[1][b]), cmp.Compare(ranks[2][a], ranks[2][b]))
		})
		got, err := Sequence(Sort, ranks)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestSequenceSmallGrids(t *testing.T) {
	// Rows 0..3 are the cells (0,0), (0,1), (1,0), (1,1).
	first, second := []uint32{0, 0, 2, 2}, []uint32{0, 2, 0, 2}
	tests := []struct {
		name  string
		order Order
		want  []int
	}{
		{"z-order draws a Z", ZOrder, []int{0, 1, 2, 3}},
		{"Hilbert draws a U", Hilbert, []int{0, 1, 3, 2}},
		{"sort goes by the first key", Sort, []int{0, 1, 2, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sequence(tt.order, [][]uint32{first, second})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSequenceRefuses(t *testing.T) {
	one := []uint32{0}
	tests := []struct {
		name  string
		order Order
		ranks [][]uint32
		want  string
	}{
		{"no order", None, [][]uint32{one}, `order rows by "none": want sort, zorder, hilbert or cuts`},
		{"no keys", Hilbert, nil, "order rows by hilbert: no key columns"},
		{"five keys", ZOrder, [][]uint32{one, one, one, one, one}, "order rows by zorder: 5 key columns, at most 4"},
		{"uneven keys", Sort, [][]uint32{one, {0, 1}}, "order rows by sort: key 1 has 2 rows, key 0 has 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Sequence(tt.order, tt.ranks)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestRanks(t *testing.T) {
	const null = -1 << 62
	tests := []struct {
		name   string
		values []int
		want   []uint32
	}{
		{"nothing", nil, []uint32{}},
		{"equal rows share a rank", []int{7, 3, 7, 5}, []uint32{2, 0, 2, 1}},
		{"a value takes as much of the scale as it has rows", []int{3, 3, 3, 3, 3, 9}, []uint32{2, 2, 2, 2, 2, 5}},
		{"nulls first", []int{4, null, 4, null}, []uint32{2, 0, 2, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Ranks(len(tt.values), func(i, j int) int { return cmp.Compare(tt.values[i], tt.values[j]) })
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRanksOfKeysAgreeWithRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spread := rapid.SampledFrom([]uint64{3, 1000, 1 << 63}).Draw(t, "spread")
		keys := rapid.SliceOf(rapid.Uint64Range(0, spread)).Draw(t, "keys")
		want := Ranks(len(keys), func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
		if diff := gocmp.Diff(want, RanksOfKeys(keys)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestFileCount(t *testing.T) {
	tests := []struct {
		name          string
		total, target unit.Bytes
		want          int
	}{
		{"an empty table", 0, unit.MiB, 1},
		{"no target", unit.GiB, 0, 1},
		{"less than the target", unit.KiB, unit.MiB, 1},
		{"exactly the target", unit.MiB, unit.MiB, 1},
		{"a byte more", unit.MiB + 1, unit.MiB, 2},
		{"many", 10 * unit.MiB, 64 * unit.KiB, 160},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := FileCount(tt.total, tt.target); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestCutsCoverAllRowsEvenly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, files := rapid.IntRange(0, 10_000).Draw(t, "rows"), rapid.IntRange(1, 300).Draw(t, "files")
		cuts := Cuts(n, files)
		if len(cuts) != files+1 || cuts[0] != 0 || cuts[files] != n {
			t.Fatalf("%d rows in %d files: cuts %v", n, files, cuts)
		}
		for i := range files {
			if size := cuts[i+1] - cuts[i]; size != n/files && size != n/files+1 {
				t.Fatalf("part %d has %d of %d rows in %d files", i, size, n, files)
			}
		}
	})
}

func TestParseOrder(t *testing.T) {
	for _, o := range Orders() {
		if got, err := ParseOrder(o.String()); err != nil || got != o {
			t.Errorf("%s: got %q, %v", o, got, err)
		}
	}
	if _, err := ParseOrder("Hilbert "); err == nil {
		t.Error("a name that is no order must be refused")
	}
}

// TestHilbertReadsFewFilesOnEitherKey holds what a curve is for: on a uniform grid a range on
// either column reads a small part of the files, where a sort serves its first column only.
func TestHilbertReadsFewFilesOnEitherKey(t *testing.T) {
	const side, files, width = 256, 64, 8
	n := side * side
	a, b := make([]uint32, n), make([]uint32, n)
	for i := range n {
		// Reversed bits: the input order must not help.
		cell := int(bits.Reverse16(uint16(i)))
		a[i], b[i] = uint32(cell/side), uint32(cell%side)
	}
	mean := func(order Order, key []uint32) float64 {
		rows, err := Sequence(order, [][]uint32{a, b})
		if err != nil {
			t.Fatal(err)
		}
		return meanFilesRead(rows, key, files, side, width)
	}
	sortFirst, sortSecond := mean(Sort, a), mean(Sort, b)
	hilbertFirst, hilbertSecond := mean(Hilbert, a), mean(Hilbert, b)
	t.Logf("mean files of %d read: sort %.1f and %.1f, hilbert %.1f and %.1f", files, sortFirst, sortSecond, hilbertFirst, hilbertSecond)
	// 64 square tiles of 32 cells a side: a range of 8 cells meets (32+8−1)/32 rows of 8 tiles.
	const ideal = 8 * 39.0 / 32
	if sortSecond != files {
		t.Errorf("sort must read all files for its second column, read %.1f", sortSecond)
	}
	if hilbertFirst > ideal+0.5 || hilbertSecond > ideal+0.5 {
		t.Errorf("hilbert reads %.2f and %.2f files, square tiles would take %.2f", hilbertFirst, hilbertSecond, ideal)
	}
	if sortFirst+sortSecond < 3*(hilbertFirst+hilbertSecond) {
		t.Errorf("over both columns sort reads %.1f, hilbert %.1f: want a third or less", sortFirst+sortSecond, hilbertFirst+hilbertSecond)
	}
}

// meanFilesRead is the mean over all ranges of the width of the files whose bounds meet it.
func meanFilesRead(rows []int, key []uint32, files, side, width int) float64 {
	cuts, read := Cuts(len(rows), files), 0
	for f := range files {
		low, high := key[rows[cuts[f]]], key[rows[cuts[f]]]
		for _, row := range rows[cuts[f]:cuts[f+1]] {
			low, high = min(low, key[row]), max(high, key[row])
		}
		for start := range side - width + 1 {
			if int(low) < start+width && int(high) >= start {
				read++
			}
		}
	}
	return float64(read) / float64(side-width+1)
}

func BenchmarkSequence(b *testing.B) {
	const n = 1 << 20
	ranks := [][]uint32{make([]uint32, n), make([]uint32, n)}
	for i := range n {
		ranks[0][i], ranks[1][i] = bits.Reverse32(uint32(i))>>12, uint32(i)*2654435761>>20
	}
	for b.Loop() {
		if _, err := Sequence(Hilbert, ranks); err != nil {
			b.Fatal(err)
		}
	}
}
