//go:build spark

package merge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/merge"
	"ajlo/job/sparktest"
	"ajlo/job/table"
)

// Spark reads deletion vectors that merges write, and deletes further rows of their files.
func TestSparkReadsVectors(t *testing.T) {
	spark := sparktest.Start(t, sparktest.Options{Conf: map[string]string{"spark.sql.shuffle.partitions": "1", "spark.databricks.delta.snapshotPartitions": "1"}})
	dir := t.TempDir()
	ours, theirs, source := filepath.Join(dir, "ours"), filepath.Join(dir, "theirs"), filepath.Join(dir, "source")
	const rows = "SELECT id, id %% 7 AS n, concat('row ', id) AS text, '%s' AS made FROM range(%s)"
	all(t, spark,
		fmt.Sprintf("CREATE TABLE ours USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name') LOCATION '%s' AS "+rows, ours, "first", "0, 100000, 1, 2"),
		fmt.Sprintf("CREATE TABLE rows USING parquet LOCATION '%s' AS "+rows, source, "later", "100, 100100, 997"))
	must(t, os.CopyFS(theirs, os.DirFS(ours)))
	requests := []merge.Request{
		{On: []table.Column{"id"}, Matched: always(merge.Delete)},
		{On: []table.Column{"text"}, Matched: always(merge.Update), NotMatched: always(merge.Insert)},
		{On: []table.Column{"text"}, Matched: always(merge.Update, "n")},
	}
	for i, r := range requests {
		r.Table, r.Location, r.Source, r.Write = "ours", table.Location(ours), source, merge.Vectors
		if i == 0 { // a few of each file's rows, and the rest of the source's later
			r.Source = filepath.Join(dir, "few")
			all(t, spark, fmt.Sprintf("CREATE TABLE few USING parquet LOCATION '%s' AS "+rows, r.Source, "few", "3, 100000, 911"))
		}
		got := apply(t, options(), r)
		// The last finds its rows in the file that the second wrote apart, of which none stays.
		if marked := got.Plan.FilesMarked > 0; marked != (i < 2) {
			t.Errorf("merge %d marked %d files", i, got.Plan.FilesMarked)
		}
		all(t, spark, sparkSQL(r, theirs, "parquet"))
		alike(t, spark, ours, theirs)
	}
	for _, place := range []string{ours, theirs} {
		all(t, spark, fmt.Sprintf("DELETE FROM delta.`%s` WHERE id %% 1000 = 5", place))
	}
	alike(t, spark, ours, theirs)
	if diff := differences(rowsOf(t, theirs), rowsOf(t, ours)); diff != "" {
		t.Error(diff)
	}
}

// all runs statements and fails where Spark refuses one.
func all(t *testing.T, spark *sparktest.Spark, statements ...string) []sparktest.Answer {
	t.Helper()
	var answers []sparktest.Answer
	for _, s := range statements {
		some, err := spark.All(t.Context(), []string{s})
		must(t, err)
		if some[0].Error != "" {
			t.Fatalf("%s: %s", s, some[0].Error)
		}
		answers = append(answers, some...)
	}
	return answers
}

// alike has Spark tell two tables apart.
func alike(t *testing.T, spark *sparktest.Spark, ours, theirs string) {
	t.Helper()
	const read = "SELECT count(*), sum(xxhash64(*) %% 1000003), sum(id) FROM delta.`%s`"
	answers := all(t, spark, fmt.Sprintf(read, ours), fmt.Sprintf(read, theirs))
	if diff := cmp.Diff(answers[1], answers[0]); diff != "" {
		t.Errorf("Spark reads ajlo's table as (-its own): %s", diff)
	}
}
