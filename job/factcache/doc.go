// Package factcache keeps the facts of applications in files, so that a log that does not
// change is read once.
//
// In: the facts of one application as rows, and a key that says which log they were made
// from and by which code.
//
// Out: one Parquet file an application (schema/facts.parquet.md), and the rows again.
//
// What always holds: rows come back as they were given, types of literals included. A file
// appears whole or not at all, and its name carries a digest of its bytes: one that was cut,
// damaged, swapped, or written for another log, by other code or in another form, is never
// believed. Any file of a cache may be deleted at any time. Files are for their owner alone (0600,
// in folders of 0700; in object storage its rights say it), since literals are in them (rule 9).
// Of facts that shards wrote for a run, all shards are there, of one window, or none are used.
//
// It refuses nothing it wrote itself; what it does not know is as good as absent to Get,
// and an error with the file's name to Read.
package factcache
