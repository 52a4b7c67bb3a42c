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

// The keys of the server's only account; it listens on this machine alone.
const (
	access = "ajlo-test"
	secret = "ajlo-test-secret"
)

// startWait is how long a server may take to answer.
const startWait = 30 * time.Second

// Server is one S3 server with one empty bucket, over a folder of the test.
type Server struct {
	Bucket   string // its URL, without a slash at the end
	Folder   string // where the server keeps the bucket's objects
	Endpoint string
	// Environment is what another process needs to reach the server.
	Environment []string
}

// Start starts a server that ends with the test, and sets the environment that S3 clients of
// this process go by.
func Start(t testing.TB) Server {
	t.Helper()
	program := os.Getenv("AJLO_S3_SERVER")
	if program == "" {
		t.Fatal("buckettest: AJLO_S3_SERVER names no S3 server: scripts/test sets it")
	}
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "lake"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := freeAddress(t)
	s := Server{Bucket: "s3://lake", Folder: filepath.Join(root, "lake"), Endpoint: "http://" + at}
	s.Environment = []string{
		"AWS_ACCESS_KEY_ID=" + access, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_REGION=us-east-1",
		"AWS_ENDPOINT_URL=" + s.Endpoint, "AWS_EC2_METADATA_DISABLED=true",
	}
	for _, setting := range s.Environment {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	// Objects' attributes beside them: not every temporary folder keeps extended attributes.
	cmd := exec.Command(program, "--access", access, "--secret", secret, "--port", at, "--quiet",
		"posix", "--sidecar", sidecar(t), root)
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("buckettest: start %s: %v", program, err)
	}
	t.Cleanup(func() {
		// The server has nothing to lose: its folder goes with the test.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
	})
	await(t, s.Endpoint, log.Name())
	return s
}

func sidecar(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "attributes")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
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
		t.Fatal(fmt.Errorf("buckettest: the S3 server does not answer: %w\n%s", err, said))
	}
}
