// Package condition is the part of SQL that decides what a merge does to a row: conditions over a
// row t of the table and a row s of the source, and the values that it sets.
//
// In: the text of a condition or value, as Spark's MERGE has it. Columns are t.name or s.name, names
// that are no plain words in backticks. There are AND, OR, NOT, brackets, =, ==, <>, !=, <, <=, >, >=,
// <=>, IS [NOT] NULL, [NOT] IN (…), [NOT] BETWEEN … AND …, columns that are true or false, and the
// literals 12, 1.50, 1e3, 'text', "text", true, false, NULL, DATE '2026-11-30',
// TIMESTAMP '2026-11-30T08:00:00Z', TIMESTAMP_NTZ '2026-11-30 08:00:00'.
//
// Out: an Expr, and once the columns' types are known a Condition, which says of two rows whether it
// is true, by SQL's three-valued logic, and gives what it says of the table's row alone.
//
// What always holds: a condition is true for the same rows as in Spark, whatever Spark's settings.
//
// It refuses by name what it does not know (functions, arithmetic, LIKE, subqueries, fields of
// structs), and what the settings decide: comparisons of texts with numbers or times, times without a
// zone, backslashes and doubled quotes in texts, a FLOAT beside a column of whole numbers.
package condition
