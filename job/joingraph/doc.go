// Package joingraph turns facts and row counts into the weighted join graph of a window:
// an edge for every pair of tables joined on the same columns, with its Join Importance
// Score (JIS) as the AJLO paper defines it and as decisions use it. It is pure.
package joingraph
