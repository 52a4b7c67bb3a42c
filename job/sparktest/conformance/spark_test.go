//go:build spark

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job/sparktest"
)

// askSpark holds that Spark reads the rows it read before, and works on with the table.
func askSpark(t *testing.T, spark *sparktest.Spark, m made) {
	if m.asks("checkpoint") {
		onlyCheckpoint(t, m)
	}
	sameRows(t, spark, m)
	if !m.changed {
		return
	}
	q := question{t, spark, m}
	q.history()
	for feature, ask := range map[string]func(question){
		"tracked": question.rowIDs, "feed": question.feed, "identity": question.identity,
	} {
		if m.asks(feature) {
			ask(q)
		}
	}
	q.optimize()
	if !m.asks("identity") {
		sameRows(t, spark, m)
	}
}

// onlyCheckpoint takes away all of the log that the rewrite's checkpoint stands for, so that
// it has to be read.
func onlyCheckpoint(t *testing.T, m made) {
	t.Helper()
	for v := range m.version {
		for _, name := range []string{"%020d.json", "%020d.crc", "%020d.checkpoint.parquet"} {
			err := os.Remove(filepath.Join(m.after, "_delta_log", fmt.Sprintf(name, v)))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(m.after, "_delta_log", fmt.Sprintf("%020d.checkpoint.parquet", m.version))); err != nil {
		t.Fatal(err)
	}
}

// question is a table that Spark is asked of.
type question struct {
	*testing.T
	spark *sparktest.Spark
	made
}

// sql gives the rows of a statement in which BEFORE and AFTER stand for the two tables.
func (q question) sql(statement string) sparktest.Rows {
	q.Helper()
	rows, err := q.spark.SQL(q.Context(), strings.NewReplacer("BEFORE", quoted(q.before), "AFTER", quoted(q.after)).Replace(statement))
	if err != nil {
		q.Fatalf("%s: %v", statement, err)
	}
	return rows
}

// number is the one number that a statement gives.
func (q question) number(statement string) int64 {
	q.Helper()
	n, err := q.sql(statement).Rows[0][0].(json.Number).Int64()
	if err != nil {
		q.Fatalf("%s: %v", statement, err)
	}
	return n
}

// The rows of both tables as texts, in which NaN and the sign of zero show; %s adds columns.
const texts = "SELECT to_json(struct(*%s), map('ignoreNullFields', 'false')) j, %s n FROM %s"

// differing counts the texts that one table has more often than the other.
func differing(more string) string {
	return fmt.Sprintf("SELECT count(*) FROM (SELECT j FROM (%s UNION ALL %s) GROUP BY j HAVING sum(n) <> 0)",
		fmt.Sprintf(texts, more, "1", "BEFORE"), fmt.Sprintf(texts, more, "-1", "AFTER"))
}

// sameRows holds that both tables have the same multiset of rows: by text, by hash, and as
// Spark compares rows where it can (maps it cannot).
func sameRows(t *testing.T, spark *sparktest.Spark, m made) {
	t.Helper()
	q := question{t, spark, m}
	if n := q.number(differing("")); n != 0 {
		t.Errorf("%d rows differ as text", n)
	}
	if m.asks("maps") {
		return
	}
	const hash = "SELECT count(*) c, sum(cast(xxhash64(*) AS DECIMAL(38,0))) h FROM "
	if n := q.number("SELECT count(*) FROM (" + hash + "BEFORE EXCEPT " + hash + "AFTER)"); n != 0 {
		t.Error("the hashes over all rows differ")
	}
	for _, pair := range [][2]string{{"BEFORE", "AFTER"}, {"AFTER", "BEFORE"}} {
		if n := q.number(fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM %s EXCEPT ALL SELECT * FROM %s)", pair[0], pair[1])); n != 0 {
			t.Errorf("%d rows are in %s alone", n, strings.ToLower(pair[0]))
		}
	}
}

// history holds that the table's history says what was done, and by what plan.
func (q question) history() {
	q.Helper()
	rows := q.sql("DESCRIBE HISTORY AFTER LIMIT 1")
	said := map[string]any{}
	for i, name := range rows.Columns {
		said[name] = rows.Rows[0][i]
	}
	if said["operation"] != "OPTIMIZE" || !strings.Contains(fmt.Sprint(said["userMetadata"]), "plan_sha256") || fmt.Sprint(said["version"]) != fmt.Sprint(q.version) {
		q.Errorf("history: %v", said)
	}
}

// rowIDs holds that every row kept its id and the version it was last changed in.
func (q question) rowIDs() {
	q.Helper()
	if n := q.number(differing(", _metadata.row_id AS `row id`, _metadata.row_commit_version AS `row version`")); n != 0 {
		q.Errorf("%d rows differ with their ids", n)
	}
	ids := q.number("SELECT count(DISTINCT _metadata.row_id) FROM AFTER")
	if rows := q.number("SELECT count(*) FROM AFTER"); ids != rows {
		q.Errorf("%d row ids for %d rows", ids, rows)
	}
}

// feed holds that the rewrite changed no row as far as those know who follow the changes.
func (q question) feed() {
	q.Helper()
	if n := q.number(fmt.Sprintf("SELECT count(*) FROM table_changes_by_path('%s', %d)", q.after, q.made.version)); n != 0 {
		q.Errorf("%d changes by the rewrite", n)
	}
}

// identity holds that new rows still get numbers that no other row has.
func (q question) identity() {
	q.Helper()
	q.sql("INSERT INTO AFTER (id) VALUES (-1), (-2)")
	if n := q.number("SELECT count(*) - count(DISTINCT g) FROM AFTER"); n != 0 {
		q.Errorf("%d numbers twice", n)
	}
}

// optimize holds that Spark's OPTIMIZE takes the table, and leaves it alone where the rewrite
// clustered all of it by its own keys.
func (q question) optimize() {
	q.Helper()
	rows := q.sql("OPTIMIZE AFTER")
	var metrics struct{ NumFilesRemoved, NumFilesAdded int64 }
	text, err := json.Marshal(rows.Rows[0][1])
	if err == nil {
		err = json.Unmarshal(text, &metrics)
	}
	if err != nil {
		q.Fatal(err)
	}
	if q.asks("clustered") && (metrics.NumFilesRemoved != 0 || metrics.NumFilesAdded != 0) {
		q.Errorf("Spark rewrites a table that is clustered: %+v", metrics)
	}
}
