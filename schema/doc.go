// Package schema holds the contracts that outlive a program: the migrations of the state
// file and the JSON schemas of what ajlo reads and prints. It has no logic; a migration that
// was released is never edited, the next one changes what it made.
package schema

import "embed"

// Migrations are the steps from an empty state file to the present one, in the order of
// their names: "migrations/0001_….sql" makes format 1.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// JSON are the JSON schemas (draft 2020-12), by file name: "plan.json", "facts.json".
//
//go:embed *.json
var JSON embed.FS
