package delta

import "fmt"

// ConflictKind is why two commits cannot both be.
type ConflictKind string

// The kinds of conflicts.
const (
	ProtocolChanged ConflictKind = "protocol changed"
	MetadataChanged ConflictKind = "metadata changed"
	FileRemoved     ConflictKind = "file removed"
	FileReadded     ConflictKind = "file added again"
	ClusteringMoved ConflictKind = "clustering keys changed"
)

// Conflict is a commit by someone else that makes ours impossible. The table is as the other
// commit left it; reading it again and rewriting anew is the way on.
type Conflict struct {
	Kind    ConflictKind
	Version int64  // of the other commit
	What    string // the file or domain concerned, empty where the kind says all
}

func (c *Conflict) Error() string {
	what := ""
	if c.What != "" {
		what = " (" + c.What + ")"
	}
	return fmt.Sprintf("conflict with version %d: %s%s", c.Version, c.Kind, what)
}

// findConflict holds a commit that came first against ours, which takes out the files of
// removed and puts in those of added, all by decoded path. Appends never conflict: our
// commit changes no row and claims nothing about files it does not name. nil when both
// commits can be.
func findConflict(winner []action, version int64, removed, added map[string]bool) *Conflict {
	for _, a := range winner {
		if kind, what := a.conflict(removed, added); kind != "" {
			return &Conflict{Kind: kind, Version: version, What: what}
		}
	}
	return nil
}

func (a action) conflict(removed, added map[string]bool) (ConflictKind, string) {
	switch {
	case a.Protocol != nil:
		return ProtocolChanged, ""
	case a.Metadata != nil:
		return MetadataChanged, ""
	case a.Domain != nil && a.Domain.Name == clusteringDomain:
		return ClusteringMoved, clusteringDomain
	case a.Remove != nil && touches(a.Remove.RawPath, removed, added):
		return FileRemoved, a.Remove.RawPath
	case a.Add != nil && touches(a.Add.RawPath, removed, added):
		return FileReadded, a.Add.RawPath
	}
	return "", ""
}

// touches reports whether a path is one of ours. One that does not decode lies outside the
// table's folder, where we have no files.
func touches(raw string, removed, added map[string]bool) bool {
	path, err := decodePath(raw)
	return err == nil && (removed[path] || added[path])
}
