package remote

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ajlo/job/table"
)

// What does not answer as a Hive Metastore is told so, by its address, and within the limit.
func TestMetastoresThatDoNotAnswer(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	at := func(handle func(net.Conn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() {
			defer close(served)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				handle(conn)
			}
		}()
		t.Cleanup(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			<-served
		})
		return l.Addr().String()
	}
	silent := make(chan net.Conn, 10) // whoever connects is left to wait till the test ends
	defer func() {
		for range len(silent) {
			if err := (<-silent).Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	for _, tt := range []struct{ name, address, want string }{
		{"a web server, which waits for more", web.Listener.Addr().String(), "no answer within 200ms: see whether a Hive Metastore listens"},
		{"one that hangs up", at(func(c net.Conn) { c.Close() }), "see whether it is one"},
		{"one that promises a gigabyte", at(func(c net.Conn) {
			_, _ = c.Write([]byte("\x80\x01\x00\x02\x7f\xff\xff\xff"))
			silent <- c
		}), "see whether it is one"},
		{"one that says nothing", at(func(c net.Conn) { silent <- c }), "no answer within 200ms"},
		{"nobody", "127.0.0.1:1", "connection refused"},
		{"no such machine", "nowhere.invalid:9083", "nowhere.invalid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &Hive{URI: "thrift://" + tt.address, Limit: 200 * time.Millisecond}
			if tt.name == "no such machine" {
				h.Limit = 10 * time.Second
			}
			at, ok, err := h.Locate(t.Context(), "sales.orders")
			if ok || at != "" || err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), h.URI) {
				t.Errorf("%q, %t, %v; want %q", at, ok, err, tt.want)
			}
			if err := h.Connect(t.Context()); err == nil {
				t.Error("it connects")
			}
		})
	}
}

// Names that are none of the metastore's are not asked for: nothing listens where it would be.
func TestNamesOfOthers(t *testing.T) {
	for catalog, name := range map[string]string{"": "lake.sales.orders", "lake": "sales.orders", "hive": "lake.sales.orders", "other": "other.a.b.c"} {
		h := &Hive{Catalog: catalog, URI: "thrift://127.0.0.1:1", Limit: time.Second}
		if _, ok, err := h.Locate(t.Context(), "/a/place"); ok || err != nil {
			t.Errorf("a place: %t, %v", ok, err)
		}
		if _, ok, err := h.Locate(t.Context(), table.Name(name)); ok || err != nil {
			t.Errorf("%s of %q: %t, %v", name, catalog, ok, err)
		}
	}
}
