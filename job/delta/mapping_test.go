package delta

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Names and ids count only in a table that maps columns; they stay in the schema of one that
// no longer does.
func TestMappedColumns(t *testing.T) {
	const schema = `{"type":"struct","fields":[
		{"name":"a","type":"long","nullable":true,"metadata":{"delta.columnMapping.physicalName":"col-1","delta.columnMapping.id":1}},
		{"name":"l","type":{"type":"array","containsNull":true,"elementType":{"type":"struct","fields":[
			{"name":"x","type":"long","nullable":true,"metadata":{"delta.columnMapping.physicalName":"col-3","delta.columnMapping.id":3}}]}},
			"nullable":true,"metadata":{"delta.columnMapping.physicalName":"col-2","delta.columnMapping.id":2}},
		{"name":"m","type":{"type":"map","keyType":"string","valueContainsNull":true,"valueType":{"type":"struct","fields":[
			{"name":"y","type":"long","nullable":true,"metadata":{"delta.columnMapping.physicalName":"col-5","delta.columnMapping.id":5000000000}}]}},
			"nullable":true,"metadata":{"delta.columnMapping.physicalName":"col-4","delta.columnMapping.id":"4"}}]}`
	type column struct {
		Physical string
		ID       int32
	}
	tests := []struct {
		name, mode string
		want       []column
	}{
		{"by name", "name", []column{{"col-1", 1}, {"col-2", 2}, {"col-3", 3}, {"col-4", 0}, {"col-5", 0}}},
		{"by id", "id", []column{{"col-1", 1}, {"col-2", 2}, {"col-3", 3}, {"col-4", 0}, {"col-5", 0}}},
		{"not mapped", "none", []column{{"a", 0}, {"l", 0}, {"x", 0}, {"m", 0}, {"y", 0}}},
		{"nothing said", "", []column{{"a", 0}, {"l", 0}, {"x", 0}, {"m", 0}, {"y", 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Metadata{SchemaString: schema, Configuration: map[string]string{mappingKey: tt.mode}}
			if err := m.complete(); err != nil {
				t.Fatal(err)
			}
			list, mapped := m.Schema[1].Type.Element.Fields[0], m.Schema[2].Type.Element.Fields[0]
			var got []column
			for _, f := range []Field{m.Schema[0], m.Schema[1], list, m.Schema[2], mapped} {
				got = append(got, column{f.Physical(), f.ID})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			var wrong []string
			if tt.want[0].ID != 0 {
				wrong = []string{"column m: mapped without a name or an id", "column m.element.y: mapped without a name or an id"}
			}
			if diff := cmp.Diff(wrong, mappingObstacles(m)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := mappingObstacles(Metadata{Configuration: map[string]string{mappingKey: "later"}}); len(got) != 1 || got[0] != "column mapping by later" {
		t.Errorf("a way that is not known: %q", got)
	}
}

func TestPartitions(t *testing.T) {
	m := Metadata{
		PartitionColumns: []string{"d", "p"},
		Schema: Schema{
			{Name: "p", Type: Type{Kind: String, Text: "string"}, PhysicalName: "col-p"},
			{Name: "x", Type: Type{Kind: Long, Text: "long"}},
			{Name: "d", Type: Type{Kind: Date, Text: "date"}},
		},
	}
	text := func(s string) *string { return &s }
	file := func(path string, d, p *string) Add {
		return Add{Path: path, PartitionValues: map[string]*string{"d": d, "col-p": p}}
	}
	tests := []struct {
		name        string
		file        Add
		key, folder string
		values      []string
	}{
		{"values", file("d=2020-01-02/p=a b%3A0/x.parquet", text("2020-01-02"), text("a b:0")), `"2020-01-02","a b:0",`, "d=2020-01-02/p=a b%3A0", []string{"2020-01-02", "a b:0"}},
		{"commas are no borders", file("z/x.parquet", text("2020-01-02"), text(`",`)), `"2020-01-02","\",",`, "z", []string{"2020-01-02", `",`}},
		{"NULL", file("x.parquet", nil, nil), ",,", "", []string{"null", "null"}},
		{"an empty text is NULL", file("x.parquet", text(""), text("")), ",,", "", []string{"null", "null"}},
		{"a value that is missing", Add{Path: "x.parquet"}, ",,", "", []string{"null", "null"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := PartitionKey(tt.file, m); got != tt.key {
				t.Errorf("key %s, want %s", got, tt.key)
			}
			if got := PartitionFolder(tt.file, m); got != tt.folder {
				t.Errorf("folder %s, want %s", got, tt.folder)
			}
			var values []string
			for _, f := range m.PartitionFields() {
				v, err := PartitionValue(tt.file, f)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, v.Text())
			}
			if diff := cmp.Diff(tt.values, values); diff != "" {
				t.Error(diff)
			}
		})
	}
	if folder := PartitionFolder(Add{Path: "ab/x.parquet"}, Metadata{}); folder != "" {
		t.Errorf("folder %q of a table that is not partitioned", folder)
	}
	if _, err := PartitionValue(file("x", text("yesterday"), nil), m.Schema[2]); err == nil {
		t.Error("no error for a date that is none")
	}
}

func TestRowTracking(t *testing.T) {
	on := map[string]string{rowTrackingKey: "true", rowIDColumnKey: "_row-id-col-1", rowVersionKey: "_row-commit-version-col-2"}
	tests := []struct {
		name     string
		features []string
		settings map[string]string
		want     RowTracking
		wrong    bool
	}{
		{"none", nil, on, RowTracking{}, false},
		{"supported", []string{"rowTracking"}, nil, RowTracking{Supported: true}, false},
		{"on", []string{"domainMetadata", "rowTracking"}, on, RowTracking{true, true, "_row-id-col-1", "_row-commit-version-col-2"}, false},
		{"on without names", []string{"rowTracking"}, map[string]string{rowTrackingKey: "true"}, RowTracking{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Snapshot{Protocol: Protocol{WriterFeatures: tt.features}, Metadata: Metadata{Configuration: tt.settings}}
			got, err := s.RowTracking()
			if (err != nil) != tt.wrong {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	got, err := replayOf(t, madeBySpark(t, "rowtracking")).RowTracking()
	if err != nil || !got.Enabled {
		t.Errorf("%+v, %v", got, err)
	}
}
