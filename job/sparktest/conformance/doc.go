// Package conformance holds ajlo's rewrites of Delta tables against another engine. In go
// tables that delta-rs writes (deltars.py); each is rewritten by the embedded engine, or must
// be refused by name and left as it was. Afterwards delta-rs, which shares no code with ajlo,
// must read the rows it read before, down to NaN and the sign of zero.
//
// It holds tests only, under the tag `spark`: delta-rs is installed beside the pinned Spark.
package conformance
