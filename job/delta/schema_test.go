package delta

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/layout"
	"ajlo/job/table"
)

func TestParseSchema(t *testing.T) {
	got, err := ParseSchema(`{"type":"struct","fields":[
		{"name":"d","type":"decimal(15,2)","nullable":false,"metadata":{"comment":"c","n":12345678901234567890}},
		{"name":"a b.c","type":{"type":"array","elementType":{"type":"struct","fields":[{"name":"x","type":"timestamp_ntz","nullable":true,"metadata":{}}]},"containsNull":true},"nullable":true,"metadata":{}},
		{"name":"m","type":{"type":"map","keyType":"string","valueType":"variant","valueContainsNull":true},"nullable":true,"metadata":{}},
		{"name":"p","type":"decimal","nullable":true,"metadata":{}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	text := Type{Kind: String, Text: "string"}
	want := Schema{
		{Name: "d", Type: Type{Kind: Decimal, Precision: 15, Scale: 2, Text: "decimal(15,2)"}, Metadata: map[string]any{"comment": "c", "n": json.Number("12345678901234567890")}},
		{Name: "a b.c", Nullable: true, Metadata: map[string]any{}, Type: Type{Kind: Array, Text: "array", Element: &Type{
			Kind: Struct, Text: "struct", Fields: []Field{{Name: "x", Nullable: true, Metadata: map[string]any{}, Type: Type{Kind: TimestampNTZ, Text: "timestamp_ntz"}}},
		}}},
		{Name: "m", Nullable: true, Metadata: map[string]any{}, Type: Type{Kind: Map, Text: "map", Key: &text, Element: &Type{Kind: Other, Text: "variant"}}},
		{Name: "p", Nullable: true, Metadata: map[string]any{}, Type: Type{Kind: Decimal, Precision: 10, Text: "decimal"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseSchemaRefuses(t *testing.T) {
	field := func(t string) string { return `{"type":"struct","fields":[{"name":"x","type":` + t + `}]}` }
	for name, text := range map[string]string{
		"no JSON": "x", "not a struct": `"long"`, "two values": `{"type":"struct","fields":[]} {}`,
		"no fields": `{"type":"struct"}`, "struct by name": field(`"struct"`), "array of nothing": field(`{"type":"array"}`),
		"map without values": field(`{"type":"map","keyType":"string"}`), "wide decimal": field(`"decimal(39,1)"`),
		"scale above precision": field(`"decimal(3,4)"`), "a number": field(`7`),
	} {
		if got, err := ParseSchema(text); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestPathsThereAndBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		key := rapid.StringMatching(`[a-zA-Z0-9=%:#?&+ é."'\\-]{1,8}(/[a-z%:é#?]{1,5}){0,2}`).Draw(r, "key")
		raw, err := encodePath(key)
		if err != nil {
			if _, err := decodePath(key); err == nil {
				r.Skip("no clean path")
			}
			return
		}
		if back, err := decodePath(raw); err != nil || back != key {
			r.Errorf("%q became %q and then %q, %v", key, raw, back, err)
		}
	})
}

func TestLayoutTags(t *testing.T) {
	keys := []table.Column{"o_orderkey", `a "b",c`}
	tests := []struct {
		name  string
		tags  map[string]string
		want  layout.Layout
		owner string
		ok    bool
	}{
		{"ours", LayoutTags(layout.ClusteredBy(layout.Hilbert, keys...)), layout.ClusteredBy(layout.Hilbert, keys...), OwnerUs, true},
		{"ours, sorted", LayoutTags(layout.ClusteredBy(layout.Sort, "a")), layout.ClusteredBy(layout.Sort, "a"), OwnerUs, true},
		{"an engine's cube", map[string]string{"ZCUBE_ID": "x", "ZCUBE_ZORDER_BY": `["a","b"]`}, layout.ClusteredBy(layout.ZOrder, "a", "b"), OwnerUser, true},
		{"a cube", CubeTags(Metadata{}, layout.ClusteredBy(layout.Hilbert, keys...), "id"), layout.ClusteredBy(layout.ZOrder, keys...), OwnerUser, true},
		{"unordered has no cube", CubeTags(Metadata{}, layout.Unordered(), "id"), layout.Unordered(), OwnerNone, false},
		{"unordered has no tags", LayoutTags(layout.Unordered()), layout.Unordered(), OwnerNone, false},
		{"an order that is not known", map[string]string{"AJLO_ORDER": "spiral", "AJLO_KEYS": `["a"]`}, layout.Unordered(), OwnerNone, false},
		{"keys that are no list", map[string]string{"AJLO_ORDER": "sort", "AJLO_KEYS": `a`}, layout.Unordered(), OwnerNone, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, owner, ok := TaggedLayout(tt.tags)
			if diff := cmp.Diff(tt.want, got); diff != "" || owner != tt.owner || ok != tt.ok {
				t.Errorf("%s %q %v", diff, owner, ok)
			}
		})
	}
}

func TestSplitNames(t *testing.T) {
	tests := []struct {
		list  string
		want  [][]string
		wrong bool
	}{
		{"", nil, false},
		{"a", [][]string{{"a"}}, false},
		{" a , b.c ,`d.e`,`f``,g`. h ", [][]string{{"a"}, {"b", "c"}, {"d.e"}, {"f`,g", "h"}}, false},
		{"a,,b", nil, true},
		{"a b", nil, true},
		{"a,", nil, true},
		{"`a", nil, true},
		{"a`b`", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.list, func(t *testing.T) {
			got, err := splitNames(tt.list)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.wrong {
				t.Errorf("%s, %v", diff, err)
			}
		})
	}
}

// The spelling of keys with dots is Spark's.
func TestCubeTags(t *testing.T) {
	m := Metadata{Schema: Schema{{Name: "a.b"}, {Name: "s"}}}
	got := CubeTags(m, layout.ClusteredBy(layout.Hilbert, "a.b", "s.x"), "an id")
	want := map[string]string{"ZCUBE_ID": "an id", "ZCUBE_ZORDER_BY": "[\"`a.b`\",\"s.x\"]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
