//go:build spark || s3

package sparktest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// linkLogStore makes a jar of testdata/LinkLogStore.java, compiled against the Spark at hand.
func (i installation) linkLogStore(t testing.TB) (jar string) {
	t.Helper()
	hadoop, err := filepath.Glob(filepath.Join(filepath.Dir(i.python), "..", "lib", "python3*", "site-packages", "pyspark", "jars", "hadoop-client-api-*.jar"))
	if err != nil || len(hadoop) != 1 {
		t.Fatalf("sparktest: Hadoop's interfaces beside %s: %v, error %v", i.python, hadoop, err)
	}
	classes := t.TempDir()
	source := filepath.Join(i.root, "job", "sparktest", "testdata", "LinkLogStore.java")
	jar = filepath.Join(t.TempDir(), "link-log-store.jar")
	java(t, "javac", "-d", classes, "-cp", hadoop[0]+":"+filepath.Join(i.jarFolder, "*"), source)
	java(t, "jar", "cf", jar, "-C", classes, ".")
	return jar
}

func java(t testing.TB, tool string, arguments ...string) {
	t.Helper()
	if said, err := exec.CommandContext(t.Context(), tool, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("sparktest: %s: %v (scripts/install-spark sees to a JDK)\n%s", tool, err, said)
	}
}
