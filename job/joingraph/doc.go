// Package joingraph turns facts and row counts into the weighted join graph of a window:
// an edge for every pair of tables joined on the same columns, with its Join Importance
// Score (JIS) as the AJLO paper defines it and as decisions use it. It is pure.
//
// In come the query facts of the window's applications and a function that knows the row
// counts of the lake. Out goes a Graph: a value that holds no literal and no text of a query.
//
// What always holds: the same facts give the same graph in whatever order they come; an
// edge counts once per execution; Edges holds what ran as a sort-merge or shuffled-hash join
// at least once, Unscored the rest; scores lie in 0 … 1.
//
// What it leaves out: failed and unfinished queries, queries that start outside the window,
// and joins without equality keys, which are counted only.
package joingraph
