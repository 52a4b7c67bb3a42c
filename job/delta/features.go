package delta

// Unsupported names, in words for people, everything of the table that a rewrite by ajlo
// does not handle: protocol versions, features, properties, partition columns, deletion
// vectors. Empty means that the table may be rewritten.
func Unsupported(s Snapshot) []string { panic("not there yet") }
