//go:build spark

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ajlo/job/sparktest"
)

// sampled is how many of the tables are tested where not all are; soaked is how many the
// Spark with the fewest can make, at least.
const (
	sampled = 12
	soaked  = 70
)

// settings are those under which tables are made and read.
var settings = sparktest.Options{Conf: map[string]string{
	"spark.sql.shuffle.partitions":              "2",
	"spark.databricks.delta.snapshotPartitions": "1",
	// Dates and times before 1900 in today's calendar, which Spark 3 asks to be told.
	"spark.sql.parquet.int96RebaseModeInWrite":    "CORRECTED",
	"spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}}

func TestTablesOfSpark(t *testing.T) {
	folder := t.TempDir()
	which, least := selection(t)
	// Tables that could not be made fail the test; the others are tested all the same.
	if err := sparktest.Script(t.Context(), t, settings, script(t, "tables.py"), folder, which); err != nil {
		t.Error(err)
	}
	conform(t, folder, least)
}

func TestTablesOfDeltaRS(t *testing.T) {
	folder := t.TempDir()
	if _, err := sparktest.DeltaRS(t.Context(), t, script(t, "deltars.py"), "make", folder); err != nil {
		t.Fatal(err)
	}
	conform(t, folder, sampled)
}

// selection says which tables are made: all in a soak, else those that AJLO_TABLES names
// (with commas between them), else so many drawn by a seed, which AJLO_SEED may change.
func selection(t *testing.T) (which string, least int) {
	t.Helper()
	if os.Getenv("AJLO_SOAK") != "" {
		return "0/0", soaked
	}
	if names := os.Getenv("AJLO_TABLES"); names != "" {
		return names, 1 + strings.Count(names, ",")
	}
	seed := 1
	if text := os.Getenv("AJLO_SEED"); text != "" {
		var err error
		if seed, err = strconv.Atoi(text); err != nil {
			t.Fatalf("AJLO_SEED: %v", err)
		}
	}
	return fmt.Sprintf("%d/%d", seed, sampled), sampled
}

func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// conform rewrites every table of a folder and asks Spark and delta-rs of them.
func conform(t *testing.T, folder string, least int) {
	tables := load(t, folder)
	if len(tables) < least {
		t.Fatalf("%d tables, want %d", len(tables), least)
	}
	var rewritten []made
	t.Run("rewrite", func(t *testing.T) {
		for _, m := range tables {
			t.Run(m.Name, func(t *testing.T) {
				if m.rewrite(t) {
					rewritten = append(rewritten, m)
				}
			})
		}
	})
	t.Logf("%d tables, %d rewritten, %d refused as they must be", len(tables), len(rewritten), len(tables)-len(rewritten))
	t.Run("delta-rs", func(t *testing.T) { compareInDeltaRS(t, rewritten) })
	t.Run("spark", func(t *testing.T) {
		spark := sparktest.Start(t, settings)
		for _, m := range rewritten {
			t.Run(m.Name, func(t *testing.T) { askSpark(t, spark, m) })
		}
	})
}

// compareInDeltaRS holds that delta-rs reads after the rewrite what it read before. Tables
// that it cannot read at all tell nothing.
func compareInDeltaRS(t *testing.T, tables []made) {
	pairs := [][2]string{}
	// delta-rs takes INT96 for nanoseconds of 64 bits and reads other times than Spark wrote
	// before 1677 and after 2262; it reads the rewritten ones right.
	tables = slices.DeleteFunc(slices.Clone(tables), func(m made) bool { return m.asks("int96") })
	for _, m := range tables {
		pairs = append(pairs, [2]string{m.before, m.after})
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pairs.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := sparktest.DeltaRS(t.Context(), t, script(t, "deltars.py"), "compare", file)
	if err != nil {
		t.Fatal(err)
	}
	var answers []struct {
		Before, After string
		Rows          int
		Equal         bool
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(tables) {
		t.Fatalf("%d answers for %d tables", len(answers), len(tables))
	}
	read := 0
	for i, a := range answers {
		switch {
		case a.Before != "":
			t.Logf("%s: delta-rs does not read it as it was: %s", tables[i].Name, a.Before)
		case a.After != "":
			t.Errorf("%s: delta-rs no longer reads it: %s", tables[i].Name, a.After)
		case !a.Equal:
			t.Errorf("%s: delta-rs reads other rows than the %d before", tables[i].Name, a.Rows)
		default:
			read++
		}
	}
	if read < len(tables)/2 {
		t.Errorf("delta-rs reads %d of %d tables", read, len(tables))
	}
}

// quoted is a path as Spark's SQL names a table by it.
func quoted(dir string) string { return "delta.`" + strings.ReplaceAll(dir, "`", "``") + "`" }
