package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job"
)

// While a catalog is silent its tables are not found: of whatever kind it is, nothing is planned, the
// tables are named, and so is the catalog.
func TestSilentCatalogs(t *testing.T) {
	nobody := freeAddress(t)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIAHUSH", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
		"UNITY_TOKEN": "hush", "REST_CREDENTIAL": "id:hush",
	} {
		t.Setenv(name, value)
	}
	for _, tt := range []struct{ kind, catalog, logs, missing string }{
		{"iceberg_rest", "{kind: iceberg_rest, uri: 'http://" + nobody + "', name: lake, credential: env:REST_CREDENTIAL}", "spark40-iceberg", "lake.tpch."},
		{"unity", "{kind: unity, uri: 'http://" + nobody + "', token: env:UNITY_TOKEN}", "spark40-iceberg", "lake.tpch."},
		{"hive", "{kind: hive, uri: 'thrift://" + nobody + "'}", "spark40-delta", "tpch.lineitem"},
		{"glue", "{kind: glue, uri: 'http://" + nobody + "'}", "spark40-delta", "tpch.lineitem"},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			logs, err := filepath.Abs("../../testdata/" + tt.logs + "/eventlogs")
			if err != nil {
				t.Fatal(err)
			}
			config := filepath.Join(t.TempDir(), "ajlo.yaml")
			text := "sources: [{logs: " + logs + "}]\nlake: {catalogs: [" + tt.catalog + "]}\nbudget: {rewrite: 50MB}\n"
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got := ask("run", "--config", config, "--now", "2026-11-30")
			if said := got.out + got.errs; got.code != job.ExitRefused || !strings.Contains(said, "too much was not seen") || !strings.Contains(said, tt.missing) || !strings.Contains(said, nobody) {
				t.Errorf("exit code %d\n%s%s", got.code, got.out, got.errs)
			}
			checked := ask("config", "check", "--config", config)
			if said := checked.out + checked.errs; checked.code == job.ExitDone || !strings.Contains(said, "connection refused") || !strings.Contains(said, nobody) {
				t.Errorf("config check: exit code %d\n%s%s", checked.code, checked.out, checked.errs)
			}
			looked := ask("inspect", strings.TrimSuffix(tt.missing, ".")+".orders", "--config", config)
			if looked.code == job.ExitDone {
				t.Errorf("inspect: %+v", looked)
			}
			for _, a := range []answer{got, checked, looked} {
				if strings.Contains(a.out+a.errs, "hush") || strings.Contains(a.out+a.errs, "AKIA") {
					t.Errorf("a secret is told:\n%s%s", a.out, a.errs)
				}
			}
			holdsNo(t, filepath.Dir(config), "hush")
			if _, secret, ok := strings.Cut(tt.catalog, "env:"); ok {
				secret = strings.TrimSuffix(secret, "}")
				t.Setenv(secret, "")
				if got := ask("run", "--config", config, "--now", "2026-12-01"); got.code != job.ExitUsage || !strings.Contains(got.errs, "has no "+secret) {
					t.Errorf("without its secret: exit code %d\n%s%s", got.code, got.out, got.errs)
				}
			}
		})
	}
}

// holdsNo looks for a secret in all that a run leaves behind.
func holdsNo(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds a secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// freeAddress is one of this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
