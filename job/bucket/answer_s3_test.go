//go:build s3

package bucket_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/object"
)

// deaf stands before a server and keeps back the answers to the first requests that write.
func deaf(t *testing.T, endpoint string, answers int64) (kept *atomic.Int64) {
	t.Helper()
	kept = new(atomic.Int64)
	to, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // which the signature holds
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPut && r.StatusCode == http.StatusOK && kept.Add(1) <= answers {
				return errors.New("lost")
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				err = connection.Close()
			}
			if err != nil {
				t.Error(err)
			}
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	return kept
}

// A file whose answer was lost is there when the request is sent again: it is this writer's own.
// One that somebody else put meanwhile is not.
func TestFileWhoseAnswerWasLost(t *testing.T) {
	server := buckettest.Start(t)
	kept := deaf(t, server.Endpoint, 1)
	s, err := bucket.Open(server.Bucket + "/t")
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Create(t.Context(), "part")
	if err == nil {
		_, err = w.Write([]byte(strings.Repeat("rows", 1000)))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || kept.Load() == 0 {
		t.Errorf("%v, %d answers were lost", err, kept.Load())
	}
	late, err := s.Create(t.Context(), "other")
	if err == nil {
		_, err = late.Write([]byte("mine"))
	}
	if err == nil {
		err = s.PutIfAbsent(t.Context(), "other", []byte("ours"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := late.Close(); !errors.Is(err, object.ErrExists) {
		t.Errorf("over somebody else's file: %v", err)
	}
}
