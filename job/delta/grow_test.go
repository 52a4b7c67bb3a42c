package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
)

// mappedTable has one column, with a comment of the user's.
func mappedTable(t *testing.T, mode string) delta.Snapshot {
	t.Helper()
	const text = `{"type":"struct","fields":[{"name":"a<b","type":"long","nullable":false,"metadata":{"comment":"x > y","delta.columnMapping.id":4,"delta.columnMapping.physicalName":"a"}}]}`
	schema, err := delta.ParseSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	s := delta.Snapshot{Metadata: delta.Metadata{ID: "id", SchemaString: text, Schema: schema, Configuration: map[string]string{"delta.columnMapping.maxColumnId": "4"}}}
	if mode != "" {
		s.Metadata.Configuration["delta.columnMapping.mode"] = mode
	}
	return s
}

func TestGrown(t *testing.T) {
	whole := delta.Type{Kind: delta.Long, Text: "long"}
	columns := delta.Schema{{Name: "n", Type: whole}, {Name: "s", Type: delta.Type{Kind: delta.Struct, Text: "struct", Fields: []delta.Field{
		{Name: "x", Type: delta.Type{Kind: delta.Array, Text: "array", Element: &whole}}}}}}
	const was = `{"type":"struct","fields":[{"name":"a<b","type":"long","nullable":false,"metadata":{"comment":"x > y","delta.columnMapping.id":4,"delta.columnMapping.physicalName":"a"}},`
	tests := []struct{ mode, greatest, want string }{
		{"", "4", was + `{"name":"n","type":"long","nullable":true,"metadata":{}},` +
			`{"name":"s","type":{"fields":[{"name":"x","type":{"containsNull":true,"elementType":"long","type":"array"},"nullable":true,"metadata":{}}],"type":"struct"},"nullable":true,"metadata":{}}]}`},
		{"name", "7", was + `{"name":"n","type":"long","nullable":true,"metadata":{"delta.columnMapping.id":5,"delta.columnMapping.physicalName":"col-1"}},` +
			`{"name":"s","type":{"fields":[{"name":"x","type":{"containsNull":true,"elementType":"long","type":"array"},"nullable":true,"metadata":{"delta.columnMapping.id":7,"delta.columnMapping.physicalName":"col-3"}}],"type":"struct"},` +
			`"nullable":true,"metadata":{"delta.columnMapping.id":6,"delta.columnMapping.physicalName":"col-2"}}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			names := 0
			got, err := mappedTable(t, tt.mode).Grown(columns, func() string { names++; return fmt.Sprint(names) })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.SchemaString); diff != "" {
				t.Error(diff)
			}
			if len(got.Schema) != 3 || got.Configuration["delta.columnMapping.maxColumnId"] != tt.greatest {
				t.Errorf("%d columns, %v", len(got.Schema), got.Configuration)
			}
		})
	}
}

func TestColumnsThatCannotBeAdded(t *testing.T) {
	tests := []struct {
		name    string
		columns delta.Schema
		want    string
	}{
		{"one that is there", delta.Schema{{Name: "A<B"}}, "is there already, as a<b"},
		{"two of one name", delta.Schema{{Name: "n", Type: delta.Type{Kind: delta.Long}}, {Name: "N"}}, "is there already, as n"},
		{"of a type that is not known", delta.Schema{{Name: "v", Type: delta.Type{Kind: delta.Other, Text: "variant"}}}, "type variant"},
		{"with a comma", delta.Schema{{Name: "a,b", Type: delta.Type{Kind: delta.Long}}}, "only tables with column mapping"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := mappedTable(t, "").Grown(tt.columns, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
