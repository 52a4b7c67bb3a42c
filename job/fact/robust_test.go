package fact

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/eventlog"
)

// A plan thousands of operators deep is followed to its columns.
func TestDeepPlan(t *testing.T) {
	const depth = 3000
	var tree, blocks strings.Builder
	for i := range depth {
		fmt.Fprintf(&tree, "%s+- Filter (%d)\n", strings.Repeat("   ", i), depth+1-i)
		fmt.Fprintf(&blocks, "(%d) Filter\nInput [1]: [k#1L]\nCondition : (k#1L > %d)\n\n", i+2, i)
	}
	text := "== Physical Plan ==\nSortMergeJoin Inner (" + fmt.Sprint(depth+3) + ")\n" +
		tree.String() +
		strings.Repeat("   ", depth) + "+- Scan parquet d.a (1)\n" +
		"+- Scan parquet d.b (" + fmt.Sprint(depth+2) + ")\n\n\n" +
		"(1) Scan parquet d.a\nOutput [1]: [k#1L]\n\n" + blocks.String() +
		fmt.Sprintf("(%d) Scan parquet d.b\nOutput [1]: [k#2L]\n\n", depth+2) +
		fmt.Sprintf("(%d) SortMergeJoin\nLeft keys [1]: [k#1L]\nRight keys [1]: [k#2L]\nJoin type: Inner\nJoin condition: None\n", depth+3)
	d := digestPlans(plan{}, plan{text: text}, zones{})
	if got := spellJoins([]Join{d.joins[0].Join}); cmp.Diff([]string{"inner SortMergeJoin d.a.k=d.b.k"}, got) != "" || len(d.scans) != 2 {
		t.Errorf("%d scans, joins %v", len(d.scans), got)
	}
}

// Operators that reuse each other, dangle or repeat end nothing.
func TestOperatorsInCircles(t *testing.T) {
	text := `== Physical Plan ==
SortMergeJoin Inner (5)
:- ReusedExchange (1)
+- SortMergeJoin Inner (4)
   :- ReusedExchange (2)
   +- Scan parquet d.t (3)


(1) ReusedExchange [Reuses operator id: 5]
Output [1]: [k#1L]

(2) ReusedExchange [Reuses operator id: 99]
Output [1]: [k#2L]

(3) Scan parquet d.t
Output [1]: [k#3L]

(4) SortMergeJoin
Left keys [1]: [k#2L]
Right keys [1]: [k#3L]
Join type: Inner

(5) SortMergeJoin
Left keys [1]: [k#1L]
Right keys [1]: [k#3L]
Join type: Inner
`
	if d := digestPlans(plan{}, plan{text: text}, zones{}); len(d.scans) != 1 {
		t.Errorf("%d scans, want 1", len(d.scans))
	}
}

// Lists of attributes come apart into what they were made of, whatever the names hold.
func TestSplitItems(t *testing.T) {
	name := rapid.OneOf(rapid.StringMatching(`[a-z_]{1,8}`), rapid.StringMatching("[a-z ,#().`é]{1,8}"))
	rapid.Check(t, func(r *rapid.T) {
		var want []string
		for i := range rapid.IntRange(1, 12).Draw(r, "n") {
			n := name.Draw(r, "name")
			if endsInID(strings.TrimSpace(n)) || strings.Count(n, "(") != strings.Count(n, ")") || strings.Contains(n, ")(") {
				n = "plain" // ends in an id of its own, or has a lone bracket: those cannot be told
			}
			want = append(want, attribute{name: n, id: int64(i), long: i%2 == 0}.text())
		}
		f := field{count: len(want), text: "[" + strings.Join(want, ", ") + "]"}
		got, ok := attributesOf(f)
		if !ok || len(got) != len(want) {
			r.Fatalf("%s: %d attributes, want %d", f.text, len(got), len(want))
		}
		for i := range got {
			if got[i].text() != want[i] {
				r.Errorf("%q became %q", want[i], got[i].text())
			}
		}
	})
}

