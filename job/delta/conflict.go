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
	RowsChanged     ConflictKind = "rows of a file that was read were changed"
	RowsAdded       ConflictKind = "rows that might have been read were added"
	Overtaken       ConflictKind = "another commit came first"
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

// stakes is what a commit that comes first must not touch, all by decoded path.
type stakes struct {
	removed, added map[string]bool
	// whole is true of a commit that changes how all of the table lies: any other is in its way.
	whole bool
	// read are files whose rows decided what our commit does; nil for a rearrangement, which
	// claims nothing about files it does not name, so that appends never conflict with it.
	read map[string]bool
	sees func(Add) bool
}

func (c Change) stakes() stakes {
	s := stakes{removed: pathSet(c.Remove), added: pathSet(c.Add), whole: c.Metadata != nil && c.Alters == nil}
	if c.Alters != nil {
		s.read, s.sees = pathSet(c.Alters.Read), c.Alters.Sees
	}
	return s
}

// findConflict holds a commit that came first against ours; nil when both commits can be.
func (s stakes) findConflict(winner []action, version int64) *Conflict {
	if s.whole {
		return &Conflict{Kind: Overtaken, Version: version}
	}
	for _, a := range winner {
		if kind, what := a.conflict(s); kind != "" {
			return &Conflict{Kind: kind, Version: version, What: what}
		}
	}
	s.follow(winner)
	return nil
}

// follow takes note of where rows went that were read: a rearrangement puts them into other
// files.
func (s stakes) follow(winner []action) {
	moved := false
	for _, a := range winner {
		moved = moved || a.Remove != nil && touches(a.Remove.RawPath, s.read, nil)
	}
	for _, a := range winner {
		if !moved || a.Add == nil {
			continue
		}
		if path, err := decodePath(a.Add.RawPath); err == nil {
			s.read[path] = true
		}
	}
}

func (a action) conflict(s stakes) (ConflictKind, string) {
	switch {
	case a.Protocol != nil:
		return ProtocolChanged, ""
	case a.Metadata != nil:
		return MetadataChanged, ""
	case a.Domain != nil && a.Domain.Name == clusteringDomain:
		return ClusteringMoved, clusteringDomain
	case a.Remove != nil && touches(a.Remove.RawPath, s.removed, s.added):
		return FileRemoved, a.Remove.RawPath
	case a.Add != nil && touches(a.Add.RawPath, s.removed, s.added):
		return FileReadded, a.Add.RawPath
	case a.Remove != nil && a.Remove.DataChange && touches(a.Remove.RawPath, s.read, nil):
		return RowsChanged, a.Remove.RawPath
	case a.Add != nil && a.Add.DataChange && s.wouldRead(*a.Add):
		return RowsAdded, a.Add.RawPath
	}
	return "", ""
}

// wouldRead reports whether rows of a file that came in since would have been read. One whose
// path does not decode may hold anything.
func (s stakes) wouldRead(f Add) bool {
	if s.sees == nil {
		return false
	}
	var err error
	f.Path, err = decodePath(f.RawPath)
	return err != nil || s.sees(f)
}

// touches reports whether a path is one of ours. One that does not decode lies outside the
// table's folder, where we have no files.
func touches(raw string, ours, more map[string]bool) bool {
	path, err := decodePath(raw)
	return err == nil && (ours[path] || more[path])
}
