package hdfs

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServers(t *testing.T) {
	ha := settings{"dfs.ha.namenodes.lake": "a, b", "dfs.namenode.http-address.lake.a": "one:50070", "dfs.namenode.http-address.lake.b": "two:50070"}
	for _, tt := range []struct {
		name  string
		known settings
		url   string
		want  []string
		err   string
	}{
		{"nothing known", nil, "hdfs://nn:8020/x", []string{"http://nn:9870"}, ""},
		{"the default file system", settings{"fs.defaultFS": "hdfs://nn:8020", "dfs.namenode.http-address": "web:1234"}, "hdfs://nn:8020/x", []string{"http://web:1234"}, ""},
		{"another than the default", settings{"fs.defaultFS": "hdfs://nn:8020", "dfs.namenode.http-address": "web:1234"}, "hdfs://other/x", []string{"http://other:9870"}, ""},
		{"by HTTPS only", settings{"dfs.http.policy": "HTTPS_ONLY"}, "hdfs://nn/x", []string{"https://nn:9871"}, ""},
		{"a name service", ha, "hdfs://lake/x", []string{"http://one:50070", "http://two:50070"}, ""},
		{"a name service without addresses", settings{"dfs.ha.namenodes.lake": "a"}, "hdfs://lake/x", nil, "dfs.namenode.http-address.lake.a"},
		{"Kerberos", settings{"hadoop.security.authentication": "kerberos"}, "hdfs://nn/x", nil, "Kerberos"},
		{"a gateway beside Kerberos", settings{"hadoop.security.authentication": "kerberos"}, "webhdfs://gate:14000/x", []string{"http://gate:14000"}, ""},
		{"a gateway by HTTPS", nil, "swebhdfs://gate/x", []string{"https://gate:9871"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tt.known.servers(u)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HADOOP_CONF_DIR", folder)
	for _, at := range []string{"hdfs:///x", "hdfs://nn/x?y=z", "hdfs://nn/../x", "hdfs://me@nn/x"} {
		if _, err := Open(at); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v, want a refusal that names it", at, err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "core-site.xml"), []byte("<configuration>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("hdfs://nn/x"); err == nil || !strings.Contains(err.Error(), "core-site.xml") {
		t.Errorf("half a configuration: %v", err)
	}
}
