// Package embedded is the engine in pure Go: it rewrites Delta tables on local disks and
// object storage, in limited memory, without Spark.
//
// In comes a step of a plan; out comes one commit that removes the table's live files, or those
// that the step lists, and adds the same rows in the step's layout, partition by partition,
// marked as changing no data. Deleted rows stay out, rows keep their ids where the table tracks
// them, and files of a table that an engine clusters carry that engine's tags. What always
// holds: the rows are equal before anything is committed (rule 1); every file is on the
// write-ahead list before it exists (rule 8); after an error or a cancelled context before
// the commit the table is as it was and the new files are gone; while it is not known
// whether the commit was written no file is deleted. When others change what was read, the
// rewrite is done again on the newest version.
//
// With leave a step gives the table other partition columns: all files are rewritten as one, the
// commit changes the table's metadata, too, and whatever others commit meanwhile has it done again.
//
// It refuses, before a byte is written and by name: tables that are not Delta, tables on S3
// whose writers nobody vouches for or whose server ignores the condition of a put (rule 4), every
// feature that delta.Unsupported lists,
// a schema or protocol other than planned, layouts it cannot make,
// and disks without room for the table a second time or for rows that do not fit in memory.
//
// Spark's own writers on a local disk are not safe against other processes: between their
// look at the newest version and their rename they overwrite a commit that came in between.
package embedded
