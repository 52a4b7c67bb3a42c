package lake

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// The workload's tables, and small ones made by Spark to show one thing each.
const (
	workload = "../../testdata/spark40-delta/warehouse/tpch.db"
	small    = "../delta/testdata/tables"
)

func openFolder(t *testing.T, dir string) object.Store {
	t.Helper()
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func openTable(t *testing.T, dir string) (object.Store, Snapshot) {
	t.Helper()
	store := openFolder(t, dir)
	s, err := Open(t.Context(), store, table.Name(filepath.Base(dir)), table.Location(dir))
	if err != nil {
		t.Fatal(err)
	}
	return store, s
}

func TestOpenOrders(t *testing.T) {
	_, s := openTable(t, filepath.Join(workload, "orders"))
	files := s.Files
	s.Files = nil
	want := Snapshot{
		Table: "orders", Location: table.Location(filepath.Join(workload, "orders")), Format: Delta, Version: 1,
		Columns: []Column{
			{Name: "o_orderkey", Type: "long", Nullable: true}, {Name: "o_custkey", Type: "long", Nullable: true},
			{Name: "o_orderstatus", Type: "string", Nullable: true}, {Name: "o_totalprice", Type: "decimal(15,2)", Nullable: true},
			{Name: "o_orderdate", Type: "date", Nullable: true}, {Name: "o_orderpriority", Type: "string", Nullable: true},
			{Name: "o_clerk", Type: "string", Nullable: true}, {Name: "o_shippriority", Type: "integer", Nullable: true},
			{Name: "o_comment", Type: "string", Nullable: true},
		},
		SchemaHash: s.SchemaHash, Protocol: Protocol{MinReader: 1, MinWriter: 2}, Owner: "none", Layout: layout.Unordered(), Properties: map[string]string{},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	s.Files = files
	if rows, ok := s.Rows(); rows != 75_000 || !ok || s.Bytes() != 2_694_694 || len(files) != 3 {
		t.Errorf("%d rows, %v, %d bytes, %d files", rows, ok, s.Bytes(), len(files))
	}
	wantBounds := map[table.Column]prune.Bounds{
		"o_orderkey":   {Min: predicate.IntValue(2), Max: predicate.IntValue(299_974), Rows: 28_077},
		"o_totalprice": {Min: predicate.DecimalValue(88_274, 2), Max: predicate.DecimalValue(47_851_925, 2), Rows: 28_077},
		"o_orderdate":  {Min: predicate.DateValue(8_035), Max: predicate.DateValue(10_440), Rows: 28_077},
		"o_comment": {
			Min: predicate.StringValue(" Tiresias use deposits. carefull"), Rows: 28_077,
			Max: predicate.StringValue("zzle. carefully enticing deposit\x7f"),
		},
	}
	for c, want := range wantBounds {
		if diff := cmp.Diff(want, files[0].Bounds[c]); diff != "" {
			t.Errorf("%s: %s", c, diff)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	damaged := t.TempDir()
	if err := os.CopyFS(damaged, os.DirFS(filepath.Join(small, "plain"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(damaged, "_delta_log/00000000000000000000.json"), 1000); err != nil {
		t.Fatal(err)
	}
	iceberg := t.TempDir()
	if err := openFolder(t, iceberg).PutIfAbsent(t.Context(), "metadata/v1.metadata.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, dir string
		want      []string
		unknown   bool
	}{
		{"empty folder", t.TempDir(), []string{"neither", "_delta_log"}, true},
		{"damaged Iceberg metadata", iceberg, []string{"v1.metadata.json", iceberg}, false},
		{"damaged log", damaged, []string{"00000000000000000000.json", damaged}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(t.Context(), openFolder(t, tt.dir), "db.t", "x")
			if err == nil || errors.Is(err, ErrUnknownFormat) != tt.unknown {
				t.Fatalf("got %v", err)
			}
			for _, part := range append(tt.want, "db.t") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

func TestLayoutAndOwner(t *testing.T) {
	ours := delta.LayoutTags(layout.ClusteredBy(layout.Hilbert, "a", "b"))
	cube := map[string]string{"ZCUBE_ID": "x", "ZCUBE_ZORDER_BY": `["a"]`}
	declared := func(keys string) map[string]delta.Domain {
		return map[string]delta.Domain{"delta.clustering": {Name: "delta.clustering", Configuration: `{"clusteringColumns":` + keys + `}`}}
	}
	mapped := delta.Schema{{Name: "Key", PhysicalName: "col-7"}}
	tests := []struct {
		name  string
		table delta.Snapshot
		want  layout.Layout
		owner string
	}{
		{"nothing known", delta.Snapshot{Files: []delta.Add{{Size: 1}}}, layout.Unordered(), "none"},
		{"no files", delta.Snapshot{}, layout.Unordered(), "none"},
		{"all ours", delta.Snapshot{Files: []delta.Add{{Size: 1, Tags: ours}}}, layout.ClusteredBy(layout.Hilbert, "a", "b"), "us"},
		{"nine tenths ours", delta.Snapshot{Files: []delta.Add{{Size: 90, Tags: ours}, {Size: 10}}}, layout.ClusteredBy(layout.Hilbert, "a", "b"), "us"},
		{"half ours", delta.Snapshot{Files: []delta.Add{{Size: 50, Tags: ours}, {Size: 50, Tags: cube}}}, layout.Unordered(), "none"},
		{"an engine's cube", delta.Snapshot{Files: []delta.Add{{Size: 5, Tags: cube}}}, layout.ClusteredBy(layout.ZOrder, "a"), "user"},
		{"declared", delta.Snapshot{Domains: declared(`[["k"],["s","x"]]`), Files: []delta.Add{{Size: 1, Tags: ours}}}, layout.ClusteredBy(layout.Hilbert, "k", "s.x"), "user"},
		{"declared by physical name", delta.Snapshot{Domains: declared(`[["col-7"]]`), Metadata: delta.Metadata{Schema: mapped}}, layout.ClusteredBy(layout.Hilbert, "Key"), "user"},
		{"clustering given up", delta.Snapshot{Domains: declared(`[]`)}, layout.Unordered(), "none"},
		{
			"partitioned", delta.Snapshot{Metadata: delta.Metadata{PartitionColumns: []string{"p"}}},
			layout.Layout{Partition: []table.Column{"p"}, Clustering: []table.Column{}, Order: layout.None, Scope: layout.WholeTable}, "none",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, owner := layoutOf(tt.table)
			if diff := cmp.Diff(tt.want, got); diff != "" || owner != tt.owner {
				t.Errorf("owner %q, want %q: %s", owner, tt.owner, diff)
			}
		})
	}
	if _, s := openTable(t, filepath.Join(small, "clustered")); s.Owner != "user" || s.Layout.String() != "hilbert(k)" {
		t.Errorf("Spark's clustered table: %s of %s", s.Layout, s.Owner)
	}
}

func TestBoundsOfPartitions(t *testing.T) {
	_, s := openTable(t, filepath.Join(small, "partitioned"))
	got := map[string][]prune.Bounds{}
	for _, f := range s.Files {
		folder, _, _ := strings.Cut(f.Path, "/part-")
		got[folder] = []prune.Bounds{f.Bounds["p"], f.Bounds["d"]}
	}
	day := func(days, rows int64) prune.Bounds {
		return prune.Bounds{Min: predicate.DateValue(days), Max: predicate.DateValue(days), Rows: rows}
	}
	text := func(s string, rows int64) prune.Bounds {
		return prune.Bounds{Min: predicate.StringValue(s), Max: predicate.StringValue(s), Rows: rows}
	}
	want := map[string][]prune.Bounds{
		"p=a b%3A0/d=2020-01-01": {text("a b:0", 2), day(18_262, 2)},
		"p=100%25/d=2020-01-02":  {text("100%", 1), day(18_263, 1)},
		"p=__HIVE_DEFAULT_PARTITION__/d=__HIVE_DEFAULT_PARTITION__": {{Nulls: 2, Rows: 2}, {Nulls: 2, Rows: 2}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDeletedRowsDoNotCount(t *testing.T) {
	_, s := openTable(t, filepath.Join(small, "vectors"))
	if rows, ok := s.Rows(); rows != 4 || !ok || s.Files[0].Bounds["id"].Rows != 4 {
		t.Errorf("%d rows, %v, bounds %+v", rows, ok, s.Files[0].Bounds["id"])
	}
	bounds := map[table.Column]prune.Bounds{"none": {Nulls: 0, Rows: 5}, "some": {Nulls: 2, Rows: 5}, "all": {Nulls: 5, Rows: 5}}
	_, left := withoutDeleted(5, bounds, &delta.DeletionVector{Cardinality: 2})
	want := map[table.Column]prune.Bounds{"none": {Nulls: 0, Rows: 3}, "some": {Nulls: -1, Rows: 3}, "all": {Nulls: 3, Rows: 3}}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedStatisticsAreNone(t *testing.T) {
	s := delta.Snapshot{Files: []delta.Add{{Path: "a", Size: 5, Stats: "{damaged"}, {Path: "b", Size: 5}}}
	for _, f := range files(s) {
		if f.Rows != -1 || len(f.Bounds) != 0 {
			t.Errorf("%+v", f)
		}
	}
}

func TestSchemaHash(t *testing.T) {
	base := delta.Metadata{SchemaString: `{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}}]}`}
	hash := func(m delta.Metadata) string {
		h, err := schemaHash(m)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	same := base
	same.SchemaString = `{ "fields":[{"type":"long","name":"a","metadata":{},"nullable":true}], "type":"struct" }`
	same.Configuration = map[string]string{"delta.appendOnly": "true"}
	if a, b := hash(base), hash(same); a != b || len(a) != 16 {
		t.Errorf("%s and %s for one schema", a, b)
	}
	seen := map[string]string{hash(base): "base"}
	for name, change := range map[string]func(*delta.Metadata){
		"name":      func(m *delta.Metadata) { m.SchemaString = strings.ReplaceAll(m.SchemaString, `"a"`, `"b"`) },
		"type":      func(m *delta.Metadata) { m.SchemaString = strings.ReplaceAll(m.SchemaString, "long", "integer") },
		"null":      func(m *delta.Metadata) { m.SchemaString = strings.ReplaceAll(m.SchemaString, "true", "false") },
		"partition": func(m *delta.Metadata) { m.PartitionColumns = []string{"a"} },
	} {
		m := base
		change(&m)
		if other, ok := seen[hash(m)]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[hash(m)] = name
	}
}
