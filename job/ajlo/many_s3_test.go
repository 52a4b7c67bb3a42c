//go:build s3

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ajlo/job"
	"ajlo/job/bucket/buckettest"
)

// A bucket of many keys of which a tenth are logs, spread evenly over many days. A tenth of it is
// tried where AJLO_SOAK is not set.
const (
	manyKeys  = 1_000_000
	logsInAll = 10 // keys for each log
	manyDays  = 1000
	aFolder   = 1000 // files of a folder beside the logs
)

// crowd fills a bucket and counts its logs. Keys that are no logs sort before and behind them.
func crowd(t *testing.T, s buckettest.Server, end time.Time) (logs int) {
	t.Helper()
	keys := manyKeys
	if os.Getenv("AJLO_SOAK") == "" {
		keys /= 10
	}
	logs = keys / logsInAll
	if err := os.MkdirAll(filepath.Join(s.Folder, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range logs {
		began := end.AddDate(0, 0, -manyDays).Add(time.Duration(i) * (manyDays * 24 * time.Hour / time.Duration(logs)))
		name := filepath.Join(s.Folder, "logs", fmt.Sprintf("local-%013d", began.UnixMilli()))
		plant(t, name, "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"4.0.2\"}\n")
		if err := os.Chtimes(name, began, began); err != nil {
			t.Fatal(err)
		}
	}
	for i := range keys - logs {
		folder := filepath.Join(s.Folder, []string{"lake", "warehouse"}[i/aFolder%2], fmt.Sprintf("t%05d", i/aFolder))
		if i%aFolder == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		plant(t, filepath.Join(folder, fmt.Sprintf("part-%05d.parquet", i%aFolder)), "")
	}
	return logs
}

func plant(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// asked counts requests that reach a server by way of this process' environment.
type asked struct{ lists, others atomic.Int64 }

func counting(t *testing.T, s buckettest.Server) *asked {
	t.Helper()
	to := must(url.Parse(s.Endpoint))(t)
	var n asked
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // which the signature holds
		if r.In.Method == http.MethodGet && r.In.URL.Query().Has("list-type") {
			n.lists.Add(1)
		} else {
			n.others.Add(1)
		}
	}})
	t.Cleanup(proxy.Close)
	t.Setenv("AWS_ENDPOINT_URL", proxy.URL)
	return &n
}

// Requests go by the window, not by how many keys the bucket or the folder of logs has.
func TestLogsAmongManyKeys(t *testing.T) {
	server := buckettest.Start(t)
	end := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	logs := crowd(t, server, end)
	config := filepath.Join(t.TempDir(), "ajlo.yaml")
	plant(t, config, "sources: [{logs: \"s3://lake/logs\", longest: 2d}]\nbudget: {rewrite: 50MB}\ncache: none\n")
	n := counting(t, server)
	perDay := logs / manyDays
	for _, days := range []int{1, 7, 28} {
		n.lists.Store(0)
		n.others.Store(0)
		got := ask("facts", "--config", config, "--now", "2026-11-30", "--since", fmt.Sprintf("%dd", days), "--json")
		if got.code != job.ExitDone || !strings.Contains(got.errs, "no query of a user starts in the window") {
			t.Fatalf("%d days: exit code %d, %s", days, got.code, got.errs)
		}
		// Names of the window and of three days before it are listed, a thousand a request, after the
		// page from which the listing leaps. Logs of the window and of the day before are asked for twice,
		// to see what they are and to read them, each time for their size and for what they hold.
		lists, others := n.lists.Load(), n.others.Load()
		if most := int64((days+3)*perDay/1000 + 4); lists > most {
			t.Errorf("%d days of %d logs: %d requests for names, want at most %d", days, logs, lists, most)
		}
		if read := int64((days + 1) * perDay); others < read || others > 4*read+4 {
			t.Errorf("%d days of %d logs: %d requests for %d logs", days, logs, others, read)
		}
		t.Logf("%d days: %d requests for names and %d for logs, of %d logs", days, lists, others, logs)
	}
}
