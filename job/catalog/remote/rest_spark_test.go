//go:build spark

package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	iceberg "github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog/rest"

	"ajlo/job/sparktest"
	"ajlo/job/table"
)

// Tables that are made by Iceberg's own reference server are found where they are.
func TestReferenceServer(t *testing.T) {
	uri := sparktest.RESTCatalog(t, t.TempDir())
	client, err := rest.NewCatalog(t.Context(), "test", uri)
	if err != nil {
		t.Fatal(err)
	}
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "a", Type: iceberg.PrimitiveTypes.Int64})
	r := &REST{Catalog: "lake", URI: uri, Limit: 30 * time.Second}
	for _, namespace := range []string{"sales", "été 1%2F+"} {
		if err := client.CreateNamespace(t.Context(), []string{namespace}, nil); err != nil {
			t.Fatal(err)
		}
		made, err := client.CreateTable(t.Context(), []string{namespace, "orders"}, schema)
		if err != nil {
			t.Fatal(err)
		}
		at, ok, err := r.Locate(t.Context(), table.Name("lake."+namespace+".orders"))
		if err != nil || !ok || string(at) != strings.TrimPrefix(made.Location(), "file://") {
			t.Errorf("%s: %q, %t, %v; it is at %s", namespace, at, ok, err, made.Location())
		}
		if _, err := os.Stat(filepath.Join(string(at), "metadata")); err != nil {
			t.Errorf("%s: %v", namespace, err)
		}
	}
	for _, name := range []table.Name{"lake.sales.none", "lake.nowhere.none"} {
		if at, ok, err := r.Locate(t.Context(), name); ok || err != nil {
			t.Errorf("%s: %q, %t, %v", name, at, ok, err)
		}
	}
}
