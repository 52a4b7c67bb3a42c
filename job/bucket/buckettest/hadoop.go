//go:build s3

package buckettest

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cenkalti/backoff/v5"
)

// StartHadoop starts a name node and a data node in one process, as Hadoop's own tests do, that end with
// the test, and sets the environment that clients of this process go by. It takes ten seconds: a test
// starts one for all that it tries.
func StartHadoop(t testing.TB) Server {
	t.Helper()
	jars := os.Getenv("AJLO_HDFS")
	if jars == "" {
		t.Fatal("buckettest: AJLO_HDFS names no folder with Hadoop: scripts/install-spark hdfs makes one, and scripts/test sets it")
	}
	conf := t.TempDir()
	site := filepath.Join(conf, "hdfs-site.xml")
	cmd := exec.Command("java", "-Xmx512m", "-cp", filepath.Join(jars, "*"), "org.apache.hadoop.test.MiniDFSClusterManager",
		"-format", "-nnport", "0", "-httpport", "0", "-datanodes", "1", "-writeConfig", site)
	cmd.Dir = t.TempDir() // where it keeps all
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("buckettest: start Hadoop: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
	})
	root, err := backoff.Retry(t.Context(), func() (string, error) { return defaultFS(site) }, backoff.WithMaxElapsedTime(startWait))
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		t.Fatalf("buckettest: Hadoop does not start: %v\n%s", err, said)
	}
	s := Server{Bucket: root, Environment: []string{"HADOOP_CONF_DIR=" + conf}}
	s.enter(t)
	return s
}

// defaultFS is the address of the name node, which its configuration holds once it runs.
func defaultFS(site string) (string, error) {
	text, err := os.ReadFile(site)
	if err != nil {
		return "", err
	}
	var file struct {
		Property []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"property"`
	}
	if err := xml.Unmarshal(text, &file); err != nil {
		return "", err // it is still being written
	}
	for _, p := range file.Property {
		if p.Name == "fs.defaultFS" {
			return p.Value, nil
		}
	}
	return "", os.ErrNotExist
}
