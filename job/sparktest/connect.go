//go:build spark

package sparktest

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// connectWait is how long a Spark Connect server gets to listen: it takes about ten seconds.
const connectWait = 3 * time.Minute

// Connect starts a Spark Connect server that ends with the test, and gives its URL.
func Connect(t testing.TB, o Options) string {
	t.Helper()
	command, conf := SparkSQL(t, o)
	port := freePort(t)
	conf["spark.connect.grpc.binding.port"] = fmt.Sprint(port)
	args := []string{"--class", "org.apache.spark.sql.connect.service.SparkConnectServer"}
	args = append(args, command[1:]...)
	for key, value := range conf {
		args = append(args, "--conf", key+"="+value)
	}
	said := &tail{}
	server := exec.Command(filepath.Join(filepath.Dir(command[0]), "spark-submit"), append(slices.Clip(args), "spark-internal")...)
	server.Dir, server.Stdout, server.Stderr = t.TempDir(), said, said
	if err := server.Start(); err != nil {
		t.Fatalf("sparktest: start Spark Connect: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended by itself
		<-ended
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	deadline := time.After(connectWait)
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			return "sc://" + address
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("sparktest: Spark Connect ended: %v\n%s", err, said)
		case <-deadline:
			t.Fatalf("sparktest: Spark Connect does not listen\n%s", said)
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
