//go:build spark

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ajlo/job"
	"ajlo/job/catalog/remote"
	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/sparktest"
)

// restLake is a table that lives in Iceberg's reference server of REST catalogs, which the session calls
// rest, and look-ups of it.
type restLake struct {
	*testing.T
	dir   string
	spark *sparktest.Spark
	own   *remote.REST
}

const restCalls = "rest.tele.calls"

func (l restLake) in(name string) string { return filepath.Join(l.dir, name) }

func (l restLake) sql(statement string) string {
	l.Helper()
	rows, err := l.spark.SQL(l.Context(), statement)
	if err != nil {
		l.Fatalf("%s: %v", statement, err)
	}
	if len(rows.Rows) == 0 {
		return ""
	}
	return fmt.Sprint(rows.Rows[0][0])
}

// same has Spark subtract the table from an earlier snapshot, both ways.
func (l restLake) same(snapshot int64) {
	l.Helper()
	then := fmt.Sprintf("%s VERSION AS OF %d", restCalls, snapshot)
	for _, pair := range [][2]string{{restCalls, then}, {then, restCalls}} {
		if n := l.sql(fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM %s EXCEPT ALL SELECT * FROM %s)", pair[0], pair[1])); n != "0" {
			l.Errorf("%s rows of %s are not in %s", n, pair[0], pair[1])
		}
	}
}

// read is the table by its files.
func (l restLake) read() iceberg.Snapshot {
	l.Helper()
	at, ok, err := l.own.Locate(l.Context(), restCalls)
	if !ok || err != nil {
		l.Fatalf("%t, %v", ok, err)
	}
	store, err := object.Open(string(at))
	if err != nil {
		l.Fatal(err)
	}
	s, err := iceberg.Read(l.Context(), store)
	if err != nil {
		l.Fatal(err)
	}
	return s
}

// current holds what ajlo reads against the snapshot that the catalog gives Spark.
func (l restLake) current(want int64) {
	l.Helper()
	l.sql("REFRESH TABLE " + restCalls)
	if now := l.sql("SELECT snapshot_id FROM " + restCalls + ".refs WHERE name = 'main'"); now != fmt.Sprint(want) || l.read().ID != want {
		l.Errorf("the catalog has snapshot %s, the folder %d, want %d", now, l.read().ID, want)
	}
}

// A table of a REST catalog is planned, laid by spark-sql through that catalog, and taken back through it:
// on condition that nobody else has committed, and with no metadata file of ajlo's own.
func TestNightOnRESTCatalog(t *testing.T) {
	l := restLake{T: t, dir: t.TempDir()}
	for _, folder := range []string{"logs", "rest"} {
		if err := os.Mkdir(l.in(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	uri := sparktest.RESTCatalog(t, l.in("rest"))
	l.own = &remote.REST{Catalog: "rest", URI: uri, Limit: time.Minute}
	o := sparktest.Options{Engine: sparktest.Iceberg, Conf: map[string]string{
		"spark.sql.catalog.rest": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.rest.type": "rest", "spark.sql.catalog.rest.uri": uri,
	}}
	looked := t.Run("looked up", func(t *testing.T) { // whose log is whole when it has ended
		logged := o
		logged.EventLogDir = l.in("logs")
		s := restLake{T: t, spark: sparktest.Start(t, logged)}
		for _, statement := range []string{
			"CREATE NAMESPACE rest.tele",
			"CREATE TABLE " + restCalls + " USING iceberg TBLPROPERTIES ('write.distribution-mode' = 'none') AS SELECT /*+ REPARTITION(16) */ id, pmod(xxhash64(id), 100000) AS k FROM range(32000)",
			"CREATE TABLE rest.tele.people USING iceberg AS SELECT id AS person, pmod(id, 9) AS tariff FROM range(1000)",
			"CREATE TABLE rest.tele.tariffs USING iceberg AS SELECT id AS tariff, id * 2 AS price FROM range(9)",
			"SELECT sum(price) FROM rest.tele.people p JOIN rest.tele.tariffs t ON p.tariff = t.tariff",
		} {
			s.sql(statement)
		}
		for i := range 4 {
			s.sql(fmt.Sprintf("SELECT sum(id) FROM %s WHERE k BETWEEN %d AND %[2]d + 300", restCalls, 20000*i+7000))
		}
	})
	if !looked {
		return
	}
	l.spark = sparktest.Start(t, o)
	l.night(o, uri)
}

func (l restLake) night(o sparktest.Options, uri string) {
	before := l.read()
	size := before.Files[0].Bytes
	command, conf := sparktest.SparkSQL(l, o)
	engine, err := json.Marshal(map[string]any{"kind": "sparksql", "command": command, "conf": conf, "target_file_size": size})
	if err != nil {
		l.Fatal(err)
	}
	text := fmt.Sprintf("sources: [{logs: logs}]\nwrite: [%s]\nbudget: {rewrite: 50MB}\nlake: {catalogs: [{kind: iceberg_rest, uri: %q, name: rest}]}\nengine: %s\n", restCalls, uri, engine)
	config := l.in("ajlo.yaml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}

	ran := ask("run", "--config", config, "--now", time.Now().UTC().Add(time.Minute).Format(time.RFC3339), "--json")
	var night struct {
		Run   string
		Steps []struct{ Table string }
	}
	if err := json.Unmarshal([]byte(ran.out), &night); err != nil || ran.code != job.ExitDone || len(night.Steps) != 1 {
		l.Fatalf("exit code %d, %v in\n%s%s", ran.code, err, ran.out, ran.errs)
	}
	laid := l.read()
	l.current(laid.ID)
	if laid.ID == before.ID || laid.Properties[iceberg.LayoutKey] == "" && laid.Summary[iceberg.LayoutKey] == "" {
		l.Errorf("snapshot %d, before %d: %v", laid.ID, before.ID, laid.Summary)
	}
	l.same(before.ID)

	back := ask("rollback", night.Run, "--config", config)
	if back.code != job.ExitDone {
		l.Fatalf("%+v", back)
	}
	l.current(before.ID)
	if now := l.read(); now.Properties[iceberg.RollbackKey] == "" {
		l.Errorf("its properties do not tell who took it back: %v", now.Properties)
	}
	l.same(laid.ID)
	l.spared()

	// Who has read the table before others committed is refused.
	read := l.read()
	l.sql("INSERT INTO " + restCalls + " VALUES (-1, -1)")
	if err := l.own.RollBack(l.Context(), restCalls, read, before.ID, nil); !errors.Is(err, iceberg.ErrMoved) {
		l.Errorf("on a table that others wrote to: %v", err)
	}
	if n := l.sql("SELECT count(*) FROM " + restCalls + " WHERE id = -1"); n != "1" {
		l.Errorf("%s of others' rows are there, want 1", n)
	}
	if again := ask("rollback", night.Run, "--config", config); again.code != job.ExitDone {
		l.Errorf("taken back twice: %+v", again)
	}
}

// spared looks for metadata of a kind that no catalog writes.
func (l restLake) spared() {
	l.Helper()
	at, _, err := l.own.Locate(l.Context(), restCalls)
	if err != nil {
		l.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(string(at), "metadata"))
	if err != nil {
		l.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "v") {
			l.Errorf("%s passes the catalog by", f.Name())
		}
	}
}
