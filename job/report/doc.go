// Package report renders the values of a run for people: facts, a plan, what became of its
// steps, and a table as it lies. One value has one renderer for each audience; JSON is the
// value itself. In come plain values, out goes text; nothing here decides. Literals of
// queries never appear but in facts (rule 9).
package report
