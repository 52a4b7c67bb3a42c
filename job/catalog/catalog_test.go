package catalog_test

import (
	"testing"

	"ajlo/job/catalog"
	"ajlo/job/table"
)

func TestResolve(t *testing.T) {
	there := map[table.Location]bool{
		"/mnt/lake/tpch.db/orders": true, "/data/sales": true, "/roots/tpch.db/part": true,
		"/roots/tpch/nation": true, "/lake/plain": true, "s3://bucket/t": true, "/etc": true,
	}
	c := catalog.Catalog{
		PathMap: map[string]string{"/lake/warehouse": "/mnt/lake", "/lake/warehouse/tpch.db/moved": "/data/sales"},
		Tables:  map[table.Name]table.Location{"tpch.sales": "/data/sales", "tpch.gone": "/nowhere"},
		Roots:   []table.Location{"/roots/"},
		Exists:  func(l table.Location) bool { return there[l] },
	}
	for _, tc := range []struct {
		name   string
		table  table.Name
		logged table.Location
		want   table.Location
		source catalog.Source
	}{
		{"logged place through the path map", "tpch.orders", "file:/lake/warehouse/tpch.db/orders", "/mnt/lake/tpch.db/orders", catalog.ByLog},
		{"file URL with three slashes", "tpch.orders", "file:///lake/warehouse/tpch.db/orders/", "/mnt/lake/tpch.db/orders", catalog.ByLog},
		{"longest prefix wins", "x", "file:/lake/warehouse/tpch.db/moved", "/data/sales", catalog.ByLog},
		{"prefix ends at a folder", "x", "file:/lake/warehouse2", "", ""},
		{"place that no map covers", "", "file:/lake/plain", "/lake/plain", catalog.ByLog},
		{"s3a is s3", "", "s3a://bucket/t", "s3://bucket/t", catalog.ByLog},
		{"config after the log", "tpch.sales", "file:/gone", "/data/sales", catalog.ByConfig},
		{"hive folder under a root", "tpch.part", "", "/roots/tpch.db/part", catalog.ByRoot},
		{"plain folder under a root", "tpch.nation", "", "/roots/tpch/nation", catalog.ByRoot},
		{"a name that begins with its catalog", "lake.tpch.nation", "", "/roots/tpch/nation", catalog.ByRoot},
		{"named in the config and gone", "tpch.gone", "", "", ""},
		{"unknown", "tpch.nothing", "", "", ""},
		{"a name that climbs out of the root", "......etc", "", "", ""},
		{"a name with slashes", "tpch.../../../etc", "", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := c.Resolve(tc.table, tc.logged)
			if got.Location != tc.want || got.Source != tc.source || ok != (tc.want != "") {
				t.Errorf("Resolve = %+v, %v; want %q by %q", got, ok, tc.want, tc.source)
			}
		})
	}
}
