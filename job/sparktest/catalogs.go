//go:build spark

package sparktest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// catalogMemory is more than a catalog of a few tables takes.
const catalogMemory = "-Xmx512m"

// RESTCatalog starts the reference server of Iceberg's REST catalogs, which ends with the test, and
// gives its URL. Tables lie in the warehouse, a folder of this machine; the server keeps its own data
// in another that goes with the test.
func RESTCatalog(t testing.TB, warehouse string) (url string) {
	t.Helper()
	at := installed(t)
	jars := filepath.Join(at.root, ".cache", "iceberg-rest-"+pinned(t, at.root, "ICEBERG"))
	if _, err := os.Stat(jars); err != nil {
		t.Fatalf("sparktest: %v: run scripts/install-spark rest", err)
	}
	port := freePort(t)
	server := exec.Command("java", catalogMemory, "-cp", filepath.Join(jars, "*")+":"+at.hadoop(t), "org.apache.iceberg.rest.RESTCatalogServer")
	server.Env = append(os.Environ(), "LC_ALL=C.UTF-8", fmt.Sprintf("CATALOG_REST_PORT=%d", port), "CATALOG_WAREHOUSE=file://"+warehouse)
	return "http://" + serve(t, server, port)
}

// Metastore starts a Hive Metastore, Spark's own over Derby, which ends with the test, and gives its
// URL. Tables without a location of their own lie in the warehouse, a folder of this machine.
func Metastore(t testing.TB, warehouse string) (url string) {
	t.Helper()
	at := installed(t)
	port := freePort(t)
	server := exec.Command("java", catalogMemory, "-cp", filepath.Join(at.sparkJars(t), "*"),
		"-Djavax.jdo.option.ConnectionURL=jdbc:derby:"+filepath.Join(t.TempDir(), "metastore")+";create=true",
		"-Ddatanucleus.schema.autoCreateAll=true", "-Dhive.metastore.schema.verification=false",
		"-Dhive.metastore.warehouse.dir="+warehouse,
		"-Dhive.async.log.enabled=false", "-Dhive.root.logger=INFO,console", // what asynchronous logs take is not in Spark
		"org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", fmt.Sprint(port))
	server.Env = at.environment()
	return "thrift://" + serve(t, server, port)
}

// hadoop are the jars of Hadoop that Spark holds, as a class path.
func (i installation) hadoop(t testing.TB) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(i.sparkJars(t), "hadoop-client-*.jar"))
	if err != nil || len(found) == 0 {
		t.Fatalf("sparktest: no Hadoop among Spark's jars: %v", err)
	}
	return strings.Join(found, ":")
}

// sparkJars is the folder of Spark's own jars.
func (i installation) sparkJars(t testing.TB) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(i.python), "..", "lib", "python3*", "site-packages", "pyspark", "jars"))
	if err != nil || len(found) != 1 {
		t.Fatalf("sparktest: Spark's jars beside %s: %v, error %v: run scripts/install-spark", i.python, found, err)
	}
	return found[0]
}
