// Package eventlog turns the bytes of Spark's event logs into the few events that query
// facts are made of.
//
// In: a file system that holds logs as Spark and those who run it write them: rolling folders
// (eventlog_v2_*, with compact files), single files, Databricks' dated files, and the History
// Server's zip; on disk or in object storage; plain, or compressed with any of Spark's codecs or gzip, in layers. The
// content decides which, never the name.
//
// Out: the applications found, and for each of them its events in the order of the log. Two
// things move: of an execution's adaptive updates only the last is given, before its end; and
// what is held for ends that never came follows at the end of the log.
//
// What always holds: a log that was cut anywhere, or whose middle is damaged, gives every
// event before the cut and every event of the parts after it; what was lost is counted and
// named once in a Reading. Memory does not follow the log: a line whose event nobody needs
// is never held whole, what a line or a block declares to be costs nothing until it is there,
// and of executions and stages that did not end one line each is held, within bounds.
//
// It refuses: a folder that is not there. Lines and blocks beyond any that Spark writes are
// named in the Reading and passed over. So is a damaged block, with the line that it tears,
// where the framing says where the next one begins (zstd's frames, lz4, lzf, snappy), else the
// rest of its part.
package eventlog
