package remote

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ajlo/job/table"
)

// server answers as the protocol has it: one table, lake.db.orders of three parts, for those who
// bring the token.
func server(t *testing.T, token string) (url string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		answer := func(code int, value any) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			if err := json.NewEncoder(w).Encode(value); err != nil {
				t.Error(err)
			}
		}
		fault := func(code int, kind string) {
			answer(code, map[string]any{"error": map[string]any{"message": "no: " + r.Header.Get("Authorization"), "type": kind, "code": code}})
		}
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			fault(http.StatusUnauthorized, "NotAuthorizedException")
		case strings.HasSuffix(r.URL.Path, "/v1/config"):
			answer(http.StatusOK, map[string]any{"defaults": map[string]any{}, "overrides": map[string]any{}})
		case strings.HasSuffix(r.URL.Path, "/namespaces/db/tables/half"):
			answer(http.StatusOK, map[string]any{"metadata-location": "file:/lake/50%20off/metadata/1.metadata.json", "metadata": emptyTable("file:/lake/50%20off")})
		case strings.HasSuffix(r.URL.Path, "/namespaces/db/tables/orders"):
			answer(http.StatusOK, map[string]any{"metadata-location": "s3://lake/db/orders/metadata/1.metadata.json", "metadata": emptyTable("s3a://lake/db/orders")})
		default:
			fault(http.StatusNotFound, "NoSuchTableException")
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func emptyTable(location string) map[string]any {
	return map[string]any{
		"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": location, "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 1,
		"current-schema-id": 0, "schemas": []any{map[string]any{"type": "struct", "schema-id": 0, "fields": []any{map[string]any{"id": 1, "name": "a", "required": false, "type": "long"}}}},
		"default-spec-id": 0, "partition-specs": []any{map[string]any{"spec-id": 0, "fields": []any{}}}, "last-partition-id": 999,
		"default-sort-order-id": 0, "sort-orders": []any{map[string]any{"order-id": 0, "fields": []any{}}}, "properties": map[string]any{},
	}
}

func TestLocate(t *testing.T) {
	for _, tt := range []struct {
		text, catalog string
		name          table.Name
		at            table.Location
		asks          bool
	}{
		{"its table", "lake", "lake.db.orders", "s3a://lake/db/orders", true},
		{"a folder of this machine, with a percent sign", "lake", "lake.db.half", "/lake/50%20off", true},
		{"a table it does not have", "lake", "lake.db.part", "", true},
		{"another catalog's", "lake", "other.db.orders", "", false},
		{"too few parts", "lake", "lake.orders", "", false},
		{"two parts of a catalog without a name", "", "db.orders", "s3a://lake/db/orders", true},
		{"three parts of a catalog without a name", "", "lake.db.orders", "", false},
		{"a name that would be another path", "lake", "lake.db/tables/x.orders", "", false},
		{"a name with nothing in it", "lake", "lake..orders", "", false},
		{"a place", "", "/lake/db/orders", "", false},
	} {
		t.Run(tt.text, func(t *testing.T) {
			url, asked := server(t, "hush")
			r := &REST{Catalog: tt.catalog, URI: url, Token: "hush", Limit: 10 * time.Second}
			at, ok, err := r.Locate(t.Context(), tt.name)
			if err != nil || at != tt.at || ok != (tt.at != "") {
				t.Errorf("%q, %t, %v; want %q", at, ok, err, tt.at)
			}
			if (len(*asked) > 0) != tt.asks {
				t.Errorf("asked %v", *asked)
			}
		})
	}
}

// What goes wrong is told with the catalog, and without the token that it was asked with.
func TestCatalogsThatDoNotAnswer(t *testing.T) {
	url, _ := server(t, "another")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	over := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer hanging.Close()
	defer close(over)
	for text, at := range map[string]string{"refuses": url, "gone": gone.URL, "hangs": hanging.URL} {
		t.Run(text, func(t *testing.T) {
			r := &REST{Catalog: "lake", URI: at, Token: "hush", Limit: 200 * time.Millisecond}
			for range 2 {
				_, ok, err := r.Locate(t.Context(), "lake.db.orders")
				if ok || err == nil || !strings.Contains(err.Error(), at) || strings.Contains(err.Error(), "hush") {
					t.Errorf("%t, %v", ok, err)
				}
			}
		})
	}
}
