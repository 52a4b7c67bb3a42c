//go:build s3

package remote

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/glue"
	"github.com/aws/aws-sdk-go-v2/service/glue/types"
	"github.com/cenkalti/backoff/v5"

	"ajlo/job/table"
)

// moto starts the server that stands in for Glue, which ends with the test.
func moto(t *testing.T) (url string) {
	t.Helper()
	venv := os.Getenv("AJLO_MOTO")
	if venv == "" {
		t.Fatal("AJLO_MOTO names no venv with moto: scripts/install-moto makes one, and scripts/test sets it")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(filepath.Join(venv, "bin", "moto_server"), "-H", "127.0.0.1", "-p", port)
	server.Env = []string{"PATH=" + os.Getenv("PATH")} // what sends clients of AWS elsewhere would send it, too
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it keeps nothing
		_ = server.Wait()
	})
	if _, err := backoff.Retry(t.Context(), func() (struct{}, error) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, conn.Close()
	}, backoff.WithMaxElapsedTime(time.Minute)); err != nil {
		t.Fatalf("moto does not listen: %v", err)
	}
	return "http://" + address
}

// Tables as Spark, Iceberg and Athena register them are found in Glue, as moto plays it: the calls and
// the answers are those of AWS's own model.
func TestGlue(t *testing.T) {
	amazon(t)
	url := moto(t)
	settings, err := awsconfig.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client := glue.NewFromConfig(settings, func(o *glue.Options) { o.BaseEndpoint = &url })
	register := func(database, name string, table types.TableInput) {
		t.Helper()
		table.Name = &name
		if _, err := client.CreateTable(t.Context(), &glue.CreateTableInput{DatabaseName: &database, TableInput: &table}); err != nil {
			t.Fatal(err)
		}
	}
	for _, database := range []string{"sales", "été 1+%2F"} {
		if _, err := client.CreateDatabase(t.Context(), &glue.CreateDatabaseInput{DatabaseInput: &types.DatabaseInput{Name: &database}}); err != nil {
			t.Fatal(err)
		}
		for i := range 3 { // among others
			register(database, fmt.Sprintf("other_%d", i), types.TableInput{})
		}
		register(database, "delta", types.TableInput{
			Parameters: map[string]string{"spark.sql.sources.provider": "delta"}, TableType: aws.String("EXTERNAL_TABLE"),
			StorageDescriptor: &types.StorageDescriptor{
				Location:  aws.String("s3://lake/delta-__PLACEHOLDER__"),
				SerdeInfo: &types.SerDeInfo{Parameters: map[string]string{"path": "s3://lake/" + database + "/delta"}},
			},
		})
		register(database, "iceberg", types.TableInput{
			Parameters:        map[string]string{"table_type": "ICEBERG", "metadata_location": "s3://lake/" + database + "/iceberg/metadata/00000-a.metadata.json"},
			StorageDescriptor: &types.StorageDescriptor{Location: aws.String("s3://lake/" + database + "/iceberg")},
		})
	}
	for _, g := range []*Glue{{Endpoint: url, Limit: 30 * time.Second}, {Endpoint: url, ID: "123456789012", Catalog: "lake", Limit: 30 * time.Second}} {
		if err := g.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		prefix := ""
		if g.Catalog != "" {
			prefix = g.Catalog + "."
		}
		for _, tt := range []struct{ name, at string }{
			{"sales.delta", "s3://lake/sales/delta"}, {"sales.iceberg", "s3://lake/sales/iceberg"},
			{"été 1+%2F.delta", "s3://lake/été 1+%2F/delta"}, {"été 1+%2F.iceberg", "s3://lake/été 1+%2F/iceberg"},
			{"sales.none", ""}, {"nowhere.none", ""},
		} {
			at, ok, err := g.Locate(t.Context(), table.Name(prefix+tt.name))
			if string(at) != tt.at || ok != (tt.at != "") || err != nil {
				t.Errorf("%s: %q, %t, %v; want %q", prefix+tt.name, at, ok, err, tt.at)
			}
		}
		if _, ok, err := g.Locate(t.Context(), table.Name(prefix+"sales.other_1")); ok || err == nil {
			t.Errorf("a table without a format: %t, %v", ok, err)
		}
	}
}
