package plan

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/unit"
)

// The search must find what trying every combination finds, and stay within both budgets.
func TestChooseEqualsExhaustiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tables := drawTables(t)
		budget := unit.Bytes(rapid.IntRange(0, 60).Draw(t, "budget"))
		storage := unit.Bytes(rapid.IntRange(0, 40).Draw(t, "storage"))
		got := choose(tables, budget, storage)
		if want := exhaustive(tables, budget, storage); got.npv != want {
			t.Fatalf("NPV %d, exhaustive search finds %d", got.npv, want)
		}
		if got.bound != got.npv {
			t.Fatalf("a finished search states bound %d for NPV %d", got.bound, got.npv)
		}
		npv, rewrite, kept := spent(tables, got.picks)
		if npv != got.npv || rewrite > budget || kept > storage {
			t.Fatalf("picks %v: NPV %d (stated %d), rewrite %d of %d, storage %d of %d", got.picks, npv, got.npv, rewrite, budget, kept, storage)
		}
	})
}

// A search cut short still keeps within the budgets and states a bound that holds.
func TestBoundHoldsWhenTheSearchIsCutShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tables := drawTables(t)
		budget := unit.Bytes(rapid.IntRange(0, 60).Draw(t, "budget"))
		got := chooseWithin(tables, budget, 1_000, rapid.IntRange(1, 8).Draw(t, "nodes"))
		best := exhaustive(tables, budget, 1_000)
		if got.bound < best || got.npv > best {
			t.Fatalf("NPV %d with bound %d, the optimum is %d", got.npv, got.bound, best)
		}
		if _, rewrite, _ := spent(tables, got.picks); rewrite > budget {
			t.Fatalf("picks %v rewrite %d of a budget of %d", got.picks, rewrite, budget)
		}
	})
}

func drawTables(t *rapid.T) [][]option {
	tables := make([][]option, rapid.IntRange(0, 5).Draw(t, "tables"))
	for i := range tables {
		for range rapid.IntRange(0, 3).Draw(t, "options") {
			tables[i] = append(tables[i], option{
				npv:     unit.Bytes(rapid.IntRange(1, 100).Draw(t, "npv")),
				rewrite: unit.Bytes(rapid.IntRange(0, 30).Draw(t, "rewrite")),
				storage: unit.Bytes(rapid.IntRange(0, 20).Draw(t, "storage")),
			})
		}
		slices.SortStableFunc(tables[i], func(a, b option) int { return cmp.Compare(b.npv, a.npv) })
	}
	return tables
}

func exhaustive(tables [][]option, budget, storage unit.Bytes) (best unit.Bytes) {
	if len(tables) == 0 {
		return 0
	}
	best = exhaustive(tables[1:], budget, storage)
	for _, o := range tables[0] {
		if o.rewrite <= budget && o.storage <= storage {
			best = max(best, o.npv+exhaustive(tables[1:], budget-o.rewrite, storage-o.storage))
		}
	}
	return best
}

func spent(tables [][]option, picks []int) (npv, rewrite, storage unit.Bytes) {
	for at, pick := range picks {
		if pick != leave {
			o := tables[at][pick]
			npv, rewrite, storage = npv+o.npv, rewrite+o.rewrite, storage+o.storage
		}
	}
	return npv, rewrite, storage
}

func TestAnnuity(t *testing.T) {
	for _, tc := range []struct {
		name string
		s    Settings
		want float64
	}{
		{"no discount counts windows", Settings{Horizon: 8}, 8},
		{"eight windows at two percent", Settings{Horizon: 8, Rate: 0.02}, 7.325481},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.s.annuity(); got-tc.want > 1e-6 || tc.want-got > 1e-6 {
				t.Errorf("annuity = %f, want %f", got, tc.want)
			}
		})
	}
	s := Settings{Horizon: 8, StorageWeight: 0.1}
	if got, want := s.npv(100, 500), unit.Bytes(8*100-500-50); got != want {
		t.Errorf("NPV = %d, want %d: saved times windows, less rewrite, less storage", got, want)
	}
}
