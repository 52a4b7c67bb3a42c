//go:build s3

package buckettest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// startWait is how long a server may take to answer, on a machine that is busy with others.
const startWait = 2 * time.Minute

// Server is one server of object storage with one empty bucket.
type Server struct {
	Bucket   string // its URL, without a slash at the end
	Folder   string // where an S3 server keeps the bucket's objects; others keep them in memory
	Endpoint string
	// Environment is what another process needs to reach the server.
	Environment []string
}

// Each runs a test on a server of every kind of storage.
func Each(t *testing.T, test func(t *testing.T, s Server)) {
	t.Helper()
	for _, kind := range []struct {
		name  string
		start func(testing.TB) Server
	}{{"s3", Start}, {"gs", StartGoogle}, {"azblob", StartAzure}} {
		t.Run(kind.name, func(t *testing.T) { test(t, kind.start(t)) })
	}
}

// enter sets the environment that clients of this process go by.
func (s Server) enter(t testing.TB) {
	t.Helper()
	for _, setting := range s.Environment {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
}

// launch runs a server that ends with the test, and waits until it answers.
func launch(t testing.TB, endpoint, program string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(program, arguments...)
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("buckettest: start %s: %v", program, err)
	}
	t.Cleanup(func() {
		// The server has nothing to lose: what it keeps goes with the test.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
	})
	await(t, endpoint, log.Name())
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return at
}

// await asks until the server answers; what it answers does not matter.
func await(t testing.TB, endpoint, log string) {
	t.Helper()
	_, err := backoff.Retry(t.Context(), func() (struct{}, error) {
		reply, err := http.Get(endpoint)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, reply.Body.Close()
	}, backoff.WithMaxElapsedTime(startWait))
	if err != nil {
		said, _ := os.ReadFile(log)
		t.Fatal(fmt.Errorf("buckettest: the server does not answer: %w\n%s", err, said))
	}
}
