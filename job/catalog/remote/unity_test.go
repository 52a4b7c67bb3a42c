package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ajlo/job/catalog"
	"ajlo/job/table"
)

// described are answers as the interface's description has them, shortened to what is read and what
// must not be: credentials.
var described = map[string]string{
	"main.sales.orders":   `{"name":"orders","table_type":"EXTERNAL","data_source_format":"DELTA","storage_location":"s3://lake/orders","properties":{},"token":"vended","columns":[]}`,
	"main.sales.managed":  `{"table_type":"MANAGED","data_source_format":"DELTA","storage_location":"s3://lake/__unitystorage/t/1","properties":{"delta.feature.catalogOwned-preview":"supported"}}`,
	"main.sales.newer":    `{"table_type":"MANAGED","data_source_format":"DELTA","storage_location":"s3://lake/t/2","properties":{"delta.feature.catalogManaged":"supported"}}`,
	"main.sales.tended":   `{"table_type":"MANAGED","data_source_format":"DELTA","storage_location":"s3://lake/t/3","effective_predictive_optimization_flag":{"value":"ENABLE","inherited_from_type":"CATALOG"}}`,
	"main.sales.left":     `{"table_type":"MANAGED","data_source_format":"DELTA","storage_location":"s3://lake/t/4","effective_predictive_optimization_flag":{"value":"DISABLE"},"properties":null}`,
	"main.sales.iceberg":  `{"table_type":"EXTERNAL","data_source_format":"ICEBERG","storage_location":"file:///lake/50%20off"}`,
	"main.sales.csv":      `{"table_type":"EXTERNAL","data_source_format":"CSV","storage_location":"s3://lake/csv"}`,
	"main.sales.view":     `{"table_type":"VIEW"}`,
	"main.sales.placeful": `{"table_type":"MANAGED","data_source_format":"DELTA"}`,
	"main.sales.été %2F+": `{"table_type":"EXTERNAL","data_source_format":"DELTA","storage_location":"s3://lake/odd"}`,
	"main.sales.strange":  `[]`,
}

