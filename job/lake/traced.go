package lake

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/table"
)

// traceBack is how many commits are read to find out who set a table's keys: those of some
// weeks of nightly jobs, or of hours of a stream.
const traceBack = 100

// putBack is what a rollback calls its commit of files of before.
const putBack = "RESTORE"

// traced is a layout with what the log's history adds to what the table itself says.
type traced struct {
	layout layout.Layout
	owner  string
	laid   map[string]bool // files in that layout; nil where their tags tell
}

// trace looks in a table's history for what its files and domains do not tell: whether
// declared keys were set by a step of ajlo on a Spark, by which keys OPTIMIZE ZORDER BY, which
// leaves no mark on a file, ordered the table, and by which ajlo did where others changed so many
// rows since that most bytes carry its mark no more. A commit that cannot be read ends the
// history, since nothing in it is needed to read the table; of a table without declared keys so
// does one since which too much came in for an older one to have ordered it. What MERGE, UPDATE and
// DELETE wrote anew did not come in: its rows were there.
func trace(ctx context.Context, store object.Store, s delta.Snapshot, found layout.Layout) (traced, bool) {
	declared := declaredKeys(s)
	if len(declared) == 0 && len(found.Clustering) > 0 {
		return traced{}, false // the tags have told
	}
	seen, since, undone := 0, newcomers(s), map[string]bool{}
	for e, err := range delta.History(ctx, store, s.Version) {
		if seen++; err != nil || seen > traceBack {
			break
		}
		switch {
		case e.Operation == putBack && stamped(e):
			for _, path := range e.Removed { // files that came back lie as they did, before the step whose files went
				undone[path] = true
			}
		case len(declared) == 0 && changes(e):
			continue
		case len(declared) == 0 && lays(e) && stamped(e):
			if t, ok := byUs(s, e, found); ok && !slices.ContainsFunc(e.Added, func(f delta.Add) bool { return undone[f.Path] }) {
				return t, true
			}
			since(e)
		case len(declared) == 0 && e.Operation == "OPTIMIZE" && len(keysOf(e, "zOrderBy")) > 0:
			if t, ok := byZOrder(s, e, found); ok {
				return t, true
			}
			since(e)
		case len(declared) > 0 && e.Operation == "CLUSTER BY" && slices.Equal(splitKeys(e.Parameters["newClusteringColumns"]), declared):
			return byDeclaration(s, declared, found), stamped(e)
		case len(declared) == 0 && since(e) >= 1-tagShare:
			return traced{}, false
		}
	}
	return traced{}, false
}

// byDeclaration is the layout of keys that a step of ajlo declared. While no file lies by them the
// step did not get further than that, and the table lies as it did before.
func byDeclaration(s delta.Snapshot, declared []table.Column, found layout.Layout) traced {
	lies := func(f delta.Add) bool {
		l, _, ok := delta.TaggedLayout(f.Tags)
		return ok && layout.SameKeys(l, layout.Layout{Clustering: declared})
	}
	if len(s.Files) == 0 || slices.ContainsFunc(s.Files, lies) {
		return traced{layout: found, owner: delta.OwnerUs}
	}
	unlaid := layout.Unordered()
	unlaid.Partition = found.Partition
	return traced{layout: unlaid, owner: delta.OwnerNone}
}

// newcomers gives the share of a table's live bytes that came in by the commits that it was told
// of so far.
func newcomers(s delta.Snapshot) func(delta.Entry) float64 {
	var total, added float64
	live := map[string]float64{}
	for _, f := range s.Files {
		live[f.Path] = float64(f.Size)
		total += float64(f.Size)
	}
	return func(e delta.Entry) float64 {
		for _, f := range e.Added {
			added += live[f.Path]
			delete(live, f.Path)
		}
		return added / max(total, 1)
	}
}

// changes reports whether a commit changes rows that are there.
func changes(e delta.Entry) bool {
	return e.Operation == "MERGE" || e.Operation == "UPDATE" || e.Operation == "DELETE"
}

// lays reports whether a commit is one by which ajlo lays a table.
func lays(e delta.Entry) bool { return e.Operation == "OPTIMIZE" || e.Operation == "REPARTITION" }

// byUs is the layout that a step of ajlo gave the table, however little of it is left.
func byUs(s delta.Snapshot, e delta.Entry, found layout.Layout) (traced, bool) {
	l, owner, ok := taggedLayout(e.Added)
	laid := map[string]bool{}
	if ok && owner == delta.OwnerUs {
		for _, f := range s.Files {
			tagged, by, ok := delta.TaggedLayout(f.Tags)
			laid[f.Path] = ok && by == owner && tagged.Cuts == l.Cuts && layout.SameKeys(tagged, l)
		}
	} else if l = zOrderOf(e); len(l.Clustering) > 0 {
		for _, f := range e.Added {
			laid[f.Path] = true
		}
	}
	l.Partition = found.Partition
	return traced{l, delta.OwnerUs, laid}, len(l.Clustering) > 0
}

// byZOrder is the layout that a commit of OPTIMIZE ZORDER BY made, where more than tagShare of
// the live bytes are still its files.
func byZOrder(s delta.Snapshot, e delta.Entry, found layout.Layout) (traced, bool) {
	added := map[string]bool{}
	for _, f := range e.Added {
		added[f.Path] = true
	}
	var ordered, total int64
	for _, f := range s.Files {
		total += f.Size
		if added[f.Path] {
			ordered += f.Size
		}
	}
	l := zOrderOf(e)
	l.Partition = found.Partition
	return traced{l, delta.OwnerUser, added}, float64(ordered) > tagShare*float64(total)
}

// zOrderOf is the layout that OPTIMIZE ZORDER BY makes, without keys where it was none.
func zOrderOf(e delta.Entry) layout.Layout {
	keys := keysOf(e, "zOrderBy")
	switch len(keys) {
	case 0:
		return layout.Unordered()
	case 1:
		return layout.ClusteredBy(layout.Sort, keys...) // one key's z-order is its own order
	}
	return layout.ClusteredBy(layout.ZOrder, keys...)
}

func stamped(e delta.Entry) bool {
	_, ok := delta.ParseStamp(e.UserMetadata)
	return ok
}

// keysOf reads a parameter that Spark spells as a JSON list of columns.
func keysOf(e delta.Entry, parameter string) (keys []table.Column) {
	if err := json.Unmarshal([]byte(e.Parameters[parameter]), &keys); err != nil {
		return nil
	}
	return keys
}

// splitKeys reads a parameter that Spark spells as columns apart by commas.
func splitKeys(text string) (keys []table.Column) {
	for key := range strings.SplitSeq(text, ",") {
		keys = append(keys, table.Column(key))
	}
	return keys
}

// with puts what was traced over a snapshot.
func (s Snapshot) with(t traced) Snapshot {
	s.Layout, s.Owner = t.layout, t.owner
	if t.laid == nil {
		return s
	}
	s.Files = slices.Clone(s.Files)
	for i := range s.Files {
		s.Files[i].Laid = t.laid[s.Files[i].Path]
	}
	return s
}
