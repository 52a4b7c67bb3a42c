package execute

// EmbeddedName is the name of the engine in pure Go, in config, plan and state.
const EmbeddedName = "embedded"