// unityServer answers those who bring the token.
func unityServer(t *testing.T, token string) (url string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		name, isTable := strings.CutPrefix(r.URL.Path, "/api/2.1/unity-catalog/tables/")
		switch answer, ok := described[name]; {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error_code":"UNAUTHENTICATED","message":"no: %s"}`, r.Header.Get("Authorization"))
		case isTable && ok:
			fmt.Fprint(w, answer)
		case isTable:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error_code":"TABLE_DOES_NOT_EXIST","message":"Table '`+name+`' does not exist."}`)
		case r.URL.Path == "/api/2.1/unity-catalog/catalogs":
			fmt.Fprint(w, `{"catalogs":[{"name":"main"}],"next_page_token":null}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestUnity(t *testing.T) {
	for _, tt := range []struct {
		text, catalog string
		name          table.Name
		at            table.Location
		unplaced      string // why it has no place
		keeps         string // why it is kept
		asked         int
	}{
		{"an external table", "main", "main.sales.orders", "s3://lake/orders", "", "", 1},
		{"of whichever catalog", "", "main.sales.orders", "s3://lake/orders", "", "", 1},
		{"commits by the catalog, as they were", "main", "main.sales.managed", "s3://lake/__unitystorage/t/1", "", "commits are made by its catalog (delta.feature.catalogOwned-preview)", 1},
		{"commits by the catalog", "main", "main.sales.newer", "s3://lake/t/2", "", "commits are made by its catalog", 1},
		{"predictive optimization", "main", "main.sales.tended", "s3://lake/t/3", "", "predictive optimization", 1},
		{"managed and left alone", "main", "main.sales.left", "s3://lake/t/4", "", "", 1},
		{"Iceberg", "main", "main.sales.iceberg", "/lake/50%20off", "", "", 1},
		{"another format", "main", "main.sales.csv", "", "it is a csv table", "", 1},
		{"a view", "main", "main.sales.view", "", "it is a view", "", 1},
		{"without a place", "main", "main.sales.placeful", "", "no location there", "", 1},
		{"odd characters", "main", "main.sales.été %2F+", "s3://lake/odd", "", "", 1},
		{"a table it does not have", "main", "main.sales.none", "", "", "", 1},
		{"another catalog's", "main", "lake.sales.orders", "", "", "", 0},
		{"two parts", "", "sales.orders", "", "", "", 0},
		{"a name that would be another path", "main", "main.sales./../x", "", "", "", 0},
		{"dots alone", "", "a....", "", "", "", 0},
	} {
		t.Run(tt.text, func(t *testing.T) {
			url, asked := unityServer(t, "hush")
			u := &Unity{Catalog: tt.catalog, URI: url, Token: "hush", Limit: 10 * time.Second}
			at, ok, err := u.Locate(t.Context(), tt.name)
			var unplaced *catalog.Unplaced
			if at != tt.at || ok != (tt.at != "") || (err != nil) != (tt.unplaced != "") {
				t.Errorf("%q, %t, %v; want %q", at, ok, err, tt.at)
			}
			if tt.unplaced != "" && (!errors.As(err, &unplaced) || !strings.Contains(err.Error(), tt.unplaced)) {
				t.Errorf("%v; want %q", err, tt.unplaced)
			}
			why, err := u.Keeps(t.Context(), tt.name)
			if err != nil || (why == "") != (tt.keeps == "") || !strings.Contains(why, tt.keeps) {
				t.Errorf("%q, %v; want %q", why, err, tt.keeps)
			}
			if len(*asked) != tt.asked {
				t.Errorf("asked %v", *asked)
			}
		})
	}
}

// What goes wrong is told with the catalog and the next step, and without the token.
func TestUnityThatDoesNotAnswer(t *testing.T) {
	refusing, _ := unityServer(t, "another")
	working, _ := unityServer(t, "hush")
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	over := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer hanging.Close()
	defer close(over)
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer busy.Close()
	for _, tt := range []struct {
		text, url string
		name      table.Name
		want      string
	}{
		{"refuses", refusing, "main.sales.orders", "UNAUTHENTICATED: no: Bearer …: see whether the token still holds"},
		{"something else", web.URL, "main.sales.orders", "404 Not Found: see whether uri is that of a workspace"},
		{"gone", gone.URL, "main.sales.orders", "connection refused"},
		{"hangs", hanging.URL, "main.sales.orders", "deadline exceeded"},
		{"busy", busy.URL, "main.sales.orders", ""},
		{"strange", working, "main.sales.strange", "none of a Unity Catalog's"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			u := &Unity{URI: tt.url, Token: "hush", Limit: 200 * time.Millisecond}
			_, ok, err := u.Locate(t.Context(), tt.name)
			if ok || err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.url) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%t, %v; want %q", ok, err, tt.want)
			}
			if why, err := u.Keeps(t.Context(), tt.name); err == nil {
				t.Errorf("kept: %q", why)
			}
		})
	}
	if err := (&Unity{URI: working, Token: "hush", Limit: 10 * time.Second}).Connect(t.Context()); err != nil {
		t.Error(err)
	}
	if err := (&Unity{URI: refusing, Token: "hush", Limit: 10 * time.Second}).Connect(t.Context()); err == nil || strings.Contains(err.Error(), "hush") {
		t.Error(err)
	}
}

// A server that is busy for a moment is asked again.
func TestBusyUnity(t *testing.T) {
	tries := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, described["main.sales.orders"])
	}))
	defer s.Close()
	u := &Unity{URI: s.URL, Limit: 30 * time.Second}
	if at, ok, err := u.Locate(t.Context(), "main.sales.orders"); !ok || at != "s3://lake/orders" || err != nil || tries != 2 {
		t.Errorf("%q, %t, %v after %d tries", at, ok, err, tries)
	}
}
