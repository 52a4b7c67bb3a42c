//go:build spark

package embedded_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job/plan"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// twins are a table whose partition columns ajlo changes, and one that nobody lays: Spark does the same to
// both, so that both have the same rows.
type twins struct {
	*testing.T
	spark      *sparktest.Spark
	dir, plain string
}

func (t twins) sql(statement string) sparktest.Rows {
	t.Helper()
	rows, err := t.spark.SQL(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return rows
}

func (t twins) at(dir string) string { return "delta.`" + dir + "`" }

// both runs a statement on each table, which it names T.
func (t twins) both(statement string) {
	t.Helper()
	for _, dir := range []string{t.dir, t.plain} {
		t.sql(strings.ReplaceAll(statement, "T!", t.at(dir)))
	}
	t.same()
}

// same has Spark subtract the tables from each other.
func (t twins) same() {
	t.Helper()
	a, b := t.at(t.dir), t.at(t.plain)
	const columns = "id, kind, k, day"
	for _, q := range []string{
		fmt.Sprintf("SELECT count(*) FROM (SELECT %s FROM %s EXCEPT ALL SELECT %[1]s FROM %s)", columns, a, b),
		fmt.Sprintf("SELECT count(*) FROM (SELECT %s FROM %s EXCEPT ALL SELECT %[1]s FROM %s)", columns, b, a),
	} {
		if n := t.one(q); n != "0" {
			t.Errorf("%s rows differ: %s", n, q)
		}
	}
}

func (t twins) one(query string) string {
	t.Helper()
	return fmt.Sprint(t.sql(query).Rows[0][0])
}

// used is what teams do to a table.
func (t twins) used(from int) {
	t.Helper()
	row := "id, concat('new ', id % 3) AS kind, id * 7919 % 1000 AS k, date_add(DATE'2026-01-01', CAST(id % 9 AS INT)) AS day"
	t.both(fmt.Sprintf("INSERT INTO T! SELECT %s FROM range(%d, %d)", row, from, from+100))
	t.both(fmt.Sprintf("MERGE INTO T! t USING (SELECT %s FROM range(%d, %d)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET k = s.k + 1, kind = s.kind WHEN NOT MATCHED THEN INSERT *", row, from+50, from+150))
	t.both(fmt.Sprintf("DELETE FROM T! WHERE k = %d", from%1000+3))
	t.both("UPDATE T! SET day = DATE'2026-02-01', kind = NULL WHERE id % 97 = 1")
	t.sql("OPTIMIZE " + t.at(t.dir))
	t.sql("OPTIMIZE " + t.at(t.dir) + " ZORDER BY (k)")
	t.same()
}

// parts has ajlo change the partition columns.
func (t twins) parts(keys []table.Column, by ...table.Column) plan.Step {
	t.Helper()
	step := t.step(keys, by...)
	e := repartitioner(nil)
	if err := e.Check(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	r, err := e.Apply(t.Context(), step, books{"a run"})
	if err != nil || r.Removed != r.Added || !r.Changed {
		t.Fatalf("%+v: %v", r, err)
	}
	t.same()
	if got, want := fmt.Sprint(t.detail("partitionColumns")), fmt.Sprint(by); got != want {
		t.Errorf("Spark has it partitioned by %s, want %s", got, want)
	}
	if got := t.sql("DESCRIBE HISTORY " + t.at(t.dir) + " LIMIT 1"); fmt.Sprint(got.Rows[0][column(got, "operation")]) != "REPARTITION" {
		t.Errorf("history: %v", got.Rows[0])
	}
	return step
}

func (t twins) step(keys []table.Column, by ...table.Column) plan.Step {
	t.Helper()
	return partsStep(t, t.dir, 16*unit.KB, by, keys)
}

func column(r sparktest.Rows, name string) int {
	for i, c := range r.Columns {
		if c == name {
			return i
		}
	}
	return -1
}

func (t twins) detail(name string) any {
	t.Helper()
	rows := t.sql("DESCRIBE DETAIL " + t.at(t.dir))
	return rows.Rows[0][column(rows, name)]
}

// streams reads what a stream has not read yet.
func (t twins) streams(checkpoint string) (read struct {
	Rows  int
	Error string
}) {
	t.Helper()
	program, err := filepath.Abs("testdata/spark_stream.py")
	if err == nil {
		err = t.spark.Run(t.Context(), &read, program, t.dir, checkpoint)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// A table goes from partitions to keys and back under everything that Spark does to it: rows are
// those of a table that nobody laid, versions of before are read and restored, streams stop with an
// error of Delta's own. Without AJLO_SOAK it goes there and back once.
func TestSparkReadsRepartitioned(t *testing.T) {
	if os.Getenv("AJLO_SOAK") == "" {
		newTwins(t, "").thereAndBack()
		return
	}
	for _, e := range sparktest.Engines() {
		t.Run(e.String(), func(t *testing.T) { repartitionedUnder(newTwins(t, e)) })
	}
}

// newTwins starts a Spark and makes a table by partitions, and its twin.
func newTwins(t *testing.T, engine sparktest.Engine) twins {
	folder := t.TempDir()
	w := twins{t, sparktest.Start(t, sparktest.Options{Engine: engine, Conf: map[string]string{
		"spark.sql.shuffle.partitions": "2", "spark.databricks.delta.snapshotPartitions": "1",
		// Each statement is run once or twice, over few rows: to compile it takes longer.
		"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1", "spark.sql.codegen.wholeStage": "false",
	}}), filepath.Join(folder, "items"), filepath.Join(folder, "plain")}
	rows := "SELECT id, CASE WHEN id % 11 = 0 THEN NULL ELSE concat('k ', id % 4, '/%ä') END AS kind, id * 7919 % 1000 AS k, date_add(DATE'2026-01-01', CAST(id % 7 AS INT)) AS day FROM range(0, 2000, 1, 3)"
	w.sql("CREATE TABLE " + w.at(w.dir) + " USING delta PARTITIONED BY (kind) COMMENT 'ours' TBLPROPERTIES ('delta.enableDeletionVectors'='true') AS " + rows)
	w.sql("CREATE TABLE " + w.at(w.plain) + " USING delta AS " + rows)
	return w
}

// thereAndBack goes from partitions to keys, to other partitions and back to the first version.
func (t twins) thereAndBack() {
	t.Helper()
	before, then := t.version(), filepath.Join(filepath.Dir(t.dir), "then")
	t.sql("CREATE TABLE " + t.at(then) + " USING delta AS SELECT * FROM " + t.at(t.plain))
	t.parts([]table.Column{"k", "id"})
	t.both("INSERT INTO T! SELECT id, 'new' AS kind, id AS k, DATE'2026-01-02' AS day FROM range(10000, 10100)")
	t.parts([]table.Column{"k", "id"}, "day")
	t.used(20_000)
	t.sql("RESTORE TABLE " + t.at(t.dir) + " TO VERSION AS OF " + before)
	twins{t.T, t.spark, t.dir, then}.same()
}

func repartitionedUnder(w twins) {
	t, folder := w.T, filepath.Dir(w.dir)
	bare := twins{t, w.spark, filepath.Join(folder, "bare"), filepath.Join(folder, "plain")} // without deletion vectors, which delta-rs does not read
	bare.sql("CREATE TABLE " + bare.at(bare.dir) + " USING delta PARTITIONED BY (kind, day) AS SELECT * FROM " + w.at(w.plain))
	bare.readByDeltaRS()
	w.both("DELETE FROM T! WHERE id % 50 = 3")
	before, checkpoint := w.version(), filepath.Join(folder, "checkpoint")
	w.sql("CREATE TABLE " + w.at(filepath.Join(folder, "then")) + " USING delta AS SELECT * FROM " + w.at(w.plain))
	if read := w.streams(checkpoint); read.Error != "" || read.Rows == 0 {
		t.Errorf("a stream before: %+v", read)
	}

	w.parts([]table.Column{"k", "id"})
	if comment := w.detail("description"); fmt.Sprint(comment) != "ours" {
		t.Errorf("its comment became %v", comment)
	}
	w.used(10_000)
	if read := w.streams(checkpoint); !strings.Contains(read.Error, "DELTA_SCHEMA_CHANGED") {
		t.Errorf("a stream after: %+v", read)
	}
	if read := w.streams(checkpoint + " anew"); read.Error != "" || read.Rows == 0 {
		t.Errorf("a stream with a new checkpoint: %+v", read)
	}
	then := twins{t, w.spark, filepath.Join(folder, "then"), w.dir + "@v" + before}
	then.same()

	w.parts([]table.Column{"k", "id"}, "day")
	w.used(20_000)
	if reads, err := w.spark.FilesRead(t.Context(), "SELECT sum(k) FROM "+w.at(w.dir)+" WHERE day = DATE'2026-01-03'"); err != nil || len(reads) != 1 {
		t.Errorf("%+v, %v", reads, err)
	} else if all := w.detail("numFiles"); fmt.Sprint(reads[0].Files) == fmt.Sprint(all) {
		t.Errorf("a day reads %d of %v files", reads[0].Files, all)
	}

	w.takenBack()
	w.checked()
	w.clustered()

	w.sql("RESTORE TABLE " + w.at(w.dir) + " TO VERSION AS OF " + before)
	twins{t, w.spark, w.dir, filepath.Join(folder, "then")}.same()
	if by := fmt.Sprint(w.detail("partitionColumns")); by != "[kind]" {
		t.Errorf("restored, it is partitioned by %s", by)
	}
}

// takenBack has a change taken back by ajlo, and Spark go on.
func (t twins) takenBack() {
	t.Helper()
	step := t.parts([]table.Column{"k", "id"}, "kind")
	e := repartitioner(nil)
	back, err := wayBackOf(t.T, e, step, "a run")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := e.Apply(t.Context(), back, books{"a rollback"}); err != nil || r.Removed != r.Added {
		t.Fatalf("%+v: %v", r, err)
	}
	if by := fmt.Sprint(t.detail("partitionColumns")); by != "[day]" {
		t.Errorf("taken back, it is partitioned by %s", by)
	}
	t.same()
	t.used(30_000)
}

// clustered has Spark declare keys between changes: the table has the feature for good, and is
// partitioned again once they are dropped.
func (t twins) clustered() {
	t.Helper()
	t.parts([]table.Column{"k", "id"})
	t.sql("ALTER TABLE " + t.at(t.dir) + " CLUSTER BY (k)")
	t.sql("OPTIMIZE " + t.at(t.dir))
	t.same()
	e := repartitioner(nil)
	if err := e.Check(t.Context(), t.step([]table.Column{"k", "id"}, "day")); err == nil || !strings.Contains(err.Error(), "CLUSTER BY NONE") {
		t.Errorf("a table with declared keys: %v", err)
	}
	t.sql("ALTER TABLE " + t.at(t.dir) + " CLUSTER BY NONE")
	t.parts([]table.Column{"k", "id"}, "day")
	t.both("INSERT INTO T! SELECT id, 'late' AS kind, id AS k, DATE'2026-03-01' AS day FROM range(50000, 50050)")
	t.both("DELETE FROM T! WHERE day = DATE'2026-01-02'")
	t.sql("OPTIMIZE " + t.at(t.dir))
	t.same()
}

// checked has Spark go on under the check of partition columns that Delta 4.3 has, which only logs where it
// is not set. It asks of a commit whether itself changes them: it is nothing to who reads or writes
// after a change of ajlo's. Other releases know of no such setting.
func (t twins) checked() {
	t.Helper()
	t.sql("SET spark.databricks.delta.partitionColumnChangeCheck=true")
	t.used(40_000)
	t.sql("ALTER TABLE " + t.at(t.dir) + " SET TBLPROPERTIES ('looked' = 'at')")
	if read := t.streams(filepath.Join(t.TempDir(), "checkpoint")); read.Error != "" || read.Rows == 0 {
		t.Errorf("a stream under the check: %+v", read)
	}
}

// version is the table's newest.
func (t twins) version() string {
	t.Helper()
	rows := t.sql("DESCRIBE HISTORY " + t.at(t.dir) + " LIMIT 1")
	return fmt.Sprint(rows.Rows[0][column(rows, "version")])
}

// delta-rs counts the rows that Spark does, whatever becomes of the partitions.
func (t twins) readByDeltaRS() {
	t.Helper()
	t.parts([]table.Column{"k", "id"})
	t.deltaRSReads()
	t.parts([]table.Column{"id", "k"}, "day")
	t.deltaRSReads()
}

func (t twins) deltaRSReads() {
	t.Helper()
	program := filepath.Join(t.TempDir(), "count.py")
	text := "import sys\nfrom deltalake import DeltaTable\nt = DeltaTable(sys.argv[1])\nd = t.to_pyarrow_table(columns=['id', 'kind'])\nprint(d.num_rows, sum(d['id'].to_pylist()), d['kind'].null_count)\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := sparktest.DeltaRS(t.Context(), t, program, t.dir)
	if err != nil {
		t.Fatal(err)
	}
	want := t.sql("SELECT count(*), sum(id), count_if(kind IS NULL) FROM " + t.at(t.dir)).Rows[0]
	if got := strings.Fields(string(out)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("delta-rs reads %v, Spark %v", got, want)
	}
}
