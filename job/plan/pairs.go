package plan

import (
	"math"
	"slices"

	"ajlo/job/joingraph"
	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Estimator is how saved bytes are foretold.
type Estimator string

// The estimators: the queries' own predicates on samples, or the constant of the AJLO paper.
const (
	ByWhatIf   Estimator = "what_if"
	ByConstant Estimator = "constant"
)

// constantSaving is the part of a join's scans that the AJLO paper takes a layout by the
// join's keys to save, whatever the values and predicates are.
const constantSaving = 0.30

// foretell is what each read would scan of a table under a layout, whatever other tables lie
// by, corrected by what earlier steps on it have shown; and what the window's changes would
// rewrite.
func (in Input) foretell(w *weighed, l layout.Layout) (then []unit.Bytes, written unit.Bytes, err error) {
	if in.Settings.Estimator == ByConstant {
		return w.what.now, w.what.writtenNow, nil
	}
	laid, err := w.what.lay(l)
	if err != nil {
		return nil, 0, err
	}
	then = laid.bytesByRead(w.what.reads)
	if f := w.input.Correction; f != 0 {
		for i := range then {
			then[i] = unit.Bytes(math.Round(float64(then[i]) * f))
		}
	}
	return then, w.what.written(laid), nil
}

// pairs gives what layouts of two tables save only together. The what-if has none: on Spark
// with Delta Lake a join leaves files unread only through the predicates that reach each scan,
// so that two tables save what each saves alone. By the paper's constant a join's scans are
// read less once both its tables lie by its keys.
func (in Input) pairs(all []weighed, options [][]option) []pair {
	if in.Settings.Estimator != ByConstant {
		return nil
	}
	var list []pair
	for _, e := range in.joinsOf(all) {
		worth := in.Settings.worth(e.saves[0].total() + e.saves[1].total())
		two := pair{a: e.at[0], b: e.at[1]}
		for a := leave; a < len(options[two.a]); a++ {
			for b := leave; b < len(options[two.b]); b++ {
				two.add(a, b, e.realised(all, options, a, b), e.realised(all, options, leave, leave), worth)
			}
		}
		list = append(list, two)
	}
	return list
}

// add takes the term of two picks: what lies together now is lost where it no longer does.
func (p *pair) add(a, b int, then, now bool, worth unit.Bytes) {
	switch {
	case then && !now:
		p.terms = append(p.terms, term{a, b, worth})
	case now && !then:
		p.terms = append(p.terms, term{a, b, -worth})
	}
}

// joined is an edge between two weighed tables with what each class saves at either.
type joined struct {
	edge  joingraph.Edge
	at    [2]int
	saves [2]classBytes
}

// classBytes are bytes per window by class.
type classBytes map[string]unit.Bytes

func (c classBytes) total() (total unit.Bytes) {
	for _, b := range c {
		total += b
	}
	return total
}

// joinsOf gives the scored edges between two of the tables, in JIS order.
func (in Input) joinsOf(all []weighed) []joined {
	var list []joined
	for _, e := range in.Graph.Edges {
		a, b := placeOf(all, e.Left), placeOf(all, e.Right)
		if a < 0 || b < 0 || a == b {
			continue
		}
		list = append(list, joined{e, [2]int{a, b}, [2]classBytes{in.constantly(all[a], e), in.constantly(all[b], e)}})
	}
	return list
}

func placeOf(all []weighed, name table.Name) int {
	return slices.IndexFunc(all, func(w weighed) bool { return w.input.scannedAs(name) })
}

// constantly is what each class of the edge saves of a table by the paper's constant; a class
// with several joins of the table gives each an equal part.
func (in Input) constantly(w weighed, e joingraph.Edge) classBytes {
	saved := classBytes{}
	for _, c := range w.table.Queries {
		if !slices.Contains(e.Fingerprint, c.Fingerprint) {
			continue
		}
		edges := 0
		for _, other := range in.Graph.Edges {
			if slices.Contains(other.Fingerprint, c.Fingerprint) && (w.input.scannedAs(other.Left) || w.input.scannedAs(other.Right)) {
				edges++
			}
		}
		saved[c.Fingerprint] = unit.Bytes(constantSaving * float64(c.Now) / float64(edges))
	}
	return saved
}

// realised reports whether both tables lie by the edge's keys under the given picks.
func (j joined) realised(all []weighed, options [][]option, a, b int) bool {
	left := leading(all[j.at[0]].layoutOf(options[j.at[0]], a))
	right := leading(all[j.at[1]].layoutOf(options[j.at[1]], b))
	return slices.ContainsFunc(j.edge.Pairs, func(p joingraph.Pair) bool {
		return slices.Contains(left, p.Left) && slices.Contains(right, p.Right)
	})
}

func (w weighed) layoutOf(options []option, pick int) layout.Layout {
	if pick == leave {
		return w.table.Current
	}
	return w.table.Candidates[options[pick].candidate].Layout
}

// leading are the keys that a layout lies by: the first of a sort, all of a curve.
func leading(l layout.Layout) []table.Column {
	if l.Order == layout.Sort && len(l.Clustering) > 1 {
		return l.Clustering[:1]
	}
	return l.Clustering
}

// together writes what the chosen layouts save together into the tables' classes.
func (in Input) together(all []weighed, picks []int) {
	if in.Settings.Estimator != ByConstant {
		return
	}
	options := in.allowed(all)
	for _, j := range in.joinsOf(all) {
		saved := unit.Bytes(0)
		switch then, now := j.realised(all, options, picks[j.at[0]], picks[j.at[1]]), j.realised(all, options, leave, leave); {
		case then && !now:
			saved = 1
		case now && !then:
			saved = -1
		}
		for side, at := range j.at {
			t := &all[at].table
			for i := range t.Queries {
				bytes := saved * j.saves[side][t.Queries[i].Fingerprint]
				t.Queries[i].Then -= bytes
				t.ScannedBytesThen -= bytes
			}
		}
	}
}

// prospects drops the options that no picks of others can make worth their rewrite, and says
// so; the rest are the choice's.
func (in Input) prospects(all []weighed, options [][]option, pairs []pair) [][]option {
	kept := make([][]option, len(options))
	for at, list := range options {
		for i, o := range list {
			if float64(o.npv+most(pairs, at, i)) > in.Settings.Margin*float64(o.rewrite) {
				kept[at] = append(kept[at], o)
				continue
			}
			all[at].table.Candidates[o.candidate].Reason = "saves too little for its rewrite even where every table it is joined with lies by the same keys"
		}
	}
	return kept
}

// most is the most that a pick can be worth beside others.
func most(pairs []pair, at, pick int) (total unit.Bytes) {
	for _, p := range pairs {
		best := unit.Bytes(0)
		for _, t := range p.terms {
			if p.a == at && t.a == pick || p.b == at && t.b == pick {
				best = max(best, t.npv)
			}
		}
		total += best
	}
	return total
}
