// Package delta reads and commits to Delta Lake tables, after the protocol description of
// the Delta Lake project (PROTOCOL.md).
//
// In comes an object.Store rooted at a table's folder; out goes a Snapshot: protocol,
// metadata and live files of one version. A Change (files out, files in, with the same rows
// or, for a MERGE, others) goes back as one commit. What always holds: a snapshot is whole or an error, versions are
// written put-if-absent, and a commit that finds others' commits before it either proves
// that they do not touch what it touches or gives up with a *Conflict.
//
// Logs are read in all their forms: commits, compactions of them, classic, multi-part and v2
// checkpoints with sidecars. A commit carries what the table's features ask of it: row ids,
// in-commit timestamps, the clustering provider; where the table's interval says so it is
// followed by a checkpoint.
//
// It refuses gaps and damage in the log, paths that leave the table's folder, a clock that
// lies far behind the table's history, and by name every feature that Unsupported lists. It
// writes no checksum files: engines make their own, and read well without them.
//
// Statistics that a checkpoint keeps in typed columns only (delta.checkpoint.writeStatsAsJson
// off) are read from there; ajlo writes none, so such tables get no checkpoint of its own. Delta
// Lake 4.3 writes them; 3.3 and 4.0 write neither form then, and files have unknown bounds.
//
// Spark's own writers to a local disk check for a version and then rename: two processes
// that are not all ajlo can overwrite one another's commits there, whatever ajlo does.
package delta
