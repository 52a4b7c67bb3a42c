//go:build spark

package embedded_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ajlo/job/sparktest"
)

// Four processes on one table: two of ajlo that put it in order again and again, a Spark that
// merges and a Spark that appends. Every row of every commit is there once, every merge counted
// once, and no version is missing.
func TestManyWritersWithSpark(t *testing.T) {
	url := filepath.Join(t.TempDir(), "items")
	merger, appender := sparkWriter(t), sparkWriter(t)
	made := fmt.Sprintf("CREATE TABLE delta.`%s` USING delta TBLPROPERTIES ('delta.enableDeletionVectors'='true') AS SELECT id, id * 7919 %% 1000 AS k, 0L AS n FROM range(0, 200, 1, 4)", url)
	if _, err := merger.SQL(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	var appends, merges int
	reordered := whileTwoReorder(t, url, 4*time.Second, func() {
		var both sync.WaitGroup
		both.Go(func() { appends = commits(t, appender, url, "append") })
		both.Go(func() { merges = commits(t, merger, url, "merge") })
		both.Wait()
	})
	checkRows(t, url, append(numbered(0, 200+20*appends), numbered(1_000_000, 10*merges)...), merges)
	checkVersions(t, opened(t, url), map[string]int{"CREATE TABLE AS SELECT": 1, rewrites: reordered, "WRITE": appends, "MERGE": merges})
	sparkCounts(t, appender, url, 200+20*appends+10*merges, 100*merges)
}

// sparkWriter is a Spark small enough for two of them, whose commits are safe.
func sparkWriter(t *testing.T) *sparktest.Spark {
	t.Helper()
	return sparktest.Start(t, sparktest.Options{Linking: true, Conf: map[string]string{
		"spark.driver.memory":                       "1g",
		"spark.driver.extraJavaOptions":             "-XX:TieredStopAtLevel=1",
		"spark.sql.shuffle.partitions":              "2",
		"spark.databricks.delta.snapshotPartitions": "1",
	}})
}

// commits has a Spark write for a while and gives how often it did.
func commits(t *testing.T, spark *sparktest.Spark, url, what string) (n int) {
	t.Helper()
	program, err := filepath.Abs("testdata/spark_writer.py")
	if err == nil {
		err = spark.Run(t.Context(), &n, program, url, what, fmt.Sprint(writing(15*time.Second).Seconds()))
	}
	if err != nil {
		t.Errorf("Spark, %s: %v", what, err)
	}
	return n
}

// sparkCounts holds that Spark, too, reads so many rows, each id once, counted up so often.
func sparkCounts(t *testing.T, spark *sparktest.Spark, url string, rows, counted int) {
	t.Helper()
	got, err := spark.SQL(t.Context(), fmt.Sprintf("SELECT count(*), count(DISTINCT id), sum(n) FROM delta.`%s`", url))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint([]int{rows, rows, counted}); fmt.Sprint(got.Rows[0]) != want {
		t.Errorf("Spark counts %v, want %v", got.Rows[0], want)
	}
}
