package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// least is the shortest file that is accepted.
const least = "sources: [{logs: logs}]\nbudget: {rewrite: 20GB}\n"

func TestParseFillsDefaults(t *testing.T) {
	got, err := Parse([]byte(least), "/etc/ajlo")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Sources:       []Source{{Logs: "/etc/ajlo/logs", PathMap: map[string]string{}, Reader: prune.OSSSpark}},
		Lake:          Lake{Roots: []string{}, Tables: []Table{}, Address: ByName, Catalogs: []Catalog{}},
		Write:         []Pattern{},
		Budget:        Budget{Rewrite: 20 * unit.GB, Storage: 20 * unit.GB},
		Engine:        Engine{Kind: Embedded, Memory: 384 * unit.MB, Spill: "/etc/ajlo", TargetFileSize: 64 * unit.MiB, Command: []string{"spark-sql"}, Conf: map[string]string{}, TimeLimit: 6 * time.Hour, Dialect: SparkDelta},
		State:         "/etc/ajlo/ajlo.db",
		Cache:         "/etc/ajlo/facts-cache",
		Window:        7 * 24 * time.Hour,
		Delta:         0.1,
		Horizon:       8,
		Rate:          0.02,
		StorageWeight: 0.1,
		Margin:        0.1,
		MaxLoss:       0.15,
		FirstSeen:     Trigger, FirstSeenShare: 0.05, LeastSeen: 0.7,
		Prices:    Prices{Currency: "USD"},
		Protect:   []string{},
		Estimator: WhatIf,
		Sample:    SampleRows,
		Choice:    Exact,
		Commit:    NoCommit,
		Approval:  NoApproval,
		Quiet:     []Quiet{},
		Signals:   Signals{Lake: "lake", Limit: 10 * time.Second},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("config (-want +got):\n%s", d)
	}
}

func TestCache(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"beside the state", "state: /var/lib/ajlo.db\n", "/var/lib/facts-cache"},
		{"named", "state: /var/lib/ajlo.db\ncache: x\n", "/etc/ajlo/x"},
		{"none beside a state in storage", "state: s3://bucket/ajlo.db\n", ""},
		{"none", "cache: none\n", ""},
		{"empty", "cache: \"\"\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse([]byte(least+c.text), "/etc/ajlo")
			if err != nil || got.Cache != c.want {
				t.Errorf("%q, %v, want %q", got.Cache, err, c.want)
			}
		})
	}
	if _, err := Parse([]byte(least+"cache: s3://bucket/x\n"), "/"); err == nil {
		t.Error("a URL is taken as the cache")
	}
}

func TestLoadReadsEveryKey(t *testing.T) {
	got, err := Load("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Sources: []Source{
			{Logs: filepath.Join(dir, "logs"), PathMap: map[string]string{
				"/lake/warehouse": filepath.Join(dir, "warehouse"), "dbfs:/mnt/x": "s3://bucket/x"}, Reader: prune.OSSSpark},
			{Logs: "s3://bucket/logs", PathMap: map[string]string{}, Reader: prune.Databricks, Longest: 72 * time.Hour},
		},
		Lake: Lake{
			Roots:   []string{filepath.Join(filepath.Dir(dir), "lake"), "/mnt/lake"},
			Tables:  []Table{{Name: "tpch.orders", Location: "/mnt/orders"}, {Name: "tpch.my table", Location: table.Location(filepath.Join(dir, "my table"))}},
			Address: ByPath,
			Catalogs: []Catalog{
				{Kind: IcebergREST, URI: "https://catalog.example/api", Name: "lake", Warehouse: "main", Token: "env:CATALOG_TOKEN"},
				{Kind: IcebergREST, URI: "http://127.0.0.1:8181", Credential: "env:CATALOG_CREDENTIAL"},
				{Kind: Hive, URI: "thrift://metastore.example:9083"},
				{Kind: Glue, Name: "glue", Warehouse: "123456789012"},
				{Kind: Unity, URI: "https://workspace.example", Token: "env:UNITY_TOKEN"},
			},
		},
		Write:  []Pattern{"tpch.orders", "sales.*", "/mnt/raw/clicks"},
		Budget: Budget{Rewrite: 20 * unit.GB, Upkeep: 2 * unit.GB, Storage: 40 * unit.GB},
		Engine: Engine{
			Kind: SparkSQL, Memory: unit.GiB, Spill: filepath.Join(dir, "state"), TargetFileSize: 64 * unit.KiB,
			Command: []string{"/opt/spark/bin/spark-sql", "--master", "yarn"},
			Conf:    map[string]string{"spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension", "spark.executor.memory": "4g"},
			URL:     "sc://spark.example:15002", Token: "env:SPARK_TOKEN", TimeLimit: 90 * time.Minute, Dialect: Databricks,
		},
		State:         filepath.Join(dir, "state/night.db"),
		Cache:         filepath.Join(dir, "cache"),
		Window:        36 * time.Hour,
		Delta:         0.25,
		Horizon:       4,
		Rate:          0,
		StorageWeight: 1,
		Margin:        0.5,
		MaxLoss:       0.4,
		FirstSeen:     Weigh, FirstSeenShare: 1, LeastSeen: 0.5,
		Prices:    Prices{Currency: "EUR", ScanTB: 5, RewriteTB: 8.5, StorageMonth: 23},
		Protect:   []string{"Q08", "1359c5965dc90355"},
		Estimator: Constant,
		Sample:    SampleBounds,
		Choice:    Greedy,
		Commit:    Conditional,
		Approval:  ApprovalRequired,
		Quiet: []Quiet{
			{Tables: []Pattern{"tpch.orders"}, From: 22*60 + 30, To: 6 * 60, Days: []time.Weekday{time.Monday, time.Friday}, Zone: "Europe/Berlin"},
			{Tables: []Pattern{}, From: 0, To: 24 * 60, Days: []time.Weekday{time.Sunday}, Zone: "UTC"},
		},
		Signals: Signals{
			Lake: "north", Prometheus: "/var/lib/node_exporter/ajlo.prom", OpenLineage: "https://lineage.example/api/v1/lineage",
			Token: "env:LINEAGE_TOKEN", Webhook: "env:CHAT_HOOK", Limit: 3 * time.Second,
		},
		Allow: Allow{ProtocolUpgrade: true, Repartition: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("config (-want +got):\n%s", d)
	}
}

