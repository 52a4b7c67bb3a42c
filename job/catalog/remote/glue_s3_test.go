//go:build s3

package remote

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/glue"
	"github.com/aws/aws-sdk-go-v2/service/glue/types"

	"ajlo/job/bucket/buckettest"
	"ajlo/job/table"
)

// Tables as Spark, Iceberg and Athena register them are found in Glue, as moto plays it: the calls and
// the answers are those of AWS's own model.
func TestGlue(t *testing.T) {
	amazon(t)
	url := buckettest.Moto(t)
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
