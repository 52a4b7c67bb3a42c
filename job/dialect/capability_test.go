package dialect_test

import (
	"strings"
	"testing"

	"ajlo/job/dialect"
	"ajlo/job/layout"
)

func TestProbedReleases(t *testing.T) {
	for _, tc := range []struct {
		name          string
		flavour       dialect.Flavour
		spark, format string
		wantErr       string // empty where it is known
		catalogs      bool   // OPTIMIZE takes tables whose commits a catalog makes
	}{
		{"3.5.7 with 3.3.2", dialect.OpenSource, "3.5.7", "3.3.2", "", true},
		{"4.0.2 with 4.0.1", dialect.OpenSource, "4.0.2", "4.0.1", "", true},
		{"4.1.0 with 4.3.0", dialect.OpenSource, "4.1.0", "4.3.0", "", false},
		{"one of the future", dialect.OpenSource, "5.0.0-preview1", "5.0.0", "", false},
		{"an old Spark", dialect.OpenSource, "3.4.1", "3.3.2", `this is Spark "3.4.1"`, false},
		{"an old Delta", dialect.OpenSource, "3.5.1", "3.2.0", "from Spark 3.5 with 3.3 on", false},
		{"ten is more than three", dialect.OpenSource, "3.10.0", "3.10.0", "", true},
		{"no version", dialect.OpenSource, "", "", "old files follow new keys from", false},
		{"Iceberg", dialect.OnIceberg, "4.0.2", "1.10.1", "", true},
		{"an old Iceberg", dialect.OnIceberg, "4.0.2", "1.9.2", "with 1.10 on", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := dialect.Probed(tc.flavour, tc.spark, tc.format)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || got.Flavour != tc.flavour || got.CatalogManaged != tc.catalogs {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// A dialect's name leads back to its flavour.
func TestFlavourOfADialect(t *testing.T) {
	for _, f := range []dialect.Flavour{dialect.OpenSource, dialect.Databricks, dialect.Fabric} {
		if name := (dialect.SparkDelta{Flavour: f}).Name(); dialect.FlavourOf(name) != f {
			t.Errorf("%s is of %s", name, dialect.FlavourOf(name))
		}
	}
	if name := (dialect.SparkIceberg{}).Name(); dialect.FlavourOf(name) != dialect.OnIceberg {
		t.Errorf("%s is of %s", name, dialect.FlavourOf(name))
	}
}

// Only a platform's ANALYZE is said, and only where it takes the table.
func TestAnalyzeWhereThereIsOne(t *testing.T) {
	keys := layout.ClusteredBy(layout.Sort, "a")
	for _, tc := range []struct {
		flavour dialect.Flavour
		address dialect.Address
		want    string
	}{
		{dialect.OpenSource, dialect.ByName, ""},
		{dialect.Databricks, dialect.ByName, "ANALYZE TABLE `s`.`t` COMPUTE DELTA STATISTICS;"},
		{dialect.Databricks, dialect.ByPath, ""},
		{dialect.Fabric, dialect.ByPath, "ANALYZE TABLE delta.`/t` COMPUTE STATISTICS;"},
	} {
		list := dialect.SparkDelta{Flavour: tc.flavour}.Rekey(dialect.Target{Name: "s.t", Location: "/t", Address: tc.address}, keys)
		got := ""
		if last := list[len(list)-1]; strings.HasPrefix(last, "ANALYZE") {
			got = last
		}
		if got != tc.want {
			t.Errorf("%s by %s: %q, want %q", tc.flavour, tc.address, got, tc.want)
		}
	}
}
