// Package verify holds a table after a step against the table before it: that no row was
// lost, doubled or changed, and whether the step helped. In come an engine's result, two
// snapshots and what the plan foretold; out come effects. It is pure, and it refuses to call
// a step good whose rows do not add up.
package verify
