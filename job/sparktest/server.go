//go:build spark

package sparktest

import (
	"fmt"
	"net"
	"os/exec"
	"testing"
	"time"
)

// listenWait is how long a server in Java gets to listen: Spark Connect takes about ten seconds.
const listenWait = 3 * time.Minute

// serve starts a server that ends with the test, in a folder of its own, and waits until it listens at
// a port of this machine.
func serve(t testing.TB, server *exec.Cmd, port int) (address string) {
	t.Helper()
	said := &tail{}
	server.Dir, server.Stdout, server.Stderr = t.TempDir(), said, said
	if err := server.Start(); err != nil {
		t.Fatalf("sparktest: start %s: %v", server.Path, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended by itself
		<-ended
	})
	address = fmt.Sprintf("127.0.0.1:%d", port)
	deadline := time.After(listenWait)
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			return address
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("sparktest: %s ended: %v\n%s", server.Path, err, said)
		case <-deadline:
			t.Fatalf("sparktest: %s does not listen\n%s", server.Path, said)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
