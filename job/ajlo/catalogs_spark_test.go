//go:build spark

package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ajlo/job"
	"ajlo/job/catalog"
	"ajlo/job/catalog/remote"
	"ajlo/job/sparktest"
	"ajlo/job/table"
)

// TestCatalogsOfSpark has a real Spark register tables in a real Hive Metastore and in Iceberg's own
// REST server, query them, and drop one; then they are looked for.
func TestCatalogsOfSpark(t *testing.T) {
	lake := t.TempDir()
	in := func(folder string) string { return filepath.Join(lake, folder) }
	for _, folder := range []string{"logs", "warehouse", "rest"} {
		if err := os.Mkdir(in(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	metastore, rest := sparktest.Metastore(t, in("warehouse")), sparktest.RESTCatalog(t, in("rest"))
	own := &remote.Hive{URI: metastore, Limit: time.Minute}
	ended := t.Run("a session", func(t *testing.T) { // whose log is whole when it has ended
		conf := map[string]string{"spark.sql.catalog.rest": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.rest.type": "rest", "spark.sql.catalog.rest.uri": rest}
		spark := sparktest.Start(t, sparktest.Options{EventLogDir: in("logs"), Warehouse: in("warehouse"), Metastore: metastore, Conf: conf})
		for _, statement := range registering(in) {
			if _, err := spark.SQL(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		if at, ok, err := own.Locate(t.Context(), "sales.gone"); !ok || err != nil {
			t.Errorf("sales.gone while it is there: %q, %t, %v", at, ok, err)
		}
		if _, err := spark.SQL(t.Context(), "DROP TABLE sales.gone"); err != nil {
			t.Fatal(err)
		}
	})
	if !ended {
		return
	}
	placesOfHive(t, own, &remote.Hive{Catalog: "lake", URI: metastore, Limit: time.Minute}, lake)
	planByCatalogs(t, in("ajlo.yaml"), metastore, rest)
}

// planByCatalogs plans by what the session left, first without one of the catalogs.
func planByCatalogs(t *testing.T, config, metastore, rest string) {
	t.Helper()
	write := func(catalogs string) {
		text := "sources: [{logs: logs}]\nwrite: [sales.managed, sales.clicks]\nbudget: {rewrite: 50MB}\nlake: {catalogs: [" + catalogs + "]}\n"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().UTC().Add(time.Minute).Format(time.RFC3339)
	byHive := "{kind: hive, uri: '" + metastore + "'}, {kind: hive, uri: '" + metastore + "', name: lake}"
	write(byHive)
	if got := ask("plan", "--config", config, "--now", now); got.code != job.ExitRefused || !strings.Contains(got.out+got.errs, "rest.sales.ice") {
		t.Errorf("without the REST catalog: %+v", got)
	}
	write(byHive + ", {kind: iceberg_rest, uri: '" + rest + "', name: rest}")
	found := placesIn(t, ask("plan", "--config", config, "--now", now, "--json"))
	for _, name := range []table.Name{"sales.managed", "lake.sales.ice", "lake.odd.ice", "rest.sales.ice"} {
		if found[name] == "" {
			t.Errorf("%s is not found: %v", name, found)
		}
	}
	if got := ask("inspect", "lake.odd.ice", "--config", config); got.code != job.ExitDone || !strings.Contains(got.out, "ice 50%20+") {
		t.Errorf("inspect: %+v", got)
	}
	if got := ask("inspect", "sales.clicks", "--config", config); got.code == job.ExitDone || !strings.Contains(got.errs, "it is a parquet table") {
		t.Errorf("inspect of another format: %+v", got)
	}
	if got := ask("config", "check", "--config", config); !strings.Contains(got.out, "answers") || !strings.Contains(got.out+got.errs, "it is a parquet table") {
		t.Errorf("config check: %+v", got)
	}
}

// registering are statements that make tables of each kind, also where names hold what URLs escape.
func registering(in func(folder string) string) []string {
	return []string{
		"CREATE DATABASE sales",
		"CREATE DATABASE odd LOCATION '" + in("odd house 50%20") + "'",
		"CREATE TABLE sales.managed USING delta AS SELECT id FROM range(1000)",
		"CREATE TABLE sales.external USING delta LOCATION '" + in("ex ternal 50%20+") + "' AS SELECT id FROM range(1000)",
		"CREATE TABLE odd.`2nd_Table` USING delta AS SELECT id FROM range(1000)",
		"CREATE TABLE sales.gone USING delta AS SELECT 1 a",
		"CREATE TABLE sales.clicks USING parquet AS SELECT 1 a",
		"CREATE TABLE sales.old (a INT) STORED AS ORC",
		"CREATE VIEW sales.seen AS SELECT * FROM sales.managed",
		"CREATE TABLE lake.sales.ice USING iceberg AS SELECT id FROM range(1000)",
		"CREATE TABLE lake.odd.ice USING iceberg LOCATION '" + in("ice 50%20+") + "' AS SELECT id FROM range(1000)",
		"CREATE DATABASE rest.sales",
		"CREATE TABLE rest.sales.ice USING iceberg AS SELECT id FROM range(1000)",
		"SELECT count(*) FROM lake.sales.ice a JOIN rest.sales.ice b ON a.id = b.id WHERE a.id < 10",
		"SELECT count(*) FROM lake.odd.ice a JOIN sales.managed b ON a.id = b.id WHERE a.id < 10",
	}
}

// placesOfHive compares what the metastore says with the folders that Spark made.
func placesOfHive(t *testing.T, own, iceberg *remote.Hive, lake string) {
	t.Helper()
	for _, tt := range []struct {
		catalog *remote.Hive
		name    table.Name
		folder  string // below the lake; "" for a table that is not there
		holds   string
	}{
		{own, "sales.managed", "warehouse/sales.db/managed", "_delta_log"},
		{own, "SALES.Managed", "warehouse/sales.db/managed", "_delta_log"},
		{own, "sales.external", "ex ternal 50%20+", "_delta_log"},
		{own, "odd.2nd_Table", "odd house 50%20/2nd_table", "_delta_log"},
		{iceberg, "lake.sales.ice", "warehouse/sales.db/ice", "metadata"},
		{iceberg, "lake.odd.ice", "ice 50%20+", "metadata"},
		{own, "sales.gone", "", ""},
		{own, "sales.none", "", ""},
		{own, "nowhere.none", "", ""},
		{own, "odd.a b'\"`%;é", "", ""},
	} {
		at, ok, err := tt.catalog.Locate(t.Context(), tt.name)
		want := ""
		if tt.folder != "" {
			want = filepath.Join(lake, tt.folder)
			if _, err := os.Stat(filepath.Join(want, tt.holds)); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		if string(at) != want || ok != (want != "") || err != nil {
			t.Errorf("%s: %q, %t, %v; want %q", tt.name, at, ok, err, want)
		}
	}
	for name, why := range map[table.Name]string{"sales.clicks": "it is a parquet table", "sales.old": "a Hive table read by OrcSerde", "sales.seen": "it is a view"} {
		_, ok, err := own.Locate(t.Context(), name)
		var unplaced *catalog.Unplaced
		if ok || !errors.As(err, &unplaced) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %t, %v; want %q", name, ok, err, why)
		}
	}
}

// placesIn are the places of a plan's tables.
func placesIn(t *testing.T, got answer) map[table.Name]table.Location {
	t.Helper()
	var plan struct {
		Tables []struct {
			Table    table.Name
			Location table.Location
		}
	}
	if err := json.Unmarshal([]byte(got.out), &plan); err != nil {
		t.Fatalf("exit code %d, %v in\n%s%s", got.code, err, got.out, got.errs)
	}
	places := map[table.Name]table.Location{}
	for _, p := range plan.Tables {
		places[p.Table] = p.Location
	}
	return places
}
