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
		{"partitioned", nil},
		{"vectors", nil},
		{"mapped", nil},
		{"clustered", nil},
		{"feed", nil},
		{"checked", nil},
		{"generated", nil},
		{"identity", nil},
		{"defaults", nil},
		{"rowtracking", nil},
		{"committime", nil},
		{"v2checkpoint", nil},
		{"widened", []string{"feature typeWidening", "property delta.enableTypeWidening", "column id: delta.typeChanges"}},
		{"variant", []string{"feature variantType", "column v: type variant", "column s.a.element: type variant"}},
		{"voided", []string{"column v: type void"}},
		{"invariant", nil},
		{"symlinked", []string{"property delta.compatibility.symlinkFormatManifest.enabled"}},
		{"legacy", nil},
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
		{"numbered writer versions", func(s *Snapshot) { s.Protocol = Protocol{MinReader: 2, MinWriter: 6} }, nil},
		{"features that are not handled", func(s *Snapshot) {
			s.Protocol = Protocol{MinReader: 3, MinWriter: 7, ReaderFeatures: []string{"catalogManaged"}, WriterFeatures: []string{"catalogManaged", "icebergCompatV2", "collations-preview"}}
			s.Metadata.Configuration = map[string]string{"delta.enableIcebergCompatV2": "true", "delta.universalFormat.enabledFormats": "iceberg", "delta.rowTrackingSuspended": "true"}
		}, []string{
			"feature catalogManaged", "feature collations-preview", "feature icebergCompatV2",
			"property delta.enableIcebergCompatV2", "property delta.rowTrackingSuspended", "property delta.universalFormat.enabledFormats",
		}},
		{"a default of rows before the column", func(s *Snapshot) {
			s.Metadata.Schema = Schema{{Name: "x", Type: Type{Kind: Long}, Metadata: map[string]any{"CURRENT_DEFAULT": "1", "EXISTS_DEFAULT": "1"}}}
		}, []string{"column x: EXISTS_DEFAULT"}},
		{"a domain of Delta's that nobody knows", func(s *Snapshot) {
			s.Domains = map[string]Domain{"delta.later": {Name: "delta.later"}, "theirs": {Name: "theirs"}}
		}, []string{"metadata domain delta.later"}},
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
