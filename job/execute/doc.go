// Package execute carries out the steps of a plan through one engine contract. Nothing else
// in ajlo changes a table.
package execute
