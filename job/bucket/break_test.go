package bucket_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"ajlo/job/bucket"
)

// breaking answers reads of one object as S3 does, and breaks off in the middle of the first
// answers.
func breaking(t *testing.T, body string, breaks int64) (asked *atomic.Int64) {
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			return
		}
		var from, to int
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil {
			t.Errorf("range %q: %v", r.Header.Get("Range"), err)
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(body)))
		w.Header().Set("Content-Length", fmt.Sprint(to+1-from))
		w.WriteHeader(http.StatusPartialContent)
		part := body[from : to+1]
		if asked.Add(1) <= breaks {
			part = part[:len(part)/2] // the server closes the connection: what was declared is not there
		}
		_, _ = w.Write([]byte(part))
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_ENDPOINT_URL": server.URL, "AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	return asked
}

// A range whose bytes broke off is asked for again, and not for ever.
func TestRangeThatBreaksOff(t *testing.T) {
	body := strings.Repeat("0123456789", 1000)
	for _, tt := range []struct {
		name   string
		breaks int64
		asked  int64
		whole  bool
	}{
		{"once", 1, 2, true},
		{"always", 1000, 4, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := breaking(t, body, tt.breaks)
			s, err := bucket.Open("s3://lake/t")
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Open(t.Context(), "log")
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 5000)
			_, err = r.ReadAt(got, 1000)
			if tt.whole != (err == nil) || tt.whole && string(got) != body[1000:6000] {
				t.Errorf("%v, the range is whole: %v", err, string(got) == body[1000:6000])
			}
			if err != nil && !strings.Contains(err.Error(), "s3://lake/t/log") {
				t.Errorf("%v does not name the file", err)
			}
			if asked.Load() != tt.asked {
				t.Errorf("asked %d times, want %d", asked.Load(), tt.asked)
			}
		})
	}
}
