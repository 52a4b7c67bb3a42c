package layout

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

func compare(c table.Column, op predicate.Op, v int64) *predicate.Predicate {
	return &predicate.Predicate{Op: op, Column: c, Values: []predicate.Value{predicate.IntValue(v)}}
}

func between(c table.Column, low, high int64) *predicate.Predicate {
	return predicate.Conjunction([]predicate.Predicate{*compare(c, predicate.Ge, low), *compare(c, predicate.Le, high)})
}

// grid is a table of side × side rows: every pair of a and b, neither in order.
func grid(side int) *Simulation {
	a, b := make([]predicate.Value, side*side), make([]predicate.Value, side*side)
	for i := range a {
		cell := i * 7919 % (side * side)
		a[i], b[i] = predicate.IntValue(int64(cell/side)), predicate.IntValue(int64(cell%side))
	}
	return NewSimulation(map[table.Column][]predicate.Value{"a": a, "b": b}, side*side, nil)
}

func rowsRead(t *testing.T, s *Simulation, l Layout, files int, p *predicate.Predicate) (share float64) {
	t.Helper()
	made, err := s.Lay(l, ExactRanks, files, []table.Column{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range made.Files {
		if prune.MayMatch(p, made.File(i)) {
			share += made.Share[i]
		}
	}
	return share
}

// Cuts lie at the constants of the predicates, so that a wish reads nothing but its rows.
func TestCutsLieAtConstants(t *testing.T) {
	s := grid(100)
	wishes := []Wish{{between("a", 20, 39), 1}, {compare("b", predicate.Lt, 50), 1}}
	tree := s.Learn(wishes, 20)
	l := CutBy(tree, "a", "b")
	for i, want := range []float64{0.20, 0.50} {
		if got := rowsRead(t, s, l, 20, wishes[i].Predicate); got > want+1e-9 {
			t.Errorf("wish %d reads %.3f of the rows, %.3f hold it", i, got, want)
		}
	}
	for _, node := range tree.Nodes() {
		if node.Column == "a" && node.Cut.I != 20 && node.Cut.I != 40 || node.Column == "b" && node.Cut.I != 50 {
			t.Errorf("cut of %s at %d, which nobody asked for", node.Column, node.Cut.I)
		}
	}
}

func TestNothingToCut(t *testing.T) {
	s := grid(10)
	tests := []struct {
		name   string
		wishes []Wish
		files  int
	}{
		{"no wishes", nil, 10},
		{"a wish for everything", []Wish{{nil, 1}}, 10},
		{"a wish that no bounds decide", []Wish{{&predicate.Predicate{Op: predicate.Unknown, Column: "a"}, 1}}, 10},
		{"a column that was not sampled", []Wish{{compare("c", predicate.Eq, 1), 1}}, 10},
		{"one file", []Wish{{compare("a", predicate.Eq, 1), 1}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tree := s.Learn(tt.wishes, tt.files); tree != nil {
				t.Errorf("%d leaves", tree.Leaves())
			}
		})
	}
}

// drawPredicate draws any tree of comparisons of a and b.
func drawPredicate(t *rapid.T, depth int) predicate.Predicate {
	ops := []predicate.Op{predicate.Eq, predicate.Ne, predicate.Lt, predicate.Le, predicate.Gt, predicate.Ge, predicate.NotNull, predicate.IsNull, predicate.EqNullSafe, predicate.Unknown}
	if depth > 0 {
		ops = append(ops, predicate.And, predicate.Or, predicate.Not)
	}
	p := predicate.Predicate{Op: rapid.SampledFrom(ops).Draw(t, "op")}
	switch p.Op {
	case predicate.And, predicate.Or:
		p.Args = []predicate.Predicate{drawPredicate(t, depth-1), drawPredicate(t, depth-1)}
	case predicate.Not:
		p.Args = []predicate.Predicate{drawPredicate(t, depth-1)}
	default:
		p.Column = rapid.SampledFrom([]table.Column{"a", "b"}).Draw(t, "column")
		if p.Op != predicate.NotNull && p.Op != predicate.IsNull && p.Op != predicate.Unknown {
			p.Values = ints(rapid.Int64Range(-4, 4).Draw(t, "constant"))
		}
	}
	return p
}

// Spans decide the same as prune.MayMatch on bounds, NULLs included.
func TestSpansDecideAsPruningDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "rows")
		value := rapid.OneOf(rapid.Just(predicate.Value{}), rapid.Map(rapid.Int64Range(-3, 3), predicate.IntValue))
		values := map[table.Column][]predicate.Value{
			"a": rapid.SliceOfN(value, n, n).Draw(t, "a"), "b": rapid.SliceOfN(value, n, n).Draw(t, "b"),
		}
		s := NewSimulation(values, n, nil)
		p := drawPredicate(t, 2)
		l := s.learner([]Wish{{&p, 1}}, 4)
		if l.spans[0] == nil {
			t.Skip("no conjunction")
		}
		boxes, bounds := make([]box, len(l.columns)), map[table.Column]prune.Bounds{}
		for i, c := range l.columns {
			boxes[i] = newBox()
			for row := range n {
				boxes[i].add(c.of[row], c.least)
			}
			bounds[c.name] = c.bounds(boxes[i])
		}
		want := prune.MayMatch(&p, func(c table.Column) (prune.Bounds, bool) { b, ok := bounds[c]; return b, ok })
		if got := l.reads(0, boxes); got != want {
			t.Fatalf("%s of %v: spans say %v, bounds %v", p.Shape(), bounds, got, want)
		}
	})
}

