// Package remote asks catalogs over the network where a table is: Iceberg REST catalogs, Hive
// Metastores, AWS Glue and Unity Catalogs. It is apart from package catalog since their clients are a
// large part of the program.
//
// In comes a name as logs have it; out goes a place. What always holds: a catalog is asked only for
// names that are its own, nothing is changed in one, every answer is waited for up to a limit, and what
// it answers is a place to look at, no more: the table itself is read from its folder. Tables of other
// formats, and views, are a *catalog.Unplaced. What it refuses to answer is an error that holds no
// token.
package remote
