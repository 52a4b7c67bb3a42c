//go:build spark

package merge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ajlo/job/merge"
	"ajlo/job/sparktest"
	"ajlo/job/table"
)

// A table that a merge gave columns has the rows that Spark's own schema evolution makes of it, is
// read by Spark, and takes more columns of Spark's afterwards. Without AJLO_SOAK it is one table.
func TestColumnsAgainstSpark(t *testing.T) {
	spark := sparktest.Start(t, sparktest.Options{Conf: map[string]string{
		"spark.sql.shuffle.partitions": "1", "spark.databricks.delta.snapshotPartitions": "1", "spark.sql.codegen.wholeStage": "false", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
		"spark.databricks.delta.schema.autoMerge.enabled": "true", // what WITH SCHEMA EVOLUTION says for one statement
		"spark.sql.legacy.allowHashOnMapType":             "true", // for alike
	}})
	dir := t.TempDir()
	source, more := filepath.Join(dir, "source"), filepath.Join(dir, "more")
	all(t, spark,
		fmt.Sprintf("CREATE TABLE source USING parquet LOCATION '%s' AS SELECT id, concat('new ', id) AS code, named_struct('a', id, 'b', array('x', NULL)) AS deep, map('k', CAST(id AS INT)) AS m, "+
			"CAST(id AS DECIMAL(30,3)) AS wide, DATE'2026-11-30' AS day, CAST(id AS TINYINT) AS tiny FROM range(5, 15)", source),
		fmt.Sprintf("CREATE TABLE more USING parquet LOCATION '%s' AS SELECT id, 'last' AS later FROM range(3, 20)", more))
	kinds := []string{
		"PARTITIONED BY (part) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "",
		"TBLPROPERTIES ('delta.columnMapping.mode' = 'id', 'delta.enableDeletionVectors' = 'true')",
	}
	if os.Getenv("AJLO_SOAK") == "" {
		kinds = kinds[:1]
	}
	for i, properties := range kinds {
		ours, theirs := filepath.Join(dir, fmt.Sprintf("ours%d", i)), filepath.Join(dir, fmt.Sprintf("theirs%d", i))
		all(t, spark, fmt.Sprintf("CREATE TABLE t%d USING delta %s LOCATION '%s' AS SELECT id, concat('old ', id) AS code, id %% 3 AS part FROM range(0, 10)", i, properties, ours))
		must(t, os.CopyFS(theirs, os.DirFS(ours)))
		got := apply(t, options(), merge.Request{
			Table: "ours", Location: table.Location(ours), Source: source, On: []table.Column{"id"}, Matched: always(merge.Update), NotMatched: always(merge.Insert), Evolve: true,
		})
		if len(got.Plan.Added) != 5 {
			t.Errorf("added %v", got.Plan.Added)
		}
		all(t, spark, fmt.Sprintf("MERGE INTO delta.`%s` t USING parquet.`%s` s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", theirs, source))
		alike(t, spark, ours, theirs)
		if diff := differences(rowsOf(t, theirs), rowsOf(t, ours)); diff != "" {
			t.Errorf("%s: %s", properties, diff)
		}
		for _, place := range []string{ours, theirs} {
			all(t, spark, fmt.Sprintf("MERGE INTO delta.`%s` t USING parquet.`%s` s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", place, more))
		}
		alike(t, spark, ours, theirs)
	}
}
