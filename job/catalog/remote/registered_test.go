package remote

import (
	"errors"
	"strings"
	"testing"

	"ajlo/job/catalog"
	"ajlo/job/table"
)

// What a metastore keeps of tables, as Spark 4.0, Iceberg 1.10 and Athena put it there.
func TestPlaceOfWhatIsRegistered(t *testing.T) {
	sources := func(provider string) map[string]string {
		return map[string]string{"spark.sql.sources.provider": provider}
	}
	for _, tt := range []struct {
		name string
		r    registered
		at   table.Location
		why  string
	}{
		{"Delta by Spark", registered{kind: "EXTERNAL_TABLE", parameters: sources("delta"), storage: map[string]string{"path": "file:/lake/sales.db/orders"}, location: "file:/lake/sales.db/orders-__PLACEHOLDER__"}, "/lake/sales.db/orders", ""},
		{"Delta by Spark, in capitals", registered{parameters: sources("DELTA"), storage: map[string]string{"path": "s3a://lake/orders"}}, "s3a://lake/orders", ""},
		{"a percent sign that is no escape", registered{parameters: sources("delta"), storage: map[string]string{"path": "file:/lake/50%20off"}}, "/lake/50%20off", ""},
		{"Delta by Athena", registered{parameters: map[string]string{"table_type": "DELTA"}, location: "s3://lake/orders"}, "s3://lake/orders", ""},
		{"Delta whose place is made up", registered{parameters: sources("delta"), location: "file:/lake/orders-__PLACEHOLDER__"}, "", "no location there"},
		{"Delta without a place", registered{parameters: sources("delta")}, "", "no location there"},
		{"Iceberg by its metadata", registered{parameters: map[string]string{"table_type": "iceberg", "metadata_location": "s3://lake/db/orders/metadata/00001-x.metadata.json"}, location: "s3://old"}, "s3://lake/db/orders", ""},
		{"Iceberg on this machine", registered{parameters: map[string]string{"table_type": "ICEBERG", "metadata_location": "file:/lake/o rders/metadata/1.metadata.json"}}, "/lake/o rders", ""},
		{"Iceberg with its metadata elsewhere", registered{parameters: map[string]string{"table_type": "ICEBERG", "metadata_location": "s3://meta/1.metadata.json"}, location: "s3://lake/orders"}, "s3://lake/orders", ""},
		{"Parquet by Spark", registered{parameters: sources("parquet"), storage: map[string]string{"path": "file:/lake/p"}}, "", "it is a parquet table"},
		{"ORC by Hive", registered{kind: "EXTERNAL_TABLE", serde: "org.apache.hadoop.hive.ql.io.orc.OrcSerde", location: "hdfs://lake/o"}, "", "a Hive table read by OrcSerde"},
		{"a view", registered{kind: "VIRTUAL_VIEW", parameters: sources("delta")}, "", "it is a view"},
		{"nothing", registered{}, "", "no format"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, err := tt.r.place("sales.orders")
			if at != tt.at || (err == nil) != (tt.why == "") {
				t.Fatalf("%q, %v", at, err)
			}
			var unplaced *catalog.Unplaced
			if tt.why != "" && (!errors.As(err, &unplaced) || !strings.Contains(err.Error(), tt.why) || !strings.Contains(err.Error(), "sales.orders")) {
				t.Errorf("%v; want %q", err, tt.why)
			}
		})
	}
}
