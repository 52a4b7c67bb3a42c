package predicate_test

import (
	"testing"

	"ajlo/job/predicate"
)

// chain leans to the left, as Spark prints a chain of ORs.
func chain(columns ...string) predicate.Predicate {
	var p predicate.Predicate
	for i, c := range columns {
		q := predicate.Predicate{Op: predicate.Eq, Column: "c", Values: []predicate.Value{predicate.IntValue(int64(i))}}
		if c != "" {
			q.Column = "d"
		}
		if p.Op == "" {
			p = q
			continue
		}
		p = predicate.Predicate{Op: predicate.Or, Args: []predicate.Predicate{p, q}}
	}
	return p
}

// The shape of a long chain is short, and still tells one chain from another.
func TestShapesOfLongChains(t *testing.T) {
	columns := make([]string, 20_000)
	long := chain(columns...).Shape()
	columns[10] = "another"
	other := chain(columns...).Shape()
	if len(long) > 10_000 || long == other || long == chain(columns[1:]...).Shape() {
		t.Errorf("%d characters; equal to another's: %t", len(long), long == other)
	}
	if got, want := chain("", "x", "").Shape(), "or(eq(c),or(eq(c),eq(d)))"; got != want {
		t.Errorf("a short one is %s, want %s", got, want)
	}
}