// Every fault is shown where it stands, with a next step.
func TestFaultsAreShownInPlace(t *testing.T) {
	tests := []struct {
		name         string
		text         string
		line, column int
		message      string
		next         string
	}{
		{"empty file", "", 1, 1, "`sources` is missing", "spark.eventLog.dir"},
		{"only a comment", "# nothing yet\n", 1, 1, "`sources` is missing", "add `sources"},
		{"no source in the list", "sources: []\nbudget: {rewrite: 1GB}", 1, 10, "`sources` is missing", "add `sources"},
		{"no budget", "sources: [{logs: x}]\n", 1, 1, "`budget.rewrite` is missing", "budget: {rewrite: 20GB}"},
		{"budget without rewrite", "sources: [{logs: x}]\nbudget:\n  storage: 1GB\n", 3, 3, "`budget.rewrite` is missing", "may rewrite"},
		{"budget without a value", "sources: [{logs: x}]\nbudget:\n", 2, 9, "a key has no value", "leave the line out"},
		{"unknown key", least + "windw: 7d\n", 3, 1, `unknown key "windw"`, "schema/config.json"},
		{"unknown key inside", "sources: [{logs: x}]\nbudget: {rewrite: 1GB, store: 1GB}\n", 2, 24, `unknown key "store"`, "schema/config.json"},
		{"key twice", least + "window: 7d\nwindow: 8d\n", 4, 1, "already defined", "mend the YAML"},
		{"broken YAML", "sources: [{logs: x}\nbudget: {", 2, 1, "',' or ']' must be specified", "mend the YAML"},
		{"a list for a value", least + "window: [7d]\n", 3, 9, "a list stands where a single value is wanted", "schema/config.json"},
		{"a value for a list", least + "write: tpch.orders\n", 3, 8, "a single value stands where a list is wanted", "schema/config.json"},
		{"a value for keys", "sources: [{logs: x}]\nbudget: 20GB\n", 2, 9, "a single value stands where a group of keys is wanted", "schema/config.json"},
		{"a list for keys", least + "engine: [embedded]\n", 3, 9, "a list stands where a group of keys is wanted", "schema/config.json"},
		{"an alias", "sources: [{logs: &x x}]\nbudget: {rewrite: 1GB}\nstate: *x\n", 1, 18, "Anchor is not read", "write the value out"},
		{"two documents", least + "---\n" + least, 3, 1, "second document", "one file"},
		{"size without sense", "sources: [{logs: x}]\nbudget: {rewrite: lots}\n", 2, 19, `size "lots"`, "mend the value"},
		{"negative size", "sources: [{logs: x}]\nbudget: {rewrite: -1GB}\n", 2, 19, `size "-1GB"`, "mend the value"},
		{"span without unit", least + "window: 7\n", 3, 9, `length of time "7"`, "mend the value"},
		{"span of nothing", least + "window: 0d\n", 3, 9, `length of time "0d"`, "mend the value"},
		{"span too long", least + "window: 367d\n", 3, 9, "to 366d", "mend the value"},
		{"drift over one", least + "delta: 1.5\n", 3, 8, `number "1.5": want one from 0 to 1`, "mend the value"},
		{"no number", least + "delta: .nan\n", 3, 8, "Nan is not read", "write the value out"},
		{"horizon with a fraction", least + "horizon: 8.7\n", 3, 10, "want a whole one", "mend the value"},
		{"unknown engine", least + "engine: {kind: flink}\n", 3, 16, `"flink" is not known: want embedded`, "mend the value"},
		{"unknown address", least + "lake: {address: url}\n", 3, 17, "want name or path", "mend the value"},
		{"too little memory", least + "engine: {memory: 1MiB}\n", 3, 18, "want at least 67.1 MB", "mend the value"},
		{"everything under write", least + "write: ['*']\n", 3, 9, `"*": want a table`, "mend the value"},
		{"a star inside a name", least + "write: [tpch.o*]\n", 3, 9, `"tpch.o*": want a table`, "mend the value"},
		{"source without logs", "sources: [{path_map: {a: b}}]\nbudget: {rewrite: 1GB}\n", 1, 12, "a source without `logs`", "name the folder"},
		{"unknown reader", "sources: [{logs: x, reader: presto}]\nbudget: {rewrite: 1GB}\n", 1, 29, `reader "presto": want one of [oss-spark databricks fabric trino]`, "mend the value"},
		{"the same logs twice", "sources: [{logs: x}, {logs: ./x/}]\nbudget: {rewrite: 1GB}\n", 1, 29, "named twice", "keep one"},
		{"a file URL without a path", "sources: [{logs: 'file://x'}]\nbudget: {rewrite: 1GB}\n", 1, 18, "three slashes", "mend the value"},
		{"table without location", least + "lake:\n  tables:\n    - name: a.b\n", 5, 7, "a table without a `location`", "give the folder"},
		{"table placed twice", least + "lake:\n  tables:\n    - {name: a.b, location: x}\n    - {name: a.b, location: y}\n", 6, 14, "a.b is placed twice", "keep one"},
		{"state in a bucket without a name", least + "state: s3://bucket\n", 3, 8, "names no state: write s3://BUCKET/FOLDER/ajlo.db", "mend the value"},
		{"state behind HTTP", least + "state: https://host/ajlo.db\n", 3, 8, "kept on local disk or in s3://, gs://, azblob:// or hdfs://", "mend the value"},
		{"cache in a bucket", least + "cache: s3://bucket/facts\n", 3, 8, "not on local disk", "mend the value"},
		{"quiet hours of no length", least + "quiet: [{from: '06:00', to: '6:00'}]\n", 3, 29, "they are none", "for a whole day"},
		{"quiet hours without an end", least + "quiet: [{from: '06:00'}]\n", 3, 10, "quiet hours without `to`", "give the time"},
		{"no time of day", least + "quiet: [{from: 6pm, to: '7:00'}]\n", 3, 16, `time of day "6pm"`, "mend the value"},
		{"no day", least + "quiet: [{from: '6:00', to: '7:00', days: [fryday]}]\n", 3, 43, `day "fryday"`, "mend the value"},
		{"no zone", least + "quiet: [{from: '6:00', to: '7:00', zone: Local}]\n", 3, 42, `zone "Local"`, "mend the value"},
		{"a token in the config", least + "signals: {openlineage_token: hush}\n", 1, 1, "a token does not stand in a config: write env:NAME", "mend the value"},
		{"a webhook that is no URL", least + "signals: {webhook: 'htps://hush'}\n", 1, 1, "signals.webhook: want a URL", "mend the value"},
		{"a signal that is waited for too long", least + "signals: {time_limit: 2m}\n", 3, 23, "want one from 100ms to 1m0s", "mend the value"},
		{"a catalog of no kind that there is", least + "lake: {catalogs: [{kind: hive_metastore, uri: 'thrift://x:1'}]}\n", 3, 26, "want iceberg_rest or hive or glue or unity", "mend the value"},
		{"a Hive Metastore without an address", least + "lake: {catalogs: [{kind: hive}]}\n", 3, 20, "a catalog without a `uri`", "give the URL"},
		{"a Hive Metastore by HTTP", least + "lake: {catalogs: [{kind: hive, uri: 'http://x:9083'}]}\n", 3, 37, "thrift://metastore.example:9083", "mend the value"},
		{"a Hive Metastore without a port", least + "lake: {catalogs: [{kind: hive, uri: 'thrift://x'}]}\n", 3, 37, "thrift://metastore.example:9083", "mend the value"},
		{"a token for a catalog that takes none", least + "lake: {catalogs: [{kind: hive, uri: 'thrift://x:1', token: env:T}]}\n", 1, 1, "it is for kind iceberg_rest or unity", "mend the value"},
		{"a token itself", least + "lake: {catalogs: [{kind: unity, uri: 'https://x', token: hush}]}\n", 1, 1, "write env:NAME", "mend the value"},
		{"a warehouse of a catalog that has none", least + "lake: {catalogs: [{kind: unity, uri: 'https://x', warehouse: w}]}\n", 3, 62, "it is for kind iceberg_rest or glue", "mend the value"},
		{"a catalog without an address", least + "lake: {catalogs: [{kind: iceberg_rest}]}\n", 3, 20, "a catalog without a `uri`", "give the URL"},
		{"a catalog's password in its address", least + "lake: {catalogs: [{kind: iceberg_rest, uri: 'https://me:hush@x'}]}\n", 3, 45, "holds no user", "mend the value"},
		{"yes for true", least + "allow: {protocol_upgrade: yes}\n", 3, 27, "want true or false", "mend the value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.text), "/etc/ajlo")
			fault, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("error %v is no *Error", err)
			}
			if d := cmp.Diff([2]int{test.line, test.column}, [2]int{fault.Line, fault.Column}); d != "" {
				t.Errorf("place (-want +got):\n%s%v", d, err)
			}
			if !strings.Contains(fault.Message, test.message) {
				t.Errorf("message %q lacks %q", fault.Message, test.message)
			}
			if !strings.Contains(fault.Next, test.next) {
				t.Errorf("next step %q lacks %q", fault.Next, test.next)
			}
		})
	}
}

func TestErrorShowsTheLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ajlo.yaml")
	if err := os.WriteFile(path, []byte(least+"windw: 7d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path)
	if err == nil {
		t.Fatal("an unknown key was accepted")
	}
	want := path + `:3:1: unknown key "windw"
    1 | sources: [{logs: logs}]
    2 | budget: {rewrite: 20GB}
    3 | windw: 7d
      | ^
next: mend its spelling or leave it out: schema/config.json lists the keys`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("error (-want +got):\n%s", d)
	}
}

func TestLoadNamesAMissingFile(t *testing.T) {
	_, err := Load("testdata/none.yaml")
	fault, ok := errors.AsType[*Error](err)
	if !ok || !strings.Contains(err.Error(), "testdata/none.yaml") || !strings.Contains(fault.Next, "--config") {
		t.Errorf("error %v does not name the file and the next step", err)
	}
}

func TestMayWrite(t *testing.T) {
	c := Config{Write: []Pattern{"tpch.orders", "sales.*", "lake.eu.*", "/mnt/raw/clicks", "s3://b/t"}}
	tests := []struct {
		name table.Name
		at   table.Location
		want bool
	}{
		{"tpch.orders", "/w/orders", true},
		{"tpch.orders2", "/w/orders2", false},
		{"tpch.lineitem", "/w/lineitem", false},
		{"sales.day", "/w/day", true},
		{"sales.", "/w/day", false},
		{"sales.eu.day", "/w/day", false},
		{"presales.day", "/w/day", false},
		{"lake.eu.day", "/w/day", true},
		{"/mnt/raw/clicks", "/mnt/raw/clicks", true},
		{"raw.clicks", "/mnt/raw/clicks", true},
		{"/mnt/raw/clicks2", "/mnt/raw/clicks2", false},
		{"s3://b/t", "s3://b/t", true},
	}
	for _, test := range tests {
		if got := c.MayWrite(test.name, test.at); got != test.want {
			t.Errorf("MayWrite(%q, %q) = %v", test.name, test.at, got)
		}
	}
	if (Config{}).MayWrite("tpch.orders", "/w/orders") {
		t.Error("a config without `write:` lets a table be rewritten")
	}
}

func TestHash(t *testing.T) {
	hash := func(text string) string {
		c, err := Parse([]byte(text), "/etc/ajlo")
		if err != nil {
			t.Fatal(err)
		}
		return c.Hash()
	}
	same := hash("# another order, the defaults written out\nwindow: 168h\nbudget: {storage: 20GB, rewrite: 20000MB}\nsources:\n- logs: ./logs/\n")
	if d := cmp.Diff(hash(least), same); d != "" {
		t.Errorf("the same configuration hashes differently:\n%s", d)
	}
	if hash(least) == hash(least+"delta: 0.11\n") {
		t.Error("another threshold left the hash as it was")
	}
}