// No leaf has less than half the rows of a file, whatever is wished for.
func TestLeavesAreNotTooSmall(t *testing.T) {
	s := grid(40)
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.IntRange(2, 30).Draw(t, "files")
		var wishes []Wish
		for range rapid.IntRange(1, 8).Draw(t, "wishes") {
			low := rapid.Int64Range(0, 39).Draw(t, "low")
			wishes = append(wishes, Wish{between(rapid.SampledFrom([]table.Column{"a", "b"}).Draw(t, "column"), low, low+rapid.Int64Range(0, 9).Draw(t, "width")), 1})
		}
		tree := s.Learn(wishes, files)
		leaf, err := s.leaves(tree)
		if err != nil {
			t.Fatal(err)
		}
		sizes := make([]int, tree.Leaves())
		for _, l := range leaf {
			sizes[l]++
		}
		for _, size := range sizes {
			if len(sizes) > 1 && 2*size < 1_600/files {
				t.Fatalf("leaves of %v rows where a file has %d", sizes, 1_600/files)
			}
		}
		if diff := gocmp.Diff(tree, s.Learn(wishes, files)); diff != "" {
			t.Fatalf("learnt twice, not the same: %s", diff)
		}
	})
}

func TestRedrawnKeepsTheShareOfRows(t *testing.T) {
	s := grid(100)
	copies := s.Redrawn(between("a", 20, 39), 5, nil)
	if len(copies) != 5 {
		t.Fatalf("%d copies", len(copies))
	}
	seen := map[int64]bool{}
	for _, p := range copies {
		low, high := p.Args[0].Values[0].I, p.Args[1].Values[0].I
		seen[low] = true
		if high-low < 18 || high-low > 20 || low < 0 || high > 99 {
			t.Errorf("from %d to %d: want 20 of 100 values", low, high)
		}
	}
	if len(seen) != 5 {
		t.Errorf("the copies begin at %d different places", len(seen))
	}
	if s.Redrawn(nil, 5, nil) != nil {
		t.Error("a scan without a predicate was redrawn")
	}
}

// Where constants lie on calendar boundaries, others that may come do too.
func TestRedrawnStaysOnTheCalendar(t *testing.T) {
	days := make([]predicate.Value, 2_000)
	for i := range days {
		days[i] = predicate.DateValue(int64(i*37%2_000) + 8_000)
	}
	s := NewSimulation(map[table.Column][]predicate.Value{"day": days}, len(days), nil)
	march := predicate.Conjunction([]predicate.Predicate{ // 1995-03-01 to 1995-03-31
		{Op: predicate.Ge, Column: "day", Values: []predicate.Value{predicate.DateValue(9_190)}},
		{Op: predicate.Le, Column: "day", Values: []predicate.Value{predicate.DateValue(9_220)}},
	})
	months := monthsGrain(1)
	for _, p := range s.Redrawn(march, 7, RecurringCuts([]Wish{{march, 1}})) {
		from, past := p.Args[0].Values[0], p.Args[1].Values[0]
		past.I++
		if months.value(months.index(from)) != from || months.index(past)-months.index(from) != 1 || months.value(months.index(past)) != past {
			t.Errorf("%s to before %s is no month", from.Text(), past.Text())
		}
	}
}

func TestGrainOf(t *testing.T) {
	date := predicate.DateValue
	tests := []struct {
		name  string
		cuts  []predicate.Value
		marks [2]predicate.Value // the marks with indices i and i+1 around the first cut
		ok    bool
	}{
		{"one constant tells nothing", ints(1000), [2]predicate.Value{}, false},
		{"years", []predicate.Value{date(8_766), date(9_496)}, [2]predicate.Value{date(8_766), date(9_131)}, true},
		{"months", []predicate.Value{date(9_190), date(9_221)}, [2]predicate.Value{date(9_190), date(9_221)}, true},
		{"round numbers", ints(400, 2_500), [2]predicate.Value{predicate.IntValue(400), predicate.IntValue(500)}, true},
		{"below zero", ints(-400, 2_500), [2]predicate.Value{predicate.IntValue(-400), predicate.IntValue(-300)}, true},
		{"odd numbers", ints(401, 2_500), [2]predicate.Value{}, false},
		{"texts have none", []predicate.Value{predicate.StringValue("a"), predicate.StringValue("b")}, [2]predicate.Value{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, ok := grainOf(tt.cuts)
			if ok != tt.ok {
				t.Fatalf("found: %v", ok)
			}
			if !ok {
				return
			}
			at := g.index(tt.cuts[0])
			if got := [2]predicate.Value{g.value(at), g.value(at + 1)}; got != tt.marks {
				t.Errorf("marks %v, want %v", got, tt.marks)
			}
		})
	}
}
