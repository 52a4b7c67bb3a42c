//go:build spark

package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ajlo/job/sparktest"
)

// Tables that are made where not all are: about a tenth of Spark's, and some of delta-rs's.
const (
	ofSpark   = 10
	ofDeltaRS = 3
)

// soaked is how many tables the Spark with the fewest makes, at least.
const soaked = 90

// settings are those under which tables are made and read. Tables are so small that all the
// time goes into starting: of tasks, and of compilers.
func settings(e sparktest.Engine) sparktest.Options {
	return sparktest.Options{Engine: e, Conf: map[string]string{
		"spark.driver.extraJavaOptions":             "-XX:TieredStopAtLevel=1",
		"spark.sql.codegen.wholeStage":              "false",
		"spark.sql.adaptive.enabled":                "false",
		"spark.sql.shuffle.partitions":              "2",
		"spark.databricks.delta.snapshotPartitions": "1",
		// VACUUM and CONVERT list folders in so many tasks, 10,000 if not told.
		"spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
		// Dates and times before 1900 in today's calendar, which Spark 3 asks to be told.
		"spark.sql.parquet.int96RebaseModeInWrite":    "CORRECTED",
		"spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
		// Files of delta-rs do not say which calendar theirs are in; Spark 3 then reads none.
		"spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
		// vacuumed: so that it loses files at once.
		"spark.databricks.delta.retentionDurationCheck.enabled": "false",
	}}
}

func TestTables(t *testing.T) {
	for _, e := range sparktest.Engines() {
		t.Run(e.String(), func(t *testing.T) {
			spark := sparktest.Start(t, settings(e))
			s := suite{T: t, spark: spark, folder: t.TempDir()}
			s.stage("make", s.make)
			s.stage("rewrite", s.rewriteAll)
			s.stage("delta-rs reads", s.readByDeltaRS)
			s.stage("Spark reads", s.readBySpark)
			s.stage("Spark works on", s.workOn)
		})
	}
}

// suite is one Spark, and tables that it and delta-rs made.
type suite struct {
	*testing.T
	spark  *sparktest.Spark
	folder string
	tables []made
}

// stage runs what goes for all tables and logs how long it took.
func (s *suite) stage(name string, run func()) {
	s.Helper()
	start := time.Now()
	run()
	s.Logf("%s: %.0f s", name, time.Since(start).Seconds())
}

// make makes the tables. Those that cannot be made fail the test; the others are tested all
// the same.
func (s *suite) make() {
	which, least := selection(s.T)
	var bySpark, byDeltaRS []made
	if err := s.spark.Run(s.Context(), &bySpark, absolute(s.T, "tables/run.py"), s.folder, which[0]); err != nil {
		s.Fatal(err)
	}
	out, err := sparktest.DeltaRS(s.Context(), s.T, absolute(s.T, "deltars.py"), "make", s.folder, which[1])
	if err == nil {
		err = json.Unmarshal(out, &byDeltaRS)
	}
	if err != nil {
		s.Fatal(err)
	}
	for _, m := range append(bySpark, byDeltaRS...) {
		if m.Error != "" {
			s.Errorf("%s cannot be made: %s", m.Name, m.Error)
			continue
		}
		m.copyAside(s.T, s.folder)
		s.tables = append(s.tables, m)
	}
	if len(s.tables) < least {
		s.Fatalf("%d tables, want %d", len(s.tables), least)
	}
	s.Logf("Spark %s made %d tables, delta-rs %d", s.spark.Version, len(s.tables)-len(byDeltaRS), len(byDeltaRS))
}

// selection says which tables Spark and delta-rs make: all in a soak, else those that
// AJLO_TABLES names (with commas between them), else some drawn by a seed, which AJLO_SEED may
// change.
func selection(t *testing.T) (which [2]string, least int) {
	t.Helper()
	if names := os.Getenv("AJLO_TABLES"); names != "" {
		return [2]string{names, names}, 1 + strings.Count(names, ",")
	}
	if os.Getenv("AJLO_SOAK") != "" {
		return [2]string{"0/0", "0/0"}, soaked
	}
	seed, err := strconv.Atoi(cmp.Or(os.Getenv("AJLO_SEED"), "1"))
	if err != nil {
		t.Fatalf("AJLO_SEED: %v", err)
	}
	return [2]string{fmt.Sprintf("%d/%d", seed, ofSpark), fmt.Sprintf("%d/%d", seed, ofDeltaRS)}, ofSpark + ofDeltaRS
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// rewriteAll keeps the tables that were rewritten: those that had to be refused are done with.
func (s *suite) rewriteAll() {
	var rewritten []made
	for _, m := range s.tables {
		if m.asks("typed") {
			m.knowsBounds(s.T)
		}
		if m.rewrite(s.T) {
			rewritten = append(rewritten, m)
		}
	}
	s.Logf("%d tables rewritten, %d refused", len(rewritten), len(s.tables)-len(rewritten))
	s.tables = rewritten
}
