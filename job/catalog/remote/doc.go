// Package remote asks catalogs over the network where a table is: Iceberg REST catalogs. It is
// apart from package catalog since their client is a large part of the program.
//
// In comes a name as logs have it; out goes a place. What always holds: a catalog is asked only for
// names that are its own, nothing is changed in one, and what it answers is a place to look at, no
// more: the table itself is read from its folder. What it refuses to answer is an error that holds
// no token.
package remote
