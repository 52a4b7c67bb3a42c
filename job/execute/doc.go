// Package execute carries out the steps of a plan through one engine contract. Nothing else
// in ajlo changes a table.
//
// In comes one typed step and a recorder; out comes what the step did. What always holds: a
// step is done whole or the table is as it was, the rows before equal the rows after (rule
// 1), and every file is on the recorder's write-ahead list before it exists (rule 8). What an
// engine must not or cannot do is a *Refusal, before a byte is written. Package enginetest
// holds every engine to this.
package execute
