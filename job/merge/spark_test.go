//go:build spark

package merge_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job/execute"
	"ajlo/job/merge"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// sparkCases is how many merges are held against Spark's: a tenth, unless all are asked for.
func sparkCases() int {
	if os.Getenv("AJLO_SOAK") != "" {
		return 300
	}
	return 30
}

// sparkRows selects rows of every type from ids, with NULLs, NaN, −0.0 and few values where keys
// are to match, and texts longer than bounds keep, with characters of every width at the cut. What
// tells the table's rows from the source's is %[1]d.
const sparkRows = `SELECT IF(pmod(id, 13) = 5, NULL, id) AS id,
  IF(pmod(id, 7) = 3, NULL, concat('code ', pmod(id, 5))) AS code,
  CAST(IF(pmod(id, 9) = 2, NULL, pmod(id, 4)) AS INT) AS n,
  CAST(pmod(id, 300) AS SMALLINT) AS small, CAST(pmod(id, 50) - 25 AS TINYINT) AS tiny,
  CASE pmod(id, 40) WHEN 0 THEN CAST('NaN' AS DOUBLE) WHEN 1 THEN CAST('-0.0' AS DOUBLE) WHEN 2 THEN 0.0D WHEN 3 THEN NULL ELSE id / 4D END AS price,
  IF(pmod(id, 31) = 7, CAST('NaN' AS FLOAT), CAST(id AS FLOAT)) AS ratio,
  CAST(IF(pmod(id, 17) = 1, NULL, id / 8) AS DECIMAL(12,2)) AS amount,
  CAST(id AS DECIMAL(38,10)) * CAST('1000000000000.0000000001' AS DECIMAL(24,10)) AS wide,
  IF(pmod(id, 19) = 4, NULL, date_add(DATE'1999-12-30', CAST(pmod(id, 90) AS INT))) AS day,
  timestamp_micros(1700000000000001 + id * 1000) AS at,
  CAST(timestamp_micros(id * 1000003) AS TIMESTAMP_NTZ) AS local,
  IF(pmod(id, 3) = 0, NULL, pmod(id, 2) = 0) AS flag,
  CAST(concat('raw ', id + %[1]d) AS BINARY) AS raw,
  IF(pmod(id, 6) = 1, NULL, named_struct('a', CAST(id + %[1]d AS INT), 'b', IF(pmod(id, 4) = 1, NULL, concat('b', id)))) AS s,
  IF(pmod(id, 8) = 1, NULL, array(concat('t', id), NULL, '')) AS tags,
  map(concat('k', %[1]d), CAST(id AS INT)) AS m,
  CASE pmod(id, 5) WHEN 0 THEN concat('what all of these texts have in front, ', id) WHEN 1 THEN concat(repeat('é', 31), id)
    WHEN 2 THEN concat(repeat('\U0001F600', 16), id) WHEN 3 THEN concat(repeat('\uFFFF', 32), id) END AS long,
  IF(pmod(id, 10) = 9, NULL, concat('p', pmod(id, 3), ' /=é')) AS part
FROM %[2]s`

