// Package delta reads and commits to Delta Lake tables, after the protocol description of
// the Delta Lake project (PROTOCOL.md).
//
// In comes an object.Store rooted at a table's folder; out goes a Snapshot: protocol,
// metadata and live files of one version. A Change (files out, files in, the same rows)
// goes back as one commit. What always holds: a snapshot is whole or an error, versions are
// written put-if-absent, and a commit that finds others' commits before it either proves
// that they do not touch what it touches or gives up with a *Conflict.
//
// It refuses gaps and damage in the log, paths that leave the table's folder, and by name
// every feature that Unsupported lists. It writes no checkpoints and no checksum files:
// engines make their own, and read well without them.
//
// Statistics kept only in a checkpoint's typed columns (delta.checkpoint.writeStatsAsJson
// off) are not read: such files have unknown bounds.
//
// Spark's own writers to a local disk check for a version and then rename: two processes
// that are not all ajlo can overwrite one another's commits there, whatever ajlo does.
package delta
