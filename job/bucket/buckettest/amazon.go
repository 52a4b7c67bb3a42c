//go:build s3

package buckettest

import (
	"os"
	"path/filepath"
	"testing"
)

// The keys of the server's only account; it listens on this machine alone.
const (
	access = "ajlo-test"
	secret = "ajlo-test-secret"
)

// Start starts an S3 server, over a folder of the test, that ends with the test, and sets the
// environment that S3 clients of this process go by.
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
	s.enter(t)
	// Objects' attributes beside them: not every temporary folder keeps extended attributes.
	launch(t, s.Endpoint, program, "--access", access, "--secret", secret, "--port", at, "--quiet",
		"posix", "--sidecar", sidecar(t), root)
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
