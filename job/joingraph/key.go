package joingraph

import (
	"cmp"
	"slices"
	"strings"

	"ajlo/job/fact"
	"ajlo/job/table"
)

// identity is what makes two joins the same edge: the tables, lesser name first, and the
// sorted column pairs. The join's type and strategy are no part of it.
type identity struct {
	left, right table.Name
	pairs       []Pair
}

// identitiesOf splits a join by pairs of tables, since the keys of one join node may come
// from several tables. Keys without a known table are left out.
func identitiesOf(j fact.Join) []identity {
	type tables struct{ left, right table.Name }
	found := map[tables][]Pair{}
	for i := range min(len(j.Left), len(j.Right)) {
		l, r := j.Left[i], j.Right[i]
		if l.Table == "" || r.Table == "" {
			continue
		}
		if l.Table > r.Table {
			l, r = r, l
		}
		t := tables{l.Table, r.Table}
		found[t] = append(found[t], Pair{Left: l.Column, Right: r.Column})
	}
	out := make([]identity, 0, len(found))
	for t, pairs := range found {
		out = append(out, identity{left: t.left, right: t.right, pairs: canonical(pairs, t.left == t.right)})
	}
	slices.SortFunc(out, func(a, b identity) int { return cmp.Compare(a.key(), b.key()) })
	return out
}

// canonical sorts the pairs and drops repeats. The sides of a self-join have no order of
// their own, so the lesser of its two orientations stands for both: turning each pair on its
// own would make a.x = b.y AND a.y = b.x the same edge as a.x = b.y alone.
func canonical(pairs []Pair, self bool) []Pair {
	pairs = sortedPairs(pairs)
	if !self {
		return pairs
	}
	turned := make([]Pair, len(pairs))
	for i, p := range pairs {
		turned[i] = Pair{Left: p.Right, Right: p.Left}
	}
	if turned = sortedPairs(turned); slices.CompareFunc(turned, pairs, comparePairs) < 0 {
		return turned
	}
	return pairs
}

func sortedPairs(pairs []Pair) []Pair {
	slices.SortFunc(pairs, comparePairs)
	return slices.Compact(pairs)
}

func comparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right))
}

// key is the identity as text; different identities have different texts.
func (i identity) key() EdgeKey {
	left, right := make([]string, len(i.pairs)), make([]string, len(i.pairs))
	for n, p := range i.pairs {
		left[n], right[n] = quoted(string(p.Left)), quoted(string(p.Right))
	}
	return EdgeKey(quoted(string(i.left)) + "(" + strings.Join(left, ", ") + ") = " +
		quoted(string(i.right)) + "(" + strings.Join(right, ", ") + ")")
}

// quoted puts a name into backticks where it holds a character that the key's own grammar
// uses, since names come from logs and may hold anything.
func quoted(name string) string {
	if !strings.ContainsAny(name, "`(),=") {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
