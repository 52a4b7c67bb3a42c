// Package shift makes the event logs of other days and other workloads out of real ones, for
// tests. In goes a folder of Spark's logs (rolled or single, zstd or plain); out comes a copy
// in which every time lies elsewhere, tasks took longer or shorter, and labelled queries run
// more or less often.
//
// It edits the text of the events and leaves every other byte as Spark wrote it: order of
// keys, spacing and plans stay. A repeated query gets executions, jobs, stages, tasks and
// accumulators of its own; its job tags stay those of the first. It refuses what it cannot
// take apart: a log of another codec, a line that is no JSON.
package shift
