//go:build spark || s3

package sparktest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ajlo/job/table"
)

// installation is where scripts/install-spark put Spark.
type installation struct {
	root      string // of the module
	python    string
	jarFolder string // of the table format
}

// installed finds Spark by AJLO_SPARK (a venv) and AJLO_JARS (a folder of jars), as
// scripts/test sets them, or in the module's .cache.
func installed(t testing.TB) installation {
	t.Helper()
	root := moduleRoot(t)
	at := installation{root: root}
	at.python = filepath.Join(given(t, "AJLO_SPARK", root, "spark-"+pinned(t, root, "SPARK")), "bin", "python")
	at.jarFolder = given(t, "AJLO_JARS", root, "delta-"+pinned(t, root, "DELTA"))
	if _, err := os.Stat(at.python); err != nil {
		t.Fatalf("sparktest: no Spark at %s: run scripts/install-spark, or set AJLO_SPARK to a venv with pyspark", at.python)
	}
	return at
}

// Engine is a Spark with a table format: empty is the pinned one with Delta Lake, Iceberg is
// the same Spark with Iceberg, anything else is another version that scripts/versions.env
// lists.
type Engine string

// Iceberg is the pinned Spark with Iceberg.
const Iceberg Engine = "iceberg"

func (e Engine) format() string {
	if e == Iceberg {
		return string(Iceberg)
	}
	return "delta"
}

// installedAs finds an engine where `scripts/install-spark ENGINE` puts it.
func installedAs(t testing.TB, e Engine) installation {
	t.Helper()
	at := installed(t)
	switch e {
	case "":
	case Iceberg:
		at.jarFolder = filepath.Join(at.root, ".cache", "iceberg-"+pinned(t, at.root, "ICEBERG"))
	default:
		line := pinned(t, at.root, "SPARK_"+strings.ReplaceAll(string(e), ".", "_"))
		delta, _, _ := strings.Cut(strings.Trim(line, `"`), " ")
		at.jarFolder = filepath.Join(at.root, ".cache", "delta-"+delta)
		at.python = filepath.Join(at.root, ".cache", "spark-"+string(e), "bin", "python")
	}
	for _, path := range []string{at.python, at.jarFolder} {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("sparktest: %v: run scripts/install-spark %s", err, string(e))
		}
	}
	return at
}

// given is the folder that a variable names, else the one in the module's .cache.
func given(t testing.TB, variable, root, name string) string {
	t.Helper()
	if path := os.Getenv(variable); path != "" {
		return path
	}
	path := filepath.Join(root, ".cache", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("sparktest: no .cache/%s: run scripts/install-spark, or set %s", name, variable)
	}
	return path
}

// pinned is a version from scripts/versions.env: other versions may be installed beside it.
func pinned(t testing.TB, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "scripts", "versions.env"))
	if err != nil {
		t.Fatalf("sparktest: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if version, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSpace(version)
		}
	}
	t.Fatalf("sparktest: scripts/versions.env has no %s", name)
	return ""
}

func (i installation) jars(t testing.TB) string {
	t.Helper()
	return jarsIn(t, i.jarFolder, "run scripts/install-spark, or set AJLO_JARS")
}

// s3a are the jars with which the pinned Spark reads and writes S3.
func (i installation) s3a(t testing.TB) string {
	t.Helper()
	return jarsIn(t, filepath.Join(i.root, ".cache", "s3a-"+pinned(t, i.root, "HADOOP")), "run scripts/install-spark s3a")
}

func jarsIn(t testing.TB, folder, remedy string) string {
	t.Helper()
	jars, err := filepath.Glob(filepath.Join(folder, "*.jar"))
	if err != nil || len(jars) == 0 {
		t.Fatalf("sparktest: no jars in %s: %s", folder, remedy)
	}
	return strings.Join(jars, ",")
}

// environment is the test's own, less what would lead to another Spark.
func (i installation) environment() []string {
	var kept []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "SPARK_") && !strings.HasPrefix(e, "PYTHON") {
			kept = append(kept, e)
		}
	}
	// Programs lie in the module, which Python is to leave as it is.
	return append(kept, "SPARK_LOCAL_IP=127.0.0.1", "PYSPARK_PYTHON="+i.python, "JARS="+i.jarFolder, "PYTHONDONTWRITEBYTECODE=1")
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("sparktest: find the module: %v", err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("sparktest: no go.mod above the test's folder")
	return ""
}

// decode keeps numbers as they are written: an order key does not fit a float.
func decode(line []byte, reply any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	return d.Decode(reply)
}

func named(n table.Name) table.Name {
	return table.Name(strings.TrimPrefix(string(n), "spark_catalog."))
}

func local(l table.Location) table.Location {
	return table.Location(strings.TrimPrefix(string(l), "file:"))
}

// tail keeps the end of what a process says on its error output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 16 << 10 // enough for the stack trace that tells why

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
