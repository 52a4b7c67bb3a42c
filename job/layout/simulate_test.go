package layout

import (
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// drawValues draws a column of one kind with NULLs among its values.
func drawValues(t *rapid.T, rows int) []predicate.Value {
	kinds := map[string]*rapid.Generator[predicate.Value]{
		"int":     rapid.Map(rapid.Int64Range(-3, 3), predicate.IntValue),
		"extreme": rapid.Map(rapid.SampledFrom([]int64{math.MinInt64, -1, 0, math.MaxInt64}), predicate.IntValue),
		"date":    rapid.Map(rapid.Int64Range(-9, 9), predicate.DateValue),
		"float":   rapid.Map(rapid.SampledFrom([]float64{math.Inf(-1), -1, 0, 2, math.NaN()}), predicate.FloatValue),
		"text":    rapid.Map(rapid.SampledFrom([]string{"", "a", "ab", "b"}), predicate.StringValue),
		"decimal": rapid.Map(rapid.Int64Range(-9, 9), func(i int64) predicate.Value { return predicate.DecimalValue(i, 2) }),
	}
	kind := rapid.SampledFrom([]string{"int", "extreme", "date", "float", "text", "decimal"}).Draw(t, "kind")
	value := rapid.OneOf(rapid.Just(predicate.Value{}), kinds[kind])
	return rapid.SliceOfN(value, rows, rows).Draw(t, "values")
}

// Every file's bounds enclose exactly the rows it gets: least and greatest by comparing,
// NULLs by counting.
func TestLayBoundsAreThoseOfTheRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 30).Draw(t, "rows")
		values := map[table.Column][]predicate.Value{"a": drawValues(t, rows), "b": drawValues(t, rows)}
		files := rapid.IntRange(1, 6).Draw(t, "files")
		l := ClusteredBy(Hilbert, "a", "b")
		got, err := NewSimulation(values, rows, nil).Lay(l, ExactRanks, files, []table.Column{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		s := NewSimulation(values, rows, nil)
		sequence, cuts, err := s.parted(l, ExactRanks, files)
		if err != nil {
			t.Fatal(err)
		}
		for column, list := range values {
			for f := range got.Files {
				want := compared(list, sequence[cuts[f]:cuts[f+1]])
				if !equalBounds(want, got.Bounds[column][f]) {
					t.Fatalf("%s in file %d: %+v, want %+v", column, f, got.Bounds[column][f], want)
				}
			}
		}
	})
}

func compared(values []predicate.Value, places []int) prune.Bounds {
	b := prune.Bounds{Rows: int64(len(places))}
	for _, place := range places {
		v := values[place]
		if v.IsNull() {
			b.Nulls++
			continue
		}
		if b.Min.IsNull() || nullsFirst(v, b.Min) < 0 {
			b.Min = v
		}
		if b.Max.IsNull() || nullsFirst(v, b.Max) > 0 {
			b.Max = v
		}
	}
	return b
}

func equalBounds(a, b prune.Bounds) bool {
	return a.Rows == b.Rows && a.Nulls == b.Nulls && nullsFirst(a.Min, b.Min) == 0 && nullsFirst(a.Max, b.Max) == 0
}

func TestLayCutsStringsAsTheFormatDoes(t *testing.T) {
	text := func(s string) predicate.Value { return predicate.StringValue(s) }
	values := map[table.Column][]predicate.Value{"s": {text("äöü-first"), text("äöü-last"), text("abc")}}
	got, err := NewSimulation(values, 3, func(table.Column) int { return 3 }).Lay(ClusteredBy(Sort, "s"), ExactRanks, 1, []table.Column{"s", "not sampled"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[table.Column][]prune.Bounds{"s": {{Min: text("abc"), Max: text("äöü\U0010FFFF"), Rows: 3}}}
	if diff := gocmp.Diff(want, got.Bounds); diff != "" {
		t.Error(diff)
	}
}

func TestLayRefusesAKeyThatWasNotSampled(t *testing.T) {
	if _, err := NewSimulation(nil, 1, nil).Lay(ClusteredBy(Sort, "x"), ExactRanks, 1, nil); err == nil {
		t.Error("a layout by an unknown column was simulated")
	}
}
