package predicate

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func addSeeds(f *testing.F) {
	for _, seed := range []string{
		"[IsNotNull(k), GreaterThanOrEqual(k,120000), In(s, [a,b]), Or(EqualTo(s,x),Not(LessThan(dt,1998-07-01)))]",
		"[StringStartsWith(s,12), EqualNullSafe(k,null), ... 3 more fields]",
		"((isnotnull(k#1L) AND (k#1L >= 120000)) OR NOT StartsWith(s#2, a) AND b)",
		"(((s#2 = ) OR k#1L IN (1,2)) AND k#1L INSET 1, 2)",
		"k IS NOT NULL, s = 'x', (k < 5 OR NOT (s LIKE 'a%')), k IN (1, 2)",
		"(((((((((", "))))", "[Or(Or(Or(,),),)]", "[Not(Not(Not(",
	} {
		f.Add(seed)
	}
}

// FuzzParse: no text makes a parser fail or give a node that is no predicate.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		s := scope(t)
		pushed, _ := s.ParsePushed(text)
		condition, _ := s.ParseCatalyst(text)
		list, _ := s.ParseCatalystList(text)
		for _, all := range [][]Predicate{pushed, condition, list, s.ParseIceberg(text), Merge(pushed, condition)} {
			for _, p := range all {
				checkNode(t, p)
			}
		}
	})
}

// checkNode holds what predicate.go says of each operator.
func checkNode(t *testing.T, p Predicate) {
	t.Helper()
	args, values, named := len(p.Args), len(p.Values), p.Column != ""
	var ok bool
	switch p.Op {
	case And, Or:
		ok = args >= 2 && values == 0 && !named
	case Not:
		ok = args == 1 && values == 0 && !named
	case Eq, Ne, Lt, Le, Gt, Ge, EqNullSafe, Prefix:
		ok = args == 0 && values == 1 && named
	case In:
		ok = args == 0 && values >= 1 && named
	case IsNull, NotNull:
		ok = args == 0 && values == 0 && named
	case Unknown:
		ok = args == 0 && values == 0
	}
	if !ok {
		t.Errorf("malformed node %+v", p)
	}
	for _, a := range p.Args {
		checkNode(t, a)
	}
}

// spelt is a predicate with its two spellings.
type spelt struct {
	p                Predicate
	pushed, catalyst string
}

func speltGenerator() *rapid.Generator[spelt] {
	leaf := rapid.Custom(func(t *rapid.T) spelt {
		n := rapid.Int64().Draw(t, "n")
		text := rapid.StringMatching(`[a-z ]{0,5}`).Draw(t, "text")
		return rapid.SampledFrom([]spelt{
			{pred(Ge, "k", IntValue(n)), fmt.Sprintf("GreaterThanOrEqual(k,%d)", n), fmt.Sprintf("(k#1L >= %d)", n)},
			{pred(Eq, "s", StringValue(text)), fmt.Sprintf("EqualTo(s,%s)", text), fmt.Sprintf("(s#2 = %s)", text)},
			{pred(NotNull, "dt"), "IsNotNull(dt)", "isnotnull(dt#4)"},
			{pred(In, "k", IntValue(min(n, 1)), IntValue(max(n, 1))), fmt.Sprintf("In(k, [%d,1])", n), fmt.Sprintf("k#1L IN (%d,1)", n)},
		}).Draw(t, "leaf")
	})
	return rapid.Custom(func(t *rapid.T) spelt {
		all := rapid.SliceOfN(leaf, 1, 20).Draw(t, "leaves")
		x := all[0]
		for _, y := range all[1:] {
			x = spelt{nest(Or, x.p, y.p), "Or(" + x.pushed + "," + y.pushed + ")", "(" + x.catalyst + " OR " + y.catalyst + ")"}
		}
		return x
	})
}

// Both spellings of a predicate are read as that predicate.
func TestParseBothSpellings(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, s := speltGenerator().Draw(r, "predicate"), scope(t)
		if got, _ := s.ParsePushed("[" + x.pushed + "]"); len(got) != 1 || !got[0].Equal(x.p) {
			r.Errorf("%s read as %+v", x.pushed, got)
		}
		if got, _ := s.ParseCatalyst(x.catalyst); len(got) != 1 || !got[0].Equal(x.p) {
			r.Errorf("%s read as %+v", x.catalyst, got)
		}
	})
}

// Chains of thousands of conditions, as generators write them, are read whole.
func TestParseLongChains(t *testing.T) {
	const terms = 5000
	for _, op := range []Op{And, Or} {
		condition := "(k#1L = 0)"
		for i := 1; i < terms; i++ {
			condition = fmt.Sprintf("(%s %s (k#1L = %d))", condition, strings.ToUpper(string(op)), i)
		}
		got, _ := scope(t).ParseCatalyst(condition)
		if leaves := countLeaves(got); leaves != terms {
			t.Errorf("%s: %d of %d conditions read", op, leaves, terms)
		}
	}
}

func countLeaves(all []Predicate) (n int) {
	for _, p := range all {
		if p.Op == Eq {
			n++
		}
		n += countLeaves(p.Args)
	}
	return n
}
