package remote

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// amazon sets the environment that AWS's chain goes by, and nothing of this machine's.
func amazon(t *testing.T) {
	t.Helper()
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIAHUSH", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_SESSION_TOKEN": "hush-session", "AWS_REGION": "us-east-1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_ENDPOINT_URL": "", "AWS_PROFILE": "",
	} {
		t.Setenv(name, value)
	}
}

// What goes wrong is told with the catalog, and without what it was asked with.
func TestGlueThatDoesNotAnswer(t *testing.T) {
	amazon(t)
	fault := func(kind string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-amz-json-1.1")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type":%q,"message":"The security token included in the request is expired"}`, kind)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	over := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer hanging.Close()
	defer close(over)
	for _, tt := range []struct{ name, url, want string }{
		{"expired credentials", fault("ExpiredTokenException"), "ExpiredTokenException"},
		{"no leave", fault("AccessDeniedException"), "AccessDeniedException"},
		{"gone", gone.URL, "connection refused"},
		{"hangs", hanging.URL, "deadline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &Glue{Endpoint: tt.url, Limit: 2 * time.Second}
			if tt.name == "hangs" {
				g.Limit = 200 * time.Millisecond
			}
			for _, err := range []error{g.Connect(t.Context()), only(g.Locate(t.Context(), "sales.orders"))} {
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.url) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "AKIA") {
					t.Errorf("%v; want %q", err, tt.want)
				}
			}
		})
	}
	t.Run("no region", func(t *testing.T) {
		t.Setenv("AWS_REGION", "")
		t.Setenv("AWS_DEFAULT_REGION", "")
		if err := (&Glue{Limit: time.Second}).Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "set AWS_REGION") {
			t.Error(err)
		}
	})
}

func only[A, B any](_ A, _ B, err error) error { return err }
