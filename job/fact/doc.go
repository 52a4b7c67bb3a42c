// Package fact turns the events of an application into query facts: what each user query
// scanned, on which predicates, what it joined on which columns, and what that cost. It is
// pure: events in, facts out, no clock and no storage.
//
// In: the events of package eventlog, in the order of the log.
//
// Out: one Query for each root execution whose tree of executions reads or writes a user
// table, the children folded into it. Scans and joins are those of the plan that ran; a join
// that was planned and removed at run time is kept without a strategy. Keys are followed
// through every operator to the columns they come from.
//
// The way through the files: extract gathers what belongs to an execution, digest reads its
// first and last plan (plantext and node draw the formatted text's tree; in other explain
// modes, or where the text was cut, tree and describe draw the one beside it, and hints adds
// what the text says beyond that; accelerator gives vendors' operators Spark's names;
// attribute takes lists apart, lineage and expression follow columns, scan, join and write
// read the operators, match ties scans to their metrics), fold makes queries of executions,
// statement finds their SQL, fingerprint names them.
//
// What always holds: the same events give the same facts. A log cut anywhere gives the facts
// of the whole log for every query that ended before the cut. What cannot be read of a plan
// is counted in Lost or is an unknown predicate, which never prunes. Memory follows the
// number of queries and the metrics that plans name, not the log: a plan's text goes when
// its execution ends.
//
// It refuses nothing. It leaves out: the engine's own reads (told by what they scan), upkeep
// such as OPTIMIZE and VACUUM, results of commands that ran as another execution, joins of
// which one side reads no user table.
//
// What an explain mode cannot tell is counted in Lost; all else is the same in all five. In
// simple and codegen nothing says what an aggregate puts out beside its keys, so joins on
// that are lost. In codegen the arguments of commands are not printed, so the table of a
// MERGE, UPDATE, DELETE or INSERT that runs as a command is lost. In all but formatted, lists
// are cut after 24 or 25 items: join keys beyond are lost, and values of long IN lists unless
// the scan was handed them.
package fact
