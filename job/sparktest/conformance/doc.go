// Package conformance holds ajlo's rewrites of Delta tables against the engines themselves. In
// go tables of every feature, type and history that Spark and delta-rs write (tables/,
// deltars.py); each is rewritten by the embedded engine, or must be refused by name and left as
// it was. Afterwards Spark and delta-rs must read the rows they read before, down to NaN and
// the sign of zero, and Spark must go on working with the table: its history, row ids, change
// feed, identity and OPTIMIZE, which leaves a table alone that is clustered by its own keys.
//
// It holds tests only, under the tag `spark`. A seeded tenth of the tables is tested on the
// pinned Spark; where AJLO_SOAK is set all of them, on every version that scripts/versions.env
// lists or on those that AJLO_ENGINES names.
package conformance
