package plan

import (
	"ajlo/job/dialect"
	"ajlo/job/lake"
)

// EmbeddedEngine is the name of the engine in pure Go, in config, plan and state. Its steps
// are no SQL: scripts render them as comments.
const EmbeddedEngine = "embedded"

// can is what the plan's dialect can do with a table.
func (s Settings) can(t lake.Snapshot) dialect.Capabilities {
	if t.Format == lake.Iceberg {
		return dialect.SparkIceberg{}.Can()
	}
	return s.Dialect.Can()
}

// upkeepTakes is what the engine rewrites of a table to put in order what came in: the embedded
// engine the files that a step lists, a Spark what its dialect says.
func (s Settings) upkeepTakes(t lake.Snapshot) dialect.Cost {
	if s.Engine == EmbeddedEngine && t.Format != lake.Iceberg {
		return dialect.NewFiles
	}
	return s.can(t).Upkeep
}
