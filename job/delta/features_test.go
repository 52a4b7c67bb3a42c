package delta

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each table was made by Spark to have one thing that a rewrite has to know of.
func TestUnsupportedNamesWhatStandsInTheWay(t *testing.T) {
	tests := []struct {
		table string
		want  []string
	}{
		{"plain", nil},
		{"appendonly", nil},
		{"times", nil}, // feature timestampNtz
		{"types", nil},
		{"strings", nil},
		{"zordered", nil},
		{"partitioned", []string{"partition columns: p, d"}},
		{"vectors", []string{"feature deletionVectors", "property delta.enableDeletionVectors", "deletion vectors on 1 files"}},
		{"mapped", []string{
			"reader version 2 (columnMapping)", "feature columnMapping", "property delta.columnMapping.maxColumnId", "property delta.columnMapping.mode",
			"column id: delta.columnMapping.id", "column id: delta.columnMapping.physicalName",
			"column key: delta.columnMapping.id", "column key: delta.columnMapping.physicalName",
			"column name: delta.columnMapping.id", "column name: delta.columnMapping.physicalName",
		}},
		{"clustered", []string{"feature clustering", "feature domainMetadata", "metadata domain delta.clustering"}},
		{"feed", []string{"feature changeDataFeed", "property delta.enableChangeDataFeed"}},
		{"checked", []string{"writer version 3 (checkConstraints)", "property delta.constraints.pos"}},
		{"generated", []string{"feature generatedColumns", "column g: delta.generationExpression"}},
		{"identity", []string{
			"feature identityColumns",
			"column g: delta.identity.allowExplicitInsert", "column g: delta.identity.start", "column g: delta.identity.step",
		}},
		{"defaults", []string{"feature allowColumnDefaults", "column x: CURRENT_DEFAULT"}},
		{"rowtracking", []string{
			"feature domainMetadata", "feature rowTracking", "property delta.enableRowTracking",
			"property delta.rowTracking.materializedRowCommitVersionColumnName", "property delta.rowTracking.materializedRowIdColumnName",
			"metadata domain delta.rowTracking",
		}},
		{"committime", []string{"feature inCommitTimestamp", "property delta.enableInCommitTimestamps"}},
		{"v2checkpoint", []string{"feature v2Checkpoint", "property delta.checkpointPolicy"}},
		{"widened", []string{"feature typeWidening", "property delta.enableTypeWidening", "column id: delta.typeChanges"}},
		{"variant", []string{"feature variantType", "column v: type variant", "column s.a.element: type variant"}},
		{"voided", []string{"column v: type void"}},
		{"invariant", []string{"column id: delta.invariants"}},
		{"symlinked", []string{"property delta.compatibility.symlinkFormatManifest.enabled"}},
		{"legacy", []string{
			"reader version 2 (columnMapping)",
			"writer version 5 (checkConstraints, changeDataFeed, generatedColumns, columnMapping)",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.table, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Unsupported(replayOf(t, madeBySpark(t, tt.table)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnsupportedOfWorkloadTables(t *testing.T) {
	for _, name := range []string{"orders", "lineitem", "customer", "part"} {
		if got := Unsupported(replayOf(t, openFolder(t, filepath.Join(lakeFolder, name)))); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What no table of today has.
func TestUnsupportedOfTheFuture(t *testing.T) {
	plain := replayOf(t, madeBySpark(t, "plain"))
	tests := []struct {
		name   string
		change func(*Snapshot)
		want   []string
	}{
		{"newer protocol", func(s *Snapshot) { s.Protocol = Protocol{MinReader: 4, MinWriter: 8} }, []string{"reader version 4", "writer version 8"}},
		{"unknown feature", func(s *Snapshot) {
			s.Protocol = Protocol{MinReader: 3, MinWriter: 7, ReaderFeatures: []string{"x"}, WriterFeatures: []string{"x", "appendOnly"}}
		}, []string{"feature x"}},
		{"features that are handled", func(s *Snapshot) {
			s.Protocol = Protocol{MinReader: 3, MinWriter: 7, ReaderFeatures: []string{"timestampNtz"}, WriterFeatures: []string{"invariants", "timestampNtz"}}
		}, nil},
		{"numbered writer versions", func(s *Snapshot) { s.Protocol = Protocol{MinReader: 1, MinWriter: 6} }, []string{
			"writer version 6 (checkConstraints, changeDataFeed, generatedColumns, columnMapping, identityColumns)",
		}},
		{"unknown property", func(s *Snapshot) { s.Metadata.Configuration = map[string]string{"delta.later": "1"} }, []string{"property delta.later"}},
		{"properties that do not matter", func(s *Snapshot) {
			s.Metadata.Configuration = map[string]string{
				"delta.later": "false", "owner": "team", "delta.columnMapping.mode": "none", "delta.autoOptimize.autoCompact": "true",
				"delta.checkpointPolicy": "classic", "delta.logRetentionDuration": "interval 7 days",
			}
		}, nil},
		{"a property whose name only starts like a harmless one", func(s *Snapshot) {
			s.Metadata.Configuration = map[string]string{"delta.appendOnlyX": "true"}
		}, []string{"property delta.appendOnlyX"}},
		{"other file format", func(s *Snapshot) { s.Metadata.Format.Provider = "orc" }, []string{"data files in format orc"}},
		{"nested settings", func(s *Snapshot) {
			schema, err := ParseSchema(`{"type":"struct","fields":[{"name":"m","nullable":true,"metadata":{},"type":{"type":"map","keyType":"string",
				"valueType":{"type":"struct","fields":[{"name":"x","type":"string","nullable":true,"metadata":{"__COLLATIONS":{}}}]},"valueContainsNull":true}}]}`)
			if err != nil {
				t.Fatal(err)
			}
			s.Metadata.Schema = schema
		}, []string{"column m.value.x: __COLLATIONS"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := plain
			tt.change(&s)
			if diff := cmp.Diff(tt.want, Unsupported(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
