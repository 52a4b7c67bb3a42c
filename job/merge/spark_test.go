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
	for _, e := range sparktest.Engines() {
		t.Run(e.String(), func(t *testing.T) { mergesAgainst(t, e) })
	}
}

func mergesAgainst(t *testing.T, engine sparktest.Engine) {
	spark := sparktest.Start(t, sparktest.Options{Engine: engine, Conf: map[string]string{
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

// sparkConditions are over a row of the table, of the source, and both.
var sparkConditions = map[string][]string{
	"t": {"t.amount > 10.5", "NOT t.flag", "t.flag", "t.local >= TIMESTAMP_NTZ '1970-01-01 00:03:20'", "t.part = 'p1 /=é'", "t.n IN (1, NULL)", "t.n NOT IN (1, 3)",
		"t.id IS NULL OR t.tiny < -3", "t.price > 12", "t.price < 1e1", "t.day >= '2000-01-20'", "t.amount = t.price", "t.small BETWEEN 30 AND 400", "t.s IS NOT NULL", "t.ratio <= 90.25"},
	"s": {"s.ratio > 220.5", "s.flag OR s.n = 2", "s.at > TIMESTAMP '2023-11-14T22:13:20.220Z'", "s.price > 55.25", "s.amount <> s.n", "NOT (s.n > 1 AND s.flag)", "s.tags IS NULL",
		"s.day < DATE '2000-02-01' OR s.long > 'x'", "s.price <=> NULL", "s.small NOT BETWEEN 170 AND 230"},
	"b": {"t.small < s.small", "t.small >= s.small AND s.flag", "t.price <=> s.price", "t.day BETWEEN DATE '2000-01-10' AND s.day", "t.long < s.long OR t.n = s.n", "t.part <> s.part",
		"t.amount >= s.price", "NOT (t.flag AND s.flag)"},
}

// sparkValues are what columns may be set to but the source's column of the same name.
var sparkValues = map[table.Column][]string{
	"amount": {"-1.5", "7", "NULL"}, "raw": {"NULL"}, "part": {"'given'", "s.long"}, "s": {"NULL"}, "tags": {"NULL"}, "day": {"DATE '2001-02-03'", "NULL"}, "small": {"12"}, "n": {"3"},
	"id": {"77"}, "at": {"TIMESTAMP '2026-11-30T08:00:00Z'"}, "local": {"TIMESTAMP_NTZ '2026-11-30 08:00:00'"}, "long": {"'given'", "s.part"}, "price": {"1.25", "2"}, "flag": {"true"}, "ratio": {"0.5"},
}

// drawing draws a case.
type drawing struct {
	*rand.Rand
	lacks bool // the source lacks a column of the table
}

func (d drawing) of(texts []string) string { return texts[d.IntN(len(texts))] }

// clauses draws those for one kind of rows; all but the last have conditions over them.
func (d drawing) clauses(kinds []string, sourced bool, actions ...merge.Action) (clauses []merge.Clause) {
	n := []int{0, 1, 1, 1, 1, 2, 3}[d.IntN(7)]
	for i := range n {
		c := merge.Clause{Action: actions[d.IntN(len(actions))]}
		if c.Action != merge.Delete {
			c.Set = d.set(sourced)
		}
		if i < n-1 || d.IntN(3) == 0 {
			c.Condition = d.of(sparkConditions[d.of(kinds)])
		}
		clauses = append(clauses, c)
	}
	return clauses
}

var sparkSets = [][]table.Column{nil, nil, {"amount", "raw"}, {"part"}, {"s", "tags"}, {"day", "small"}, {"n"}, {"id", "wide", "at"}, {"long", "raw"}, {"local", "price", "flag", "ratio"}}

func (d drawing) set(sourced bool) (set []merge.Assignment) {
	columns := sparkSets[d.IntN(len(sparkSets))]
	if columns == nil && (d.lacks || !sourced) {
		columns = []table.Column{"price", "tags"}
	}
	for _, column := range columns {
		a := merge.Assignment{Column: column}
		if values := sparkValues[column]; len(values) > 0 && (!sourced || d.IntN(3) == 0) {
			a.Value = values[d.IntN(len(values))]
		}
		if !sourced && (a.Value == "" || strings.HasPrefix(a.Value, "s.")) {
			a.Value = "NULL"
		}
		set = append(set, a)
	}
	return set
}

// drawSparkCase gives the case of a number, the same in every run.
func drawSparkCase(t *testing.T, made string, number int) sparkCase {
	t.Helper()
	target := sparkTargets[number%len(sparkTargets)]
	d := drawing{rand.New(rand.NewPCG(9, uint64(number))), target.name == "mapped" || target.name == "grown"}
	source, format := sparkSources[d.IntN(len(sparkSources))], d.of([]string{"delta", "parquet"})
	from := filepath.Join(made, "source", source.name+" "+format)
	ons := [][]table.Column{{"id"}, {"id"}, {"id", "small"}, {"part", "id"}, {"amount"}, {"day", "flag", "small"}, {"price"}, {"ratio"}, {"wide"}, {"at"}, {"local"}, {"small", "tiny"}, {"n", "small"}, {"long"}, {"long", "part"}}
	c := sparkCase{request: merge.Request{
		Table: table.Name(target.name), Source: from, On: ons[d.IntN(len(ons))],
		Matched:            d.clauses([]string{"t", "s", "b"}, true, merge.Update, merge.Update, merge.Delete),
		NotMatched:         d.clauses([]string{"s"}, true, merge.Insert),
		NotMatchedBySource: d.clauses([]string{"t"}, false, merge.Delete, merge.Update),
	}}
	if d.IntN(2) == 0 {
		c.request.NotMatchedBySource = nil
	}
	if d.IntN(3) == 0 {
		c.request.Condition = d.of(sparkConditions[d.of([]string{"t", "t", "s", "b"})])
	}
	if len(c.request.Matched)+len(c.request.NotMatched)+len(c.request.NotMatchedBySource) == 0 {
		c.request.Matched = always(merge.Delete)
	}
	if strings.HasSuffix(target.name, "deleted") {
		c.request.Write = []merge.Write{merge.Auto, merge.Copy, merge.Vectors, merge.Vectors}[d.IntN(4)]
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
	var on []string
	for _, c := range r.On {
		on = append(on, fmt.Sprintf("t.%s = s.%s", c, c))
	}
	if r.Condition != "" {
		on = append(on, "("+r.Condition+")")
	}
	text := fmt.Sprintf("MERGE INTO delta.`%s` t USING %s.`%s` s ON %s", dir, format, r.Source, strings.Join(on, " AND "))
	for _, kind := range []struct {
		when    string
		clauses []merge.Clause
	}{{"MATCHED", r.Matched}, {"NOT MATCHED", r.NotMatched}, {"NOT MATCHED BY SOURCE", r.NotMatchedBySource}} {
		for _, c := range kind.clauses {
			text += " WHEN " + kind.when
			if c.Condition != "" {
				text += " AND (" + c.Condition + ")"
			}
			text += " THEN " + sparkAction(c)
		}
	}
	return text
}

func sparkAction(c merge.Clause) string {
	var names, values, set []string
	for _, a := range c.Set {
		value := a.Value
		if value == "" {
			value = "s." + string(a.Column)
		}
		names, values, set = append(names, string(a.Column)), append(values, value), append(set, fmt.Sprintf("%s = %s", a.Column, value))
	}
	switch {
	case c.Action == merge.Delete:
		return "DELETE"
	case c.Action == merge.Update && set == nil:
		return "UPDATE SET *"
	case c.Action == merge.Update:
		return "UPDATE SET " + strings.Join(set, ", ")
	case set == nil:
		return "INSERT *"
	}
	return fmt.Sprintf("INSERT (%s) VALUES (%s)", strings.Join(names, ", "), strings.Join(values, ", "))
}

func (c sparkCase) check(t *testing.T, sparks sparktest.Answer) {
	o := options()
	o.TargetFile = 20 * unit.KB
	got, err := merge.New(o).Apply(context.Background(), c.request)
	ambiguous := strings.Contains(sparks.Error, "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE")
	if sparks.Error != "" && !ambiguous {
		t.Fatalf("Spark refuses %s: %s", c.sql, sparks.Error)
	}
	if ambiguous && len(c.request.Matched) == 0 {
		return // Spark refuses what leaves no doubt: nothing is done to rows that match
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
