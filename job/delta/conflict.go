package delta

// ConflictKind is why two commits cannot both be.
type ConflictKind string

// The kinds of conflicts.
const (
	ProtocolChanged ConflictKind = "protocol"
	MetadataChanged ConflictKind = "metadata"
	FileRemoved     ConflictKind = "file removed"
	FileReadded     ConflictKind = "file added again"
	ClusteringMoved ConflictKind = "clustering"
)

// Conflict is a commit by someone else that makes ours impossible.
type Conflict struct {
	Kind    ConflictKind
	Version int64  // of the other commit
	What    string // file, domain or property
}

func (c *Conflict) Error() string { panic("not there yet") }
