// Package eventlog turns the bytes of Spark's event logs into the few events that query
// facts are made of.
//
// In: a file system that holds logs as Spark writes them: rolling folders
// (eventlog_v2_*, one file a part) and single files, plain or compressed with zstd; the
// content decides which, never the name.
//
// Out: the applications found, and for each of them its events in the order of the log.
//
// What always holds: a log that was cut anywhere, or whose middle is damaged, gives every
// event before the cut and every event of the parts after it; what was lost is counted and
// named once in a Reading. Memory does not follow the log: a line whose event nobody needs
// is never held whole.
//
// It refuses: a folder that is not there. Compressions it cannot undo (lz4, lzf, snappy,
// gzip) are named in the Reading and not read.
package eventlog
