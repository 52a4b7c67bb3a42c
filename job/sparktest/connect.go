//go:build spark

package sparktest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

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
	server := exec.Command(filepath.Join(filepath.Dir(command[0]), "spark-submit"), append(slices.Clip(args), "spark-internal")...)
	return "sc://" + serve(t, server, port)
}
