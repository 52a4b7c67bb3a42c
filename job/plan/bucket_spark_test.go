//go:build spark

package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"ajlo/job/sparktest"
)

// What is advised does what it says: buckets on both sides and both tables rewritten, and only then, Spark
// joins them without a shuffle, with the same rows; both settings are needed.
func TestBucketsSpareTheShuffle(t *testing.T) {
	settings := []string{"spark.sql.sources.v2.bucketing.enabled", "spark.sql.iceberg.planning.preserve-data-grouping"}
	spark := sparktest.Start(t, sparktest.Options{Engine: sparktest.Iceberg, Conf: map[string]string{"spark.sql.adaptive.enabled": "false"}})
	sql := func(statement string) string {
		t.Helper()
		rows, err := spark.SQL(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if len(rows.Rows) == 0 {
			return ""
		}
		return fmt.Sprint(rows.Rows[0]...)
	}
	const join = "SELECT count(*), sum(a.v), sum(b.v) FROM lake.d.orders a JOIN lake.d.items b ON a.k = b.k"
	shuffles := func() int { return strings.Count(sql("EXPLAIN "+join), "Exchange hashpartitioning") }
	both := func(statement string) {
		t.Helper()
		for _, name := range []string{"orders", "items"} {
			sql(strings.ReplaceAll(statement, "T!", "d."+name))
		}
	}
	set := func(name string, on bool) { sql(fmt.Sprintf("SET `%s`=%t", name, on)) }

	sql("CREATE NAMESPACE lake.d")
	both("CREATE TABLE lake.T! USING iceberg AS SELECT /*+ REPARTITION(4) */ pmod(xxhash64(id), 1000) AS k, id AS v FROM range(4000)")
	for _, name := range settings {
		set(name, true)
	}
	rows := sql(join)
	for _, step := range []struct {
		statement string
		want      int
	}{
		{"REFRESH TABLE lake.T!", 2},
		{"ALTER TABLE lake.T! ADD PARTITION FIELD bucket(4, k)", 2},
		{"CALL lake.system.rewrite_data_files(table => 'T!', options => map('rewrite-all', 'true'))", 0},
	} {
		both(step.statement)
		both("REFRESH TABLE lake.T!")
		if n := shuffles(); n != step.want {
			t.Errorf("after %s: %d shuffles, want %d", step.statement, n, step.want)
		}
		if got := sql(join); got != rows {
			t.Errorf("after %s: %s, want %s", step.statement, got, rows)
		}
	}
	for _, name := range settings {
		set(name, false)
		if n := shuffles(); n != 2 {
			t.Errorf("without %s: %d shuffles", name, n)
		}
		set(name, true)
	}
	sql("INSERT INTO lake.d.orders SELECT pmod(xxhash64(id), 1000), id FROM range(4000, 4100)")
	if n := shuffles(); n != 0 {
		t.Errorf("after an append: %d shuffles", n)
	}
}