func TestSchemaTypes(t *testing.T) {
	attributes := []attribute{{name: "a"}, {name: "p, q#9L"}, {name: "s"}, {name: "x:y"}, {name: "n"}}
	got := schemaTypes("struct<a:bigint,`p, q#9L`:decimal(15,2),s:struct<x:int,y:array<map<string,int>>>,x:y:date,n:string>", attributes)
	want := map[string]string{"a": "bigint", "p, q#9L": "decimal(15,2)", "s": "struct<x:int,y:array<map<string,int>>>", "x:y": "date", "n": "string"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestZone(t *testing.T) {
	for name, want := range map[string]string{
		"UTC": "2020-06-01T00:00:00Z", "Z": "2020-06-01T00:00:00Z", "Etc/UTC": "2020-06-01T00:00:00Z",
		"Asia/Tokyo": "2020-06-01T09:00:00+09:00", "America/New_York": "2020-05-31T20:00:00-04:00",
		"+08:00": "2020-06-01T08:00:00+08:00", "GMT-5": "2020-05-31T19:00:00-05:00", "UTC+0530": "2020-06-01T05:30:00+05:30",
		"": "unknown", "Local": "unknown", "Mars/Olympus": "unknown",
	} {
		got := "unknown"
		if l := zone(name); l != nil {
			got = at(1590969600000).In(l).Format("2006-01-02T15:04:05Z07:00")
		}
		if got != want {
			t.Errorf("zone %q gives %s, want %s", name, got, want)
		}
	}
}

func TestLocations(t *testing.T) {
	for text, want := range map[string]string{
		"PreparedDeltaFileIndex [file:/lake/a]":                      "PreparedDeltaFileIndex /lake/a",
		"PreparedDeltaFileIndex(1 paths)[file:///lake/a/]":           "PreparedDeltaFileIndex /lake/a",
		"InMemoryFileIndex(2 paths)[s3a://b/x, s3a://b/y]":           "InMemoryFileIndex s3a://b/x",
		"TahoeBatchFileIndex [abfss://c@acc.dfs.core.windows.net/t]": "TahoeBatchFileIndex abfss://c@acc.dfs.core.windows.net/t",
		"InMemoryFileIndex [file:/]":                                 "InMemoryFileIndex /",
		"":                                                           " ",
	} {
		f := fields{{"Location", field{text: text}}}
		class, location := locationOf(&node{block: &block{fields: f}})
		if got := class + " " + string(location); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// FuzzPlan: no text of a plan ends the reading of a log, and what is read of it is whole.
func FuzzPlan(f *testing.F) {
	for _, text := range realPlans(f) {
		f.Add(text)
	}
	f.Add("== Physical Plan ==\n+- X (1)\n\n\n(1) X\nOutput [3]: [a#1, b")
	f.Fuzz(func(t *testing.T, text string) {
		p := plan{text: text, info: &eventlog.PlanNode{Name: "Scan parquet x", Simple: text}}
		d := digestPlans(p, p, zones{})
		for _, j := range d.joins {
			if len(j.Left) != len(j.Right) {
				t.Errorf("%d left and %d right columns", len(j.Left), len(j.Right))
			}
		}
		for _, s := range d.scans {
			if s.Table == "" || s.Format == "" {
				t.Errorf("scan without a name or format: %+v", s.Scan)
			}
		}
	})
}

// Facts do not keep the plans they were read from: no string of theirs lies in the text.
func TestFactsAreDetached(t *testing.T) {
	for name, text := range realPlans(t) {
		d := digestPlans(plan{}, plan{text: text}, zones{})
		d.detach(interner{})
		from := uintptr(unsafe.Pointer(unsafe.StringData(text)))
		inside := func(s string) bool {
			at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
			return len(s) > 0 && at >= from && at < from+uintptr(len(text))
		}
		for _, s := range stringsOf(reflect.ValueOf(d)) {
			if inside(s) {
				t.Errorf("%s: %q lies in the plan's text", name, s)
			}
		}
	}
}

// stringsOf are all strings that a value holds.
func stringsOf(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Pointer:
		if !v.IsNil() {
			return stringsOf(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, stringsOf(v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, stringsOf(v.Index(i))...)
		}
	}
	return all
}
