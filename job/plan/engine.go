package plan

// EmbeddedEngine is the name of the engine in pure Go, in config, plan and state. Its steps
// are no SQL: scripts render them as comments.
const EmbeddedEngine = "embedded"
