package rewrite_test

import (
	"math"
	"os"
	"testing"

	"ajlo/job/layout"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// A trial foretells what a rewrite's files take together: to the byte where it makes all of
// them, closely where it makes one in three; in memory or spilled. It leaves nothing behind.
func TestTrialForetellsBytes(t *testing.T) {
	for _, tc := range []struct {
		name   string
		table  string
		layout layout.Layout
		target unit.Bytes
		memory unit.Bytes
		within float64
	}{
		{"all files", tpch + "orders", layout.ClusteredBy(layout.Hilbert, "o_orderkey", "o_orderdate"), 256 * unit.KiB, 0, 0},
		{"some files", tpch + "lineitem", layout.ClusteredBy(layout.Hilbert, "l_orderkey", "l_shipdate"), 200 * unit.KB, 0, 0.01},
		{"some files, spilled", tpch + "orders", layout.ClusteredBy(layout.Hilbert, "o_orderkey", "o_orderdate"), 64 * unit.KB, 4 * unit.MB, 0.02},
		{"learnt cuts", tpch + "orders", layout.CutBy(ordersTree(), "o_orderkey", "o_custkey"), 64 * unit.KiB, 0, 0.02},
		{"every type", spark40 + "types", layout.ClusteredBy(layout.Sort, "a_double"), 10 * unit.KB, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copied(t, tc.table)
			task := taskFor(t, dir, tc.layout, tc.target)
			before := entries(t, dir)
			foretold, err := rewrite.Trial(t.Context(), task, rewrite.Options{Memory: tc.memory, Spill: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if after := entries(t, dir); after != before {
				t.Errorf("%d entries in the table's folder, before %d", after, before)
			}
			var intended []string
			o := options(&intended)
			o.Memory, o.Spill = tc.memory, t.TempDir()
			out, err := rewrite.Rewrite(t.Context(), task, o)
			if err != nil {
				t.Fatal(err)
			}
			made := unit.Bytes(0)
			for _, f := range out.Files {
				made += f.Bytes
			}
			if off := math.Abs(float64(foretold)/float64(made) - 1); off > tc.within {
				t.Errorf("foretold %d, made %d: %.2f %% off, want %.0f %% at most", foretold, made, 100*off, 100*tc.within)
			}
		})
	}
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}
