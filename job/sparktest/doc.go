// Package sparktest runs a real Spark with Delta Lake under tests, so that what ajlo foretells
// and writes is held against the engine itself. In goes SQL; out come rows, and what each
// scan of a query really read by the executed plan's own metrics, which no code of ajlo has
// touched.
//
// All but this comment is built with the tags `spark` and `s3` only. A test that finds no Spark
// fails and says how to install it; it is never skipped. One process serves a test from start
// to end, statements come one at a time or in batches, and nothing it starts outlives the test.
package sparktest
