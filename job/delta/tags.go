package delta

import (
	"encoding/json"
	"slices"
	"strings"

	"ajlo/job/layout"
	"ajlo/job/table"
)

// Tags of an added file that name its layout: ajlo's own, and the one of engines that
// cluster or z-order in cubes.
const (
	orderTag = "AJLO_ORDER" // a layout.Order
	keysTag  = "AJLO_KEYS"  // JSON list of column names
	cutsTag  = "AJLO_CUTS"  // the hash of learnt cuts, never the cuts
	cubeTag  = "ZCUBE_ZORDER_BY"
)

// CubeIDTag of a file names the cube that it was clustered in.
const CubeIDTag = "ZCUBE_ID"

// Owners of a layout, as lake.Snapshot names them.
const (
	OwnerUs   = "us"
	OwnerUser = "user"
	OwnerNone = "none"
	// OwnerPlatform is a platform that chooses a table's keys itself, by what is read.
	OwnerPlatform = "platform"
)

// LayoutTags are the tags of an added file that say which layout it was written in; none
// for a layout without keys.
func LayoutTags(l layout.Layout) map[string]string {
	if len(l.Clustering) == 0 {
		return nil
	}
	keys, err := json.Marshal(l.Clustering)
	if err != nil { // a list of strings always has JSON
		return nil
	}
	tags := map[string]string{orderTag: string(l.Order), keysTag: string(keys)}
	if l.Cuts != "" {
		tags[cutsTag] = l.Cuts
	}
	return tags
}

// CubeTags are the tags by which Spark's OPTIMIZE knows files that were clustered together:
// all files of one commit, whose id is a UUID of its own. Spark compares the keys, logical
// names in their order, with the table's; files of other keys it leaves alone until it is
// told to do all over. None for a layout without keys.
func CubeTags(m Metadata, l layout.Layout, id string) map[string]string {
	if len(l.Clustering) == 0 {
		return nil
	}
	names := make([]string, len(l.Clustering))
	for i, key := range l.Clustering {
		names[i] = attributeName(m.Schema, string(key))
	}
	keys, err := json.Marshal(names)
	if err != nil { // a list of strings always has JSON
		return nil
	}
	return map[string]string{CubeIDTag: id, cubeTag: string(keys)}
}

// attributeName is a key as Spark prints an attribute: a dot within a name, unlike one
// between names, takes backticks.
func attributeName(schema Schema, key string) string {
	whole := slices.ContainsFunc(schema, func(f Field) bool { return f.Name == key })
	if whole && strings.Contains(key, ".") {
		return "`" + key + "`"
	}
	return key
}

// TaggedLayout reads them back: the layout, without the tree of learnt cuts, whether ajlo
// (OwnerUs) or an engine (OwnerUser) wrote it, and false where the tags name none.
func TaggedLayout(tags map[string]string) (l layout.Layout, owner string, ok bool) {
	if keys, ok := tagKeys(tags[keysTag]); ok {
		order := layout.Order(tags[orderTag])
		switch order {
		case layout.Hilbert, layout.ZOrder, layout.Sort, layout.LearntCuts:
			l := layout.ClusteredBy(order, keys...)
			l.Cuts = tags[cutsTag]
			return l, OwnerUs, true
		}
	}
	if keys, ok := tagKeys(tags[cubeTag]); ok {
		return layout.ClusteredBy(layout.ZOrder, keys...), OwnerUser, true
	}
	return layout.Unordered(), OwnerNone, false
}

func tagKeys(text string) ([]table.Column, bool) {
	var keys []table.Column
	if err := json.Unmarshal([]byte(text), &keys); err != nil || len(keys) == 0 {
		return nil, false
	}
	return keys, true
}