// sparkTargets are the tables that rows are merged into, by what follows their name in CREATE TABLE,
// and what is done to them once they are there.
var sparkTargets = []struct{ name, clause, after string }{
	{"plain", "", ""},
	{"parted", "PARTITIONED BY (part)", ""},
	{"parted_by_number", "PARTITIONED BY (n, flag)", ""},
	{"mapped", "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "ALTER TABLE %s RENAME COLUMN code TO kode"},
	{"mapped_by_id", "PARTITIONED BY (flag) TBLPROPERTIES ('delta.columnMapping.mode' = 'id')", ""},
	{"deleted", "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')", "DELETE FROM %s WHERE pmod(small, 5) = 1"},
	{"parted_deleted", "PARTITIONED BY (part) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name')", "DELETE FROM %s WHERE pmod(small, 3) = 1"},
	{"clustered", "CLUSTER BY (id, day)", "OPTIMIZE %s"},
	{"ordered", "", "OPTIMIZE %s ZORDER BY (amount, small)"},
	{"by_texts", "CLUSTER BY (long)", "OPTIMIZE %s"},
	{"grown", "", "ALTER TABLE %s ADD COLUMNS (extra STRUCT<a: INT>)"},
}

// sparkSources are ids: many that match, few, keys that are there twice, none, all.
var sparkSources = []struct{ name, ids string }{
	{"many", "range(150, 260)"},
	{"some", "(SELECT id * 3 AS id FROM range(30, 90))"},
	{"few", "(SELECT id * 37 AS id FROM range(0, 12))"},
	{"twice", "(SELECT id FROM range(190, 215) UNION ALL SELECT id FROM range(205, 225))"},
	{"new", "range(1000, 1020)"},
	{"nothing", "range(0, 0)"},
}

// sparkCase is one merge by both.
type sparkCase struct {
	request   merge.Request // of ajlo's copy
	sparksDir string        // Spark's own
	sql       string
}

// TestMergeAgainstSpark holds the rows of merges against those of Spark's MERGE on a copy of the
// same table, and what both refuse.
func TestMergeAgainstSpark(t *testing.T) {
	spark := sparktest.Start(t, sparktest.Options{Conf: map[string]string{
		"spark.sql.shuffle.partitions": "1", "spark.databricks.delta.optimize.minFileSize": "100", "spark.sql.autoBroadcastJoinThreshold": "10m",
		// To compile plans takes far longer than these few rows.
		"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.adaptive.enabled": "false",
		"spark.databricks.delta.snapshotPartitions": "1",
	}})
	made := t.TempDir()
	makeSparkTables(t, spark, made)
	cases := make([]sparkCase, sparkCases())
	statements := make([]string, len(cases))
	for i := range cases {
		cases[i] = drawSparkCase(t, made, i)
		statements[i] = cases[i].sql
	}
	answers, err := spark.All(t.Context(), statements)
	must(t, err)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, filepath.Base(string(c.request.Source))), func(t *testing.T) { c.check(t, answers[i]) })
	}
}

func makeSparkTables(t *testing.T, spark *sparktest.Spark, dir string) {
	t.Helper()
	var create, after []string
	for _, s := range sparkTargets {
		create = append(create, fmt.Sprintf("CREATE TABLE %s USING delta %s LOCATION '%s' AS %s", s.name, s.clause, filepath.Join(dir, s.name), fmt.Sprintf(sparkRows, 0, "range(0, 200, 1, 3)")))
		if s.after != "" {
			after = append(after, fmt.Sprintf(s.after, s.name))
		}
	}
	for _, s := range sparkSources {
		for _, format := range []string{"delta", "parquet"} {
			create = append(create, fmt.Sprintf("CREATE TABLE %s_%s USING %[2]s LOCATION '%s' AS %s", s.name, format, filepath.Join(dir, "source", s.name+" "+format), fmt.Sprintf(sparkRows, 1000, s.ids)))
		}
	}
	for _, statements := range [][]string{create, after} {
		answers, err := spark.All(t.Context(), statements)
		must(t, err)
		for i, a := range answers {
			if a.Error != "" {
				t.Fatalf("%s: %s", statements[i], a.Error)
			}
		}
	}
}

