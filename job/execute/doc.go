// Package execute carries out the steps of a plan through one engine contract. Nothing else
// in ajlo changes a table.
//
// In comes one typed step and a recorder; out comes what the step did. What always holds: a
// step is done whole or the table is as it was, the rows before equal the rows after (rule
// 1), and what an engine is about to write is on the recorder's write-ahead list before it is
// there (rule 8): each file, or, of an engine that does not name files itself, its commit. What
// an engine must not or cannot do is a *Refusal, before a byte is written. Package enginetest
// holds the embedded engine to this by faults in the storage; the engine on Spark commits by
// itself, so that its rows are compared after the commit, and is tested on a real Spark.
package execute
