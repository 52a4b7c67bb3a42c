//go:build spark

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/sparktest"
)

// stagedRows are those of the table, or of the feed, where an id is there several times.
const stagedRows = `SELECT %s AS id, IF(id %% 7 = 3, NULL, concat('row é', id)) AS name, CAST(IF(id %% 5 = 1, NULL, id / 8) AS DECIMAL(12,2)) AS amount,
  IF(id %% 3 = 0, CAST('NaN' AS DOUBLE), id / 4D) AS price, date_add(DATE'1580-12-30', CAST(id AS INT)) AS day, timestamp_micros(-30000000000000001 + id * 1000003) AS at,
  CAST(timestamp_micros(id * 1000003) AS TIMESTAMP_NTZ) AS local, id %% 2 = 0 AS flag, named_struct('a', CAST(id AS INT), 'b', array(concat('b', id), NULL)) AS s%s FROM range(%d, %d)`

// TestMergeOfAQuery has a real spark-sql run the query that --source-sql gives; the rows are then those
// that Spark's own MERGE with the same query makes.
func TestMergeOfAQuery(t *testing.T) {
	lake := t.TempDir()
	at := func(name string) string { return filepath.Join(lake, name) }
	query := "SELECT id, max_by(name, seq) AS name, max_by(amount, seq) AS amount, max_by(price, seq) AS price, max_by(day, seq) AS day, max_by(at, seq) AS at,\n" +
		"  max_by(local, seq) AS local, max_by(flag, seq) AS flag, max_by(s, seq) AS s FROM delta.`" + at("feed") + "` WHERE name IS NULL OR name <> 'x' GROUP BY id"
	spark := sparktest.Start(t, sparktest.Options{Conf: map[string]string{"spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED"}})
	sql := func(text string) {
		if _, err := spark.SQL(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	sql("CREATE TABLE delta.`" + at("items") + "` USING delta AS " + fmt.Sprintf(stagedRows, "id", "", 0, 200))
	sql("CREATE TABLE delta.`" + at("feed") + "` USING delta AS " + fmt.Sprintf(stagedRows, "150 + id % 100", ", id AS seq", 1000, 1300))
	if err := os.CopyFS(at("sparks"), os.DirFS(at("items"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("staged"), 0o755); err != nil {
		t.Fatal(err)
	}
	command, conf := sparktest.SparkSQL(t, sparktest.Options{Conf: map[string]string{"spark.sql.catalogImplementation": "in-memory"}})
	config := at("ajlo.yaml")
	merging := func(query string, more ...string) answer {
		return ask(append([]string{"merge", "-c", config, "--into", "shop.items", "--source-sql", query, "--stage", at("staged"), "--on", "id", "--when-matched", "update"}, more...)...)
	}
	unchanged := must(rowtest.Rows(at("items")))(t)
	for _, tt := range []struct {
		name, query string
		command     []string
		code        job.ExitCode
		says        string
	}{
		{"no Spark", query, []string{at("no-spark-sql")}, job.ExitRefused, "Spark cannot be started"},
		{"a query that fails at one of its rows", "SELECT id, IF(id = 777, CAST(raise_error('not this one') AS STRING), 'x') AS name FROM range(1000)", command, job.ExitFailed, "not this one"},
		{"rows that match one row", "SELECT id, name, amount, price, day, at, local, flag, s FROM delta.`" + at("feed") + "`", command, job.ExitRefused, "match one row of the table"},
	} {
		configure(t, config, at("items"), tt.command, conf)
		if got := merging(tt.query); got.code != tt.code || !strings.Contains(got.errs, tt.says) {
			t.Errorf("%s: got %+v, want %d and %q", tt.name, got, tt.code, tt.says)
		}
		if left := must(os.ReadDir(at("staged")))(t); len(left) > 0 {
			t.Errorf("%s: %v stays", tt.name, left)
		}
	}
	if diff := cmp.Diff(unchanged, must(rowtest.Rows(at("items")))(t)); diff != "" {
		t.Fatal(diff)
	}
	if got := merging(query, "--when-not-matched", "insert"); got.code != job.ExitDone || !strings.Contains(got.out, "merged    version 1 in ") {
		t.Fatalf("%+v", got)
	}
	if left := must(os.ReadDir(at("staged")))(t); len(left) > 0 {
		t.Errorf("%v stays", left)
	}
	sql("MERGE INTO delta.`" + at("sparks") + "` t USING (" + query + ") s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
	if diff := cmp.Diff(must(rowtest.Rows(at("sparks")))(t), must(rowtest.Rows(at("items")))(t)); diff != "" {
		t.Error(diff)
	}
}

// configure writes a config whose engine is a spark-sql.
func configure(t *testing.T, path, items string, command []string, conf map[string]string) {
	t.Helper()
	text := must(json.Marshal(map[string]any{
		"sources": []any{map[string]string{"logs": "logs"}}, "lake": map[string]any{"tables": []any{map[string]string{"name": "shop.items", "location": items}}},
		"write": []string{"shop.items"}, "budget": map[string]string{"rewrite": "50MB"},
		"engine": map[string]any{"kind": "sparksql", "command": command, "conf": conf},
	}))(t)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
