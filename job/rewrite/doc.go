// Package rewrite puts the rows of a table's files into another order: read, order, write.
//
// In comes a store rooted at the table's folder, the live files, the table's schema and the
// wanted layout; out come new files beside the old ones, their statistics, and two sums of
// rows: of the files that were read, and of the new files as read back from storage. What
// always holds (rule 1): both sums are equal or the new files are removed and an error is
// returned. Nothing is committed here; whoever does removes the new files if that fails.
//
// A merge uses the parts: Prepare reads footers, Scan reads rows in their files' order, Write makes
// a file of rows in the order in which they come, Lay puts rows that come in any order into a
// layout. The last two read back what they wrote.
//
// Memory is limited: rows that do not fit are spilled into a file without a name in a folder
// of the caller's choice, never in the table's. Columns whose stored type is not one that the
// table's type may be stored as, files in the calendar of Spark 2, and encrypted files are
// refused before a byte is written.
//
// Files are written as Spark writes them with three differences that every reader takes:
// timestamps are INT64 microseconds (Spark's default is INT96, which has no statistics that
// readers use), all columns are optional, and the page index is there.
package rewrite