// drawSparkCase gives the case of a number, the same in every run.
func drawSparkCase(t *testing.T, made string, number int) sparkCase {
	t.Helper()
	random := rand.New(rand.NewPCG(9, uint64(number)))
	target, source := sparkTargets[number%len(sparkTargets)], sparkSources[random.IntN(len(sparkSources))]
	format := []string{"delta", "parquet"}[random.IntN(2)]
	from := filepath.Join(made, "source", source.name+" "+format)
	pick := func(from ...merge.Action) merge.Action { return from[random.IntN(len(from))] }
	ons := [][]table.Column{{"id"}, {"id"}, {"id", "small"}, {"part", "id"}, {"amount"}, {"day", "flag", "small"}, {"price"}, {"ratio"}, {"wide"}, {"at"}, {"local"}, {"small", "tiny"}, {"n", "small"}, {"long"}, {"long", "part"}}
	sets := [][]table.Column{nil, nil, {"amount", "raw"}, {"part"}, {"s", "tags", "m"}, {"day", "small"}, {"n"}, {"id", "wide", "at"}, {"long", "raw"}}
	c := sparkCase{request: merge.Request{
		Table: table.Name(target.name), Source: from, On: ons[random.IntN(len(ons))],
		Matched: pick(merge.Keep, merge.Update, merge.Update, merge.Update, merge.Delete), NotMatched: pick(merge.Keep, merge.Insert, merge.Insert),
		NotMatchedBySource: pick(merge.Keep, merge.Keep, merge.Keep, merge.Delete),
	}}
	if c.request.Matched == merge.Update {
		c.request.Set = sets[random.IntN(len(sets))]
	}
	if target.name == "mapped" || target.name == "grown" { // the source lacks a column: neither all columns nor new rows can be had of it
		c.request.NotMatched = merge.Keep
		if c.request.Matched == merge.Update && c.request.Set == nil {
			c.request.Set = []table.Column{"price", "tags"}
		}
	}
	if c.request.Check() != nil && c.request.Matched == merge.Keep && c.request.NotMatched == merge.Keep {
		c.request.Matched = merge.Delete
	}
	if strings.HasSuffix(target.name, "deleted") {
		c.request.Write = []merge.Write{merge.Auto, merge.Copy, merge.Vectors, merge.Vectors}[random.IntN(4)]
	}
	c.request.Location = table.Location(filepath.Join(t.TempDir(), "ajlos"))
	c.sparksDir = filepath.Join(t.TempDir(), "sparks")
	must(t, os.CopyFS(string(c.request.Location), os.DirFS(filepath.Join(made, target.name))))
	must(t, os.CopyFS(c.sparksDir, os.DirFS(filepath.Join(made, target.name))))
	c.sql = sparkSQL(c.request, c.sparksDir, format)
	return c
}

// sparkSQL is the request as Spark is told it.
func sparkSQL(r merge.Request, dir, format string) string {
	var on, set []string
	for _, c := range r.On {
		on = append(on, fmt.Sprintf("t.%s = s.%s", c, c))
	}
	for _, c := range r.Set {
		set = append(set, fmt.Sprintf("t.%s = s.%s", c, c))
	}
	text := fmt.Sprintf("MERGE INTO delta.`%s` t USING %s.`%s` s ON %s", dir, format, r.Source, strings.Join(on, " AND "))
	switch {
	case r.Matched == merge.Delete:
		text += " WHEN MATCHED THEN DELETE"
	case r.Matched == merge.Update && set == nil:
		text += " WHEN MATCHED THEN UPDATE SET *"
	case r.Matched == merge.Update:
		text += " WHEN MATCHED THEN UPDATE SET " + strings.Join(set, ", ")
	}
	if r.NotMatched == merge.Insert {
		text += " WHEN NOT MATCHED THEN INSERT *"
	}
	if r.NotMatchedBySource == merge.Delete {
		text += " WHEN NOT MATCHED BY SOURCE THEN DELETE"
	}
	return text
}

func (c sparkCase) check(t *testing.T, sparks sparktest.Answer) {
	o := options()
	o.TargetFile = 20 * unit.KB
	got, err := merge.New(o).Apply(context.Background(), c.request)
	ambiguous := strings.Contains(sparks.Error, "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE")
	if sparks.Error != "" && !ambiguous {
		t.Fatalf("Spark refuses %s: %s", c.sql, sparks.Error)
	}
	var refused *execute.Refusal
	if ambiguous != errors.As(err, &refused) || err != nil && refused == nil {
		t.Fatalf("%s: Spark says %q, ajlo %v", c.sql, sparks.Error, err)
	}
	if diff := differences(rowsOf(t, c.sparksDir), rowsOf(t, string(c.request.Location))); diff != "" {
		t.Errorf("%s: %s", c.sql, diff)
	}
	if ambiguous {
		return
	}
	noStraysBut(t, string(c.request.Location))
	t.Logf("%s: %d updated, %d deleted, %d inserted, %d files of %d touched, %d marked", c.request.Table, got.Plan.Rows.Updated,
		got.Plan.Rows.Deleted+got.Plan.Rows.DeletedUnmatched, got.Plan.Rows.Inserted, got.Plan.FilesTouched, got.Plan.Files, got.Plan.FilesMarked)
}

// noStraysBut passes over what Spark keeps beside its files.
func noStraysBut(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".") && strings.HasSuffix(d.Name(), ".crc") {
			err = os.Remove(path)
		}
		return err
	}))
	noStrays(t, dir)
}
