//go:build s3

package buckettest

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// Moto starts a moto server, which plays what no server that can be installed has of AWS: Glue, and
// storage classes. It ends with the test, keeps nothing and takes any credentials.
func Moto(t testing.TB) (endpoint string) {
	t.Helper()
	venv := os.Getenv("AJLO_MOTO")
	if venv == "" {
		t.Fatal("buckettest: AJLO_MOTO names no venv with moto: scripts/install-moto makes one, and scripts/test sets it")
	}
	at := freeAddress(t)
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	endpoint = "http://" + at
	// Without the environment: what sends clients of AWS elsewhere would send moto, too.
	launch(t, endpoint, "env", "-i", "PATH="+os.Getenv("PATH"), filepath.Join(venv, "bin", "moto_server"), "-H", host, "-p", port)
	return endpoint
}
