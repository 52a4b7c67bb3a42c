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

// handled are the table features that a rewrite by ajlo fulfils, each with the reason. What
// a table uses of them may still stand in the way, see the obstacles below.
var handled = map[string]string{
	"allowColumnDefaults":  "rows keep the values they have",
	"appendOnly":           "forbids changing rows, not rearranging them: the protocol allows removes with dataChange=false",
	"changeDataFeed":       "a commit that changes no row adds none to it",
	"checkConstraints":     "rows that met them still do",
	"checkpointProtection": "binds those who clean up the log, which ajlo does not do",
	"clustering":           "the keys stay, and files in their order say so",
	"columnMapping":        "columns go by the names and ids that the schema maps them to",
	"deletionVectors":      "deleted rows are left out, and new files need none",
	"domainMetadata":       "domains are kept",
	"generatedColumns":     "rows keep the values they have",
	"identityColumns":      "rows keep the values they have, and no new ones are drawn",
	"inCommitTimestamp":    "each commit has one, later than the last",
	"invariants":           "rows that met them still do",
	"rowTracking":          "rows keep their ids where the table has it on, and get ids of their own else",
	"timestampNtz":         "read, ordered, written and given statistics like any other type",
	"v2Checkpoint":         "read in all its forms",
	"vacuumProtocolCheck":  "binds VACUUM only, which ajlo does not do",
}

// Unsupported names, in words for people, everything of the table that a rewrite by ajlo
// does not handle: protocol versions, features, properties, columns, domains. Empty means
// that the table may be rewritten. What is not known is not handled: a property or column
// setting in Delta's own name space counts unless it is known to ask nothing of a rewrite.
// The numbered versions before 3 and 7 stand for features that are all handled.
func Unsupported(s Snapshot) []string {
	return slices.Concat(
		protocolObstacles(s.Protocol),
		propertyObstacles(s.Metadata),
		columnObstacles(s.Metadata.Schema, ""),
		mappingObstacles(s.Metadata),
		domainObstacles(s.Domains),
	)
}

func protocolObstacles(p Protocol) (found []string) {
	if p.MinReader > featureReader {
		found = append(found, fmt.Sprintf("reader version %d", p.MinReader))
	}
	if p.MinWriter > featureWriter {
		found = append(found, fmt.Sprintf("writer version %d", p.MinWriter))
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
	"delta.checkpointPolicy",
	"delta.checkpointRetentionDuration",
	"delta.columnMapping.maxColumnId",
	mappingKey, // see mappingObstacles
	"delta.constraints.",
	"delta.dataSkippingNumIndexedCols",
	"delta.dataSkippingStatsColumns",
	"delta.dataSkippingStringPrefixLength",
	"delta.deletedFileRetentionDuration",
	"delta.dropFeatureTruncateHistory.retentionDuration",
	changeFeedKey,
	"delta.enableDeletionVectors",
	"delta.enableExpiredLogCleanup",
	"delta.enableFullRetentionRollback",
	"delta.enableInCommitTimestamps",
	rowTrackingKey,
	"delta.feature.", // the protocol's lists count, not these
	"delta.ignoreProtocolDefaults",
	"delta.inCommitTimestampEnablementTimestamp",
	"delta.inCommitTimestampEnablementVersion",
	"delta.isolationLevel",
	"delta.lastCommitTimestamp",
	"delta.lastUpdateVersion",
	"delta.logRetentionDuration",
	"delta.minReaderVersion",
	"delta.minWriterVersion",
	"delta.randomPrefixLength",
	"delta.randomizeFilePrefixes",
	"delta.requireCheckpointProtectionBeforeVersion",
	rowIDColumnKey, rowVersionKey,
	"delta.sampleRetentionDuration",
	"delta.setTransactionRetentionDuration",
	"delta.targetFileSize",
	"delta.tuneFileSizesForRewrites",
}

func propertyObstacles(m Metadata) (found []string) {
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
	return slices.ContainsFunc(harmless, func(name string) bool {
		return key == name || strings.HasSuffix(name, ".") && strings.HasPrefix(key, name)
	})
}

// columnObstacles looks at every column, nested ones too, for settings that bind whoever
// reads or writes its values (type changes, collations, defaults of rows that were there
// before the column), for types that are not known, and for names that engines which do not
// mind case cannot tell apart.
func columnObstacles(fields []Field, parent string) (found []string) {
	for i, f := range fields {
		name := parent + f.Name
		for _, other := range fields[:i] {
			if strings.EqualFold(other.Name, f.Name) {
				found = append(found, fmt.Sprintf("columns %s and %s, whose names differ in case only", parent+other.Name, name))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
			if bindsWriters(key) {
				found = append(found, fmt.Sprintf("column %s: %s", name, key))
			}
		}
		found = append(found, typeObstacles(f.Type, name)...)
	}
	return found
}

// carried are the settings of Delta that ask nothing of values that stay as they are.
var carried = []string{
	columnIDKey,
	physicalNameKey,
	"delta.generationExpression",
	"delta.identity.allowExplicitInsert",
	"delta.identity.highWaterMark",
	"delta.identity.start",
	"delta.identity.step",
	"delta.invariants",
}

func bindsWriters(key string) bool {
	return strings.HasPrefix(key, "delta.") && !slices.Contains(carried, key) || key == "EXISTS_DEFAULT" || key == "__COLLATIONS"
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
		if strings.HasPrefix(name, "delta.") && name != clusteringDomain && name != rowTrackingDomain {
			found = append(found, "metadata domain "+name)
		}
	}
	return found
}
