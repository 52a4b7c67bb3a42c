package delta

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The newest versions of the protocol that list their features by name.
const (
	featureReader = 3
	featureWriter = 7
)

// handled are the table features that a rewrite by ajlo fulfils, each with the reason.
var handled = map[string]string{
	"appendOnly":          "forbids changing rows, not rearranging them: the protocol allows removes with dataChange=false",
	"invariants":          "no column may have one, see columnObstacles",
	"timestampNtz":        "read, ordered, written and given statistics like any other type",
	"vacuumProtocolCheck": "binds VACUUM only, which ajlo does not do",
}

// legacyWriter names what each numbered writer version asked for on top of the one before.
// ajlo handles version 2; a table on a later one may use any of its features.
var legacyWriter = map[int][]string{
	3: {"checkConstraints"},
	4: {"changeDataFeed", "generatedColumns"},
	5: {"columnMapping"},
	6: {"identityColumns"},
}

// Unsupported names, in words for people, everything of the table that a rewrite by ajlo
// does not handle: protocol versions, features, properties, columns, partitions, deletion
// vectors. Empty means that the table may be rewritten. What is not known is not handled:
// a property or column setting in Delta's own name space counts unless it is known to ask
// nothing of a rewrite.
func Unsupported(s Snapshot) []string {
	return slices.Concat(
		protocolObstacles(s.Protocol),
		propertyObstacles(s.Metadata),
		columnObstacles(s.Metadata.Schema, ""),
		domainObstacles(s.Domains),
		vectorObstacles(s.Files),
	)
}

func protocolObstacles(p Protocol) (found []string) {
	switch {
	case p.MinReader > featureReader:
		found = append(found, fmt.Sprintf("reader version %d", p.MinReader))
	case p.MinReader == 2:
		found = append(found, "reader version 2 (columnMapping)")
	}
	switch {
	case p.MinWriter > featureWriter:
		found = append(found, fmt.Sprintf("writer version %d", p.MinWriter))
	case p.MinWriter > 2 && p.MinWriter < featureWriter:
		found = append(found, fmt.Sprintf("writer version %d (%s)", p.MinWriter, strings.Join(legacyFeatures(p.MinWriter), ", ")))
	}
	features := slices.Concat(p.ReaderFeatures, p.WriterFeatures)
	slices.Sort(features)
	for _, f := range slices.Compact(features) {
		if _, ok := handled[f]; !ok {
			found = append(found, "feature "+f)
		}
	}
	return found
}

func legacyFeatures(version int) (names []string) {
	for v := 3; v <= version; v++ {
		names = append(names, legacyWriter[v]...)
	}
	return names
}

// harmless are the properties of Delta that ask nothing of a rewrite, or that it keeps:
// retention and checkpoints (done by engines), statistics, sizes and isolation. Names that
// end in a dot stand for all below them.
var harmless = []string{
	"delta.appendOnly",
	"delta.autoOptimize",
	"delta.autoOptimize.",
	"delta.checkpoint.writeStatsAsJson",
	"delta.checkpoint.writeStatsAsStruct",
	"delta.checkpointInterval",
	"delta.checkpointRetentionDuration",
	"delta.dataSkippingNumIndexedCols",
	"delta.dataSkippingStatsColumns",
	"delta.dataSkippingStringPrefixLength",
	"delta.deletedFileRetentionDuration",
	"delta.dropFeatureTruncateHistory.retentionDuration",
	"delta.enableExpiredLogCleanup",
	"delta.enableFullRetentionRollback",
	"delta.feature.", // the protocol's lists count, not these
	"delta.ignoreProtocolDefaults",
	"delta.isolationLevel",
	"delta.lastCommitTimestamp",
	"delta.lastUpdateVersion",
	"delta.logRetentionDuration",
	"delta.minReaderVersion",
	"delta.minWriterVersion",
	"delta.randomPrefixLength",
	"delta.sampleRetentionDuration",
	"delta.setTransactionRetentionDuration",
	"delta.targetFileSize",
	"delta.tuneFileSizesForRewrites",
}

func propertyObstacles(m Metadata) (found []string) {
	if len(m.PartitionColumns) > 0 {
		found = append(found, "partition columns: "+strings.Join(m.PartitionColumns, ", "))
	}
	if m.Format.Provider != "" && !strings.EqualFold(m.Format.Provider, "parquet") {
		found = append(found, "data files in format "+m.Format.Provider)
	}
	for _, key := range slices.Sorted(maps.Keys(m.Configuration)) {
		if !isHarmless(key, m.Configuration[key]) {
			found = append(found, "property "+key)
		}
	}
	return found
}

func isHarmless(key, value string) bool {
	if !strings.HasPrefix(key, "delta.") || strings.EqualFold(value, "false") {
		return true // the user's own, or switched off
	}
	switch key {
	case "delta.columnMapping.mode", "delta.columnMapping.maxColumnId":
		return strings.EqualFold(value, "none") || value == "0"
	case "delta.checkpointPolicy":
		return strings.EqualFold(value, "classic")
	}
	return slices.ContainsFunc(harmless, func(name string) bool {
		return key == name || strings.HasSuffix(name, ".") && strings.HasPrefix(key, name)
	})
}

// columnObstacles looks at every column, nested ones too, for settings that bind writers
// (invariants, generated, identity and default columns, type changes, collations) and for
// types that are not known. An invariant would hold after a rewrite as it did before, but
// the protocol wants it checked on every write.
func columnObstacles(fields []Field, parent string) (found []string) {
	for _, f := range fields {
		name := parent + f.Name
		for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
			if bindsWriters(key) {
				found = append(found, fmt.Sprintf("column %s: %s", name, key))
			}
		}
		found = append(found, typeObstacles(f.Type, name)...)
	}
	return found
}

func bindsWriters(key string) bool {
	return strings.HasPrefix(key, "delta.") || key == "CURRENT_DEFAULT" || key == "EXISTS_DEFAULT" || key == "__COLLATIONS"
}

func typeObstacles(t Type, name string) []string {
	switch t.Kind {
	case Struct:
		return columnObstacles(t.Fields, name+".")
	case Array:
		return typeObstacles(*t.Element, name+".element")
	case Map:
		return slices.Concat(typeObstacles(*t.Key, name+".key"), typeObstacles(*t.Element, name+".value"))
	case Other:
		return []string{fmt.Sprintf("column %s: type %s", name, t.Text)}
	}
	return nil
}

func domainObstacles(domains map[string]Domain) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(domains)) {
		if strings.HasPrefix(name, "delta.") {
			found = append(found, "metadata domain "+name)
		}
	}
	return found
}

func vectorObstacles(files []Add) []string {
	n := 0
	for _, f := range files {
		if f.DeletionVector != nil {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("deletion vectors on %d files", n)}
}
