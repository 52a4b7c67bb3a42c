package remote

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/beltran/gohive/hive_metastore"

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

// metastore answers by Thrift as a Hive Metastore does, which keeps names in lower case.
type metastore struct {
	hive_metastore.ThriftHiveMetastore
	tables map[string]*hive_metastore.Table
}

func (m *metastore) GetTable(_ context.Context, database, name string) (*hive_metastore.Table, error) {
	switch found, ok := m.tables[strings.ToLower(database+"."+name)]; {
	case ok:
		return found, nil
	case database == "broken":
		return nil, &hive_metastore.MetaException{Message: "its database is down"}
	}
	return nil, &hive_metastore.NoSuchObjectException{Message: database + "." + name + " table not found"}
}

func (m *metastore) GetDatabase(context.Context, string) (*hive_metastore.Database, error) {
	return nil, &hive_metastore.NoSuchObjectException{Message: "default"}
}

// serve starts it, till the test ends.
func (m *metastore) serve(t *testing.T) (uri string) {
	t.Helper()
	socket, err := thrift.NewTServerSocket("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := socket.Listen(); err != nil {
		t.Fatal(err)
	}
	server := thrift.NewTSimpleServer2(hive_metastore.NewThriftHiveMetastoreProcessor(m), socket)
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "thrift://" + socket.Addr().String()
}

// Tables come and go between two questions; what the metastore itself refuses is told in its words.
func TestMetastore(t *testing.T) {
	m := &metastore{tables: map[string]*hive_metastore.Table{
		"sales.orders": {TableType: "MANAGED_TABLE", Parameters: map[string]string{"spark.sql.sources.provider": "delta"}, Sd: &hive_metastore.StorageDescriptor{SerdeInfo: &hive_metastore.SerDeInfo{Parameters: map[string]string{"path": "file:/lake/orders"}}}},
		"sales.bare":   {},
	}}
	h := &Hive{URI: m.serve(t), Limit: 10 * time.Second}
	if err := h.Connect(t.Context()); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		name table.Name
		at   table.Location
		err  string
	}{
		{"sales.orders", "/lake/orders", ""},
		{"Sales.ORDERS", "/lake/orders", ""},
		{"sales.none", "", ""},
		{"sales.bare", "", "a table of no format"},
		{"broken.orders", "", "its database is down"},
	} {
		at, ok, err := h.Locate(t.Context(), tt.name)
		if at != tt.at || ok != (tt.at != "") || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %t, %v; want %q, %q", tt.name, at, ok, err, tt.at, tt.err)
		}
	}
	delete(m.tables, "sales.orders")
	if at, ok, err := h.Locate(t.Context(), "sales.orders"); ok || err != nil {
		t.Errorf("a table that was dropped: %q, %t, %v", at, ok, err)
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
