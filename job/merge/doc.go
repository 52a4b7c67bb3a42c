// Package merge merges the rows of a source into a Delta table and keeps the table's layout: rows
// that do not change stay in their files' order, and are never sorted or shuffled.
//
// In comes a Request: a table, a source (a Delta table, Parquet files or a CSV file), the columns
// that both are joined on, a condition beside them, and clauses for rows that match and for those
// that do not: of each kind the first counts whose condition (package condition) a row meets. Out
// comes a Plan, and where it is applied one commit named MERGE with Spark's metrics. Deciding reads
// and changes nothing: the source is read whole, onto the disk where memory has no room for its
// values, then the columns that decide, of those files that bounds cannot exclude, and what becomes
// of their rows is kept. Applying writes each touched file anew in its own order, without deleted
// rows and with changed rows in their place as long as their clustering keys and their partition
// stay. Rows that are inserted go into a touched file whose bounds hold their clustering keys,
// while it has room; others, and rows that move, are written apart in the order of the clustering
// keys, together with small files that earlier merges wrote apart. Where the table takes deletion
// vectors, rows may be marked in one instead: by default where few rows of a file are deleted and
// none is updated.
//
// What always holds: the rows of the new files are those of the files that go out, less the rows
// that were changed or deleted, plus the new ones, by count and by the sum of rule 1, and the new
// files were read back; every new file is on the write-ahead list before it exists (rule 8); after
// an error the table is as it was. NULL matches nothing. A row of the table that several rows of
// the source match is an error unless it is deleted in any case, or left alone. When others change
// what was read, or add what might have matched, all is decided anew on the newest version.
//
// Where it is asked to, it gives the table the source's columns that it lacks, by the same commit.
//
// It refuses by name, before anything is written: what the embedded engine refuses, what
// delta.Unalterable lists, changes of an append-only table, NULL for a column that is NOT NULL,
// columns whose types are not the same, a source that lies in the table or holds it, and sources
// of more rows, or matches, than the memory limit has room for.
package merge
