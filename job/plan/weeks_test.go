package plan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

const (
	weekRows  = 60_000
	weekFiles = 60
)

func date(year, month int) predicate.Value {
	return predicate.DateValue(time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC).Unix() / 86_400)
}

// facts is a table of keys in no order and of days over seven years, as it arrives by day.
func factsTable() (plan.TableInput, map[table.Column][]predicate.Value) {
	r := rand.New(rand.NewPCG(1, 1))
	key, day := make([]predicate.Value, weekRows), make([]predicate.Value, weekRows)
	for i, k := range r.Perm(weekRows) {
		key[i] = predicate.IntValue(int64(k))
		day[i] = predicate.DateValue(date(1992, 1).I + int64(i)*2_550/weekRows)
	}
	s := lake.Snapshot{
		Table: "t", Location: "/lake/t", Format: lake.Delta, SchemaHash: "h", Owner: "none", Layout: layout.Unordered(),
		Columns: []lake.Column{{Name: "key", Type: "long"}, {Name: "day", Type: "date"}},
	}
	per := weekRows / weekFiles
	for f := range weekFiles {
		s.Files = append(s.Files, lake.File{Path: fmt.Sprint(f), Bytes: 1000, Rows: int64(per), Bounds: map[table.Column]prune.Bounds{
			"key": {Min: predicate.IntValue(0), Max: predicate.IntValue(weekRows - 1), Rows: int64(per)},
			"day": {Min: day[f*per], Max: day[(f+1)*per-1], Rows: int64(per)},
		}})
	}
	sample := lake.Sample{Columns: []table.Column{"key", "day"}, Values: [][]predicate.Value{key, day}, Population: weekRows}
	return plan.TableInput{Snapshot: s, Sample: sample, Names: []table.Name{"t"}}, map[table.Column][]predicate.Value{"key": key, "day": day}
}

func span(c table.Column, from, past predicate.Value) *predicate.Predicate {
	return predicate.Conjunction([]predicate.Predicate{
		{Op: predicate.Ge, Column: c, Values: []predicate.Value{from}}, {Op: predicate.Lt, Column: c, Values: []predicate.Value{past}},
	})
}

// week draws the constants of a week: ranges of keys wherever they fall, a month, a quarter
// and a year.
func week(r *rand.Rand) (queries []fact.Query) {
	for range 3 {
		for class, width := range []int64{weekRows * 15 / 100, weekRows * 8 / 100, weekRows * 4 / 10} {
			from := r.Int64N(weekRows - width)
			queries = append(queries, scan(fmt.Sprint("key", class), "t", span("key", predicate.IntValue(from), predicate.IntValue(from+width))))
		}
		for _, months := range []int{1, 3, 12} {
			first := 1 + months*r.IntN(72/months)
			queries = append(queries, scan(fmt.Sprint("months", months), "t", span("day", date(1992, first), date(1992, first+months))))
		}
	}
	return queries
}

// Learnt in one week and read in the next with other constants, cuts never read more than the
// Hilbert curve, and make about as many files. How far both are from what is asked for is
// logged.
func TestCutsLoseNothingOnTheNextWeek(t *testing.T) {
	input1, values := factsTable()
	simulation := layout.NewSimulation(values, weekRows, nil)
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 7))
		in := input(input1)
		in.Queries = week(r)
		chosen := decide(t, in).Tables[0].Chosen
		next := week(r)
		cuts, files := readNext(t, simulation, chosen, next)
		curve, _ := readNext(t, simulation, layout.ClusteredBy(layout.Hilbert, "key", "day"), next)
		t.Logf("seed %d: %s reads %.3f of what hilbert reads, %.3f of what is asked for; %d files for %d",
			seed, chosen.Order, cuts/curve, cuts/askedFor(values, next), files, weekFiles)
		if cuts > curve {
			t.Errorf("seed %d: %s reads %.2f tables, hilbert %.2f", seed, chosen, cuts, curve)
		}
		if 10*files < 9*weekFiles || 10*files > 11*weekFiles {
			t.Errorf("seed %d: %d files where %d are wanted", seed, files, weekFiles)
		}
	}
}

// readNext is how many whole tables the queries read under a layout, and its files.
func readNext(t *testing.T, s *layout.Simulation, l layout.Layout, queries []fact.Query) (tables float64, files int) {
	t.Helper()
	made, err := s.Lay(l, layout.ExactRanks, weekFiles, []table.Column{"key", "day"})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		for f := range made.Files {
			if prune.MayMatch(q.Scans[0].Predicate, made.File(f)) {
				tables += made.Share[f]
			}
		}
	}
	return tables, made.Files
}

// askedFor is how many whole tables the rows make that meet the queries' predicates.
func askedFor(values map[table.Column][]predicate.Value, queries []fact.Query) float64 {
	met := 0
	for _, q := range queries {
		for row := range weekRows {
			if prune.MayMatch(q.Scans[0].Predicate, func(c table.Column) (prune.Bounds, bool) {
				return prune.Bounds{Min: values[c][row], Max: values[c][row], Rows: 1}, true
			}) {
				met++
			}
		}
	}
	return float64(met) / weekRows
}
