package lake

import (
	"strings"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/table"
)

// tagShare is the part of a table's bytes that has to carry one layout for the table to be
// said to be in it: appends since the last rewrite do not undo a layout, they call for upkeep.
const tagShare = 0.5

// autoKeys is the property of a table of Databricks' whose keys the platform chooses and keeps
// (CLUSTER BY AUTO).
const autoKeys = "clusterByAuto"

// layoutOf finds the layout a table is in and who set it. Declared clustering keys are the
// user's wish and come first; then the tags that a rewrite left on its files.
func layoutOf(s delta.Snapshot) (layout.Layout, string) {
	found, owner := layout.Unordered(), delta.OwnerNone
	if keys := declaredKeys(s); len(keys) > 0 {
		found, owner = layout.ClusteredBy(layout.Hilbert, keys...), delta.OwnerUser
	} else if l, by, ok := taggedLayout(s.Files); ok {
		found, owner = l, by
	}
	if strings.EqualFold(s.Metadata.Configuration[autoKeys], "true") {
		owner = delta.OwnerPlatform
	}
	for _, c := range s.Metadata.PartitionColumns {
		found.Partition = append(found.Partition, table.Column(c))
	}
	return found, owner
}

// markLaid tells the files that were written in the layout from those that came in since.
func markLaid(list []File, adds []delta.Add, l layout.Layout, owner string) {
	for i, add := range adds {
		tagged, by, ok := delta.TaggedLayout(add.Tags)
		list[i].Laid = ok && by == owner && tagged.Cuts == l.Cuts && layout.SameKeys(layout.Layout{Clustering: tagged.Clustering}, layout.Layout{Clustering: l.Clustering})
	}
}

// declaredKeys are the keys of liquid clustering. One inside a struct is named by its dotted
// path.
func declaredKeys(s delta.Snapshot) []table.Column {
	var keys []table.Column
	for _, path := range s.ClusteringKeys() {
		keys = append(keys, table.Column(strings.Join(path, ".")))
	}
	return keys
}

// taggedLayout is the layout that most bytes are tagged with.
func taggedLayout(files []delta.Add) (layout.Layout, string, bool) {
	type tagged struct {
		layout layout.Layout
		owner  string
		bytes  int64
	}
	var total int64
	shares := map[string]*tagged{}
	for _, f := range files {
		total += f.Size
		l, owner, ok := delta.TaggedLayout(f.Tags)
		if !ok {
			continue
		}
		id := owner + " " + l.String() + " " + l.Cuts
		if shares[id] == nil {
			shares[id] = &tagged{layout: l, owner: owner}
		}
		shares[id].bytes += f.Size
	}
	for _, t := range shares { // at most one can hold more than half
		if float64(t.bytes) > tagShare*float64(total) {
			return t.layout, t.owner, true
		}
	}
	return layout.Layout{}, "", false
}
