//go:build s3

package buckettest

import (
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// StartGoogle starts fake-gcs-server, an emulator of Google Cloud Storage that ends with the test,
// with one empty bucket, and sets the environment that clients of this process go by.
func StartGoogle(t testing.TB) Server {
	t.Helper()
	program := os.Getenv("AJLO_GCS_SERVER")
	if program == "" {
		t.Fatal("buckettest: AJLO_GCS_SERVER names no emulator of Google's storage: scripts/test sets it")
	}
	at := freeAddress(t)
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	s := Server{Bucket: "gs://lake", Endpoint: "http://" + at, Environment: []string{"STORAGE_EMULATOR_HOST=" + at}}
	launch(t, s.Endpoint, program, "-scheme", "http", "-host", host, "-port", port, "-public-host", at, "-backend", "memory", "-log-level", "error")
	s.enter(t)
	reply, err := http.Post(s.Endpoint+"/storage/v1/b", "application/json", strings.NewReader(`{"name": "lake"}`))
	if err == nil {
		err = reply.Body.Close()
	}
	if err != nil {
		t.Fatalf("buckettest: make a bucket: %v", err)
	}
	return s
}
