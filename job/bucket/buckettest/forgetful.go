//go:build s3

package buckettest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"ajlo/job/bucket"
	"ajlo/job/object"
)

// Forgetful stands before a server and has every object that is put find its place free, as on a
// server that passes over If-None-Match. Clients of this process go by it till the test ends. It gives
// the paths of what was put on condition.
func Forgetful(t *testing.T, server Server) *[]string {
	t.Helper()
	direct, err := bucket.Open(server.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	put := new([]string)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // which the signature holds
		if r.In.Method != http.MethodPut || r.In.Header.Get("If-None-Match") == "" {
			return
		}
		*put = append(*put, r.In.URL.Path)
		if err := direct.Delete(r.In.Context(), strings.TrimPrefix(r.In.URL.Path, "/lake/")); err != nil && !errors.Is(err, object.ErrNotFound) {
			t.Error(err)
		}
	}})
	t.Cleanup(proxy.Close)
	t.Setenv("AWS_ENDPOINT_URL", proxy.URL)
	return put
}
