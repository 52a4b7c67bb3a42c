// Package state keeps every decision and every change in one SQLite file: runs, windows, join
// graphs, drift, plans, candidates, steps, the write-ahead list of files, and effects, with
// views named audit_… that an auditor reads with any SQLite tool and without this code.
//
// In come the stages' values, by the methods of a Run; out go the reference windows for
// drift and the leftovers of dead runs, by the methods of a Store.
//
// A state may live in object storage (Stored): a copy is fetched, and each record is put back as
// the next version before it counts, so that what holds for processes of one machine holds for
// machines.
//
// What always holds: at most one run holds the lease, across processes, and only it can
// write; what a method recorded is on disk when it returns; each migration happens whole or
// not at all; a run that was killed reads as interrupted once the next one begins, and its
// steps as applied, failed or pending (rule 8); no literal of a query gets in but the learnt cut
// points of a plan's own text (rule 9). The
// clock comes from outside; times are UTC microseconds (rule 11).
//
// What it refuses: a file of a newer ajlo, of another program, or that is damaged; a second
// run while another holds the lease (*LeaseHeld); a second run of a night that is done
// (*AlreadyDone); any write of a run whose lease another has taken (ErrLeaseLost).
package state
