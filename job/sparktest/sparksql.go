//go:build spark

package sparktest

import (
	"os"
	"path/filepath"
	"testing"
)

// SparkSQL gives the program spark-sql of an installed Spark, and the settings with which it
// knows its table format, for a process that a test does not start itself.
func SparkSQL(t testing.TB, o Options) (command []string, conf map[string]string) {
	t.Helper()
	at := installedAs(t, o.Engine)
	programs, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(at.python)), "lib", "python*", "site-packages", "pyspark", "bin", "spark-sql"))
	if err != nil || len(programs) != 1 {
		t.Fatalf("sparktest: %d spark-sql beside %s (%v): run scripts/install-spark", len(programs), at.python, err)
	}
	for _, e := range []string{"SPARK_HOME", "SPARK_CONF_DIR", "PYTHONPATH"} { // would lead to another Spark
		t.Setenv(e, "")
		if err := os.Unsetenv(e); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SPARK_LOCAL_IP", "127.0.0.1")
	return []string{programs[0], "--master", "local[2]"}, o.conf(t, at)
}
