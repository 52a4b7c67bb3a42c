package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// node is the part of JSON Schema that the contract uses.
type node struct {
	Description string          `json:"description"`
	Type        string          `json:"type"`
	Enum        []string        `json:"enum"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	Default     json.RawMessage `json:"default"`
	Required    []string        `json:"required"`
	Properties  map[string]node `json:"properties"`
	Items       *node           `json:"items"`
}

func contractSchema(t *testing.T) node {
	t.Helper()
	data, err := os.ReadFile("../../schema/config.json")
	if err != nil {
		t.Fatal(err)
	}
	var root node
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestSchemaHasTheKeysOfTheCode(t *testing.T) {
	schema, code := map[string]bool{}, map[string]bool{}
	schemaKeys(contractSchema(t), "", schema)
	codeKeys(reflect.TypeFor[document](), "", code)
	if len(code) < 29 {
		t.Fatalf("only %d keys were found in the code", len(code))
	}
	if d := cmp.Diff(slices.Sorted(maps.Keys(code)), slices.Sorted(maps.Keys(schema))); d != "" {
		t.Errorf("keys (-code +schema):\n%s", d)
	}
}

func schemaKeys(n node, prefix string, keys map[string]bool) {
	for name, child := range n.Properties {
		keys[prefix+name] = true
		schemaKeys(child, prefix+name+".", keys)
	}
	if n.Items != nil {
		schemaKeys(*n.Items, prefix, keys)
	}
}

func codeKeys(t reflect.Type, prefix string, keys map[string]bool) {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[text]() {
		return
	}
	for i := range t.NumField() {
		name := prefix + t.Field(i).Tag.Get("yaml")
		keys[name] = true
		codeKeys(t.Field(i).Type, name+".", keys)
	}
}

// The schema's defaults written out give the same configuration as leaving them out, and
// every key either is required, has a default or says in words what its absence means.
func TestSchemaHasTheDefaultsOfTheCode(t *testing.T) {
	root := contractSchema(t)
	written := defaultsOf(t, root, "")
	written["sources"] = []any{map[string]any{"logs": "logs", "path_map": map[string]any{}, "reader": "oss-spark"}}
	written["budget"] = map[string]any{"rewrite": "20GB"}
	text, err := json.Marshal(written) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	want, err := Parse([]byte(least), "/etc/ajlo")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(text, "/etc/ajlo")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("defaults (-code +schema):\n%s", d)
	}
}

func defaultsOf(t *testing.T, n node, prefix string) map[string]any {
	values := map[string]any{}
	for name, child := range n.Properties {
		switch {
		case child.Properties != nil:
			values[name] = defaultsOf(t, child, prefix+name+".")
		case child.Default != nil:
			values[name] = child.Default
		case !slices.Contains(n.Required, name) && prefix+name != "budget.storage":
			t.Errorf("schema: %s%s is neither required nor has it a default", prefix, name)
		}
	}
	return values
}

// Every bound and choice in the schema is one that the code keeps: the value itself is
// accepted, the next one is not.
func TestSchemaHasTheLimitsOfTheCode(t *testing.T) {
	checked := 0
	for name, n := range contractSchema(t).Properties {
		if n.Minimum == nil || n.Maximum == nil {
			continue
		}
		checked++
		accept(t, name, *n.Minimum, true)
		accept(t, name, *n.Maximum, true)
		accept(t, name, *n.Minimum-1, false)
		accept(t, name, *n.Maximum+1, false)
	}
	if checked != 8 {
		t.Errorf("%d numbers with limits were checked, want 8", checked)
	}
}

func accept(t *testing.T, key string, value float64, want bool) {
	t.Helper()
	_, err := Parse(fmt.Appendf([]byte(least), "%s: %v\n", key, value), "/")
	if got := err == nil; got != want {
		t.Errorf("%s: %v: accepted %v, want %v (%v)", key, value, got, want, err)
	}
}

func TestSchemaHasTheChoicesOfTheCode(t *testing.T) {
	tests := []struct {
		format string
		enum   []string
	}{
		{"lake: {address: %s}\n", contractSchema(t).Properties["lake"].Properties["address"].Enum},
		{"engine: {kind: %s}\n", contractSchema(t).Properties["engine"].Properties["kind"].Enum},
		{"first_seen: %s\n", contractSchema(t).Properties["first_seen"].Enum},
		{"commit: %s\n", contractSchema(t).Properties["commit"].Enum},
		{"choice: %s\n", contractSchema(t).Properties["choice"].Enum},
		{"estimator: %s\n", contractSchema(t).Properties["estimator"].Enum},
		{"sample: %s\n", contractSchema(t).Properties["sample"].Enum},
	}
	for _, test := range tests {
		if len(test.enum) == 0 {
			t.Errorf("schema: no choices for %q", test.format)
		}
		for _, choice := range test.enum {
			if _, err := Parse(fmt.Appendf([]byte(least), test.format, choice), "/"); err != nil {
				t.Errorf("%s: %v", choice, err)
			}
		}
	}
}
