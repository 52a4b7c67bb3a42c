// Package drift measures how far the workload of one window has moved from that of an
// earlier one, edge by edge, and decides whether that calls for new keys. It is pure.
//
// In come two join graphs; out goes a Score, and from the scores of both references a
// Trigger with its reason in words.
//
// What always holds: every change and every score lies in 0 … 1; the same workload on a
// slower or busier cluster, whose task times all differ by one factor, scores exactly 0; so
// do tables that merely grew, since an edge keeps the D it had in the reference.
//
// What it does not take out: a workload that runs more or less often. Frequencies of both
// windows are normalised together, so that ten times the queries is a change and shows as
// one, even where it hits every edge alike.
package drift
