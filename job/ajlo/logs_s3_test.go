//go:build s3

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job"
	"ajlo/job/bucket/buckettest"
)

const fixture = "../../testdata/spark40-delta"

// logsInBucket puts the fixture's log into a bucket, written an hour before the window's end,
// and beside it many that were written long before.
func logsInBucket(t *testing.T, s buckettest.Server) {
	t.Helper()
	logs := filepath.Join(s.Folder, "logs")
	if err := os.CopyFS(logs, os.DirFS(fixture+"/eventlogs")); err != nil {
		t.Fatal(err)
	}
	lately := time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(logs, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(name, lately, lately))
	})
	for i := range 1500 {
		name := filepath.Join(logs, fmt.Sprintf("local-%013d", 1700000000000+i))
		long := lately.AddDate(0, -6, 0)
		err = errors.Join(err, os.WriteFile(name, []byte("{}\n"), 0o644), os.Chtimes(name, long, long))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLogsOnS3(t *testing.T) {
	server := buckettest.Start(t)
	logsInBucket(t, server)
	at := server.Bucket + "/logs"
	want := ask("facts", "--logs", fixture+"/eventlogs", "--now", "2026-11-30", "--json")
	got := ask("facts", "--logs", at, "--now", "2026-11-30", "--json")
	if diff := cmp.Diff(want.out, got.out); diff != "" || got.code != job.ExitDone || len(got.out) < 10_000 {
		t.Errorf("exit code %d, %s\n%s", got.code, got.errs, diff)
	}
	if all := ask("facts", "--logs", "s3a://lake/logs/", "--since", "all", "--now", "2026-11-30", "--json"); all.out != want.out {
		t.Errorf("all of it: exit code %d, %s", all.code, all.errs)
	}
	later := ask("facts", "--logs", at, "--now", "2027-01-30", "--json")
	if later.out != "" || later.code != job.ExitDone || !strings.Contains(later.errs, "no query of a user starts in the window") {
		t.Errorf("two months later: %+v", later)
	}
	explained := ask("facts", "--logs", at, "--explain", "local-1795979361104/1")
	if local := ask("facts", "--logs", fixture+"/eventlogs", "--explain", "local-1795979361104/1"); explained != local {
		t.Errorf("explained: %s", cmp.Diff(local, explained, cmp.AllowUnexported(answer{})))
	}
	shardsOnS3(t, at, server.Bucket+"/facts", want.out)
	keptOfS3(t, at, want.out)
}

// shardsOnS3 holds that shards meet in a bucket, and that one that is missing is noticed.
func shardsOnS3(t *testing.T, logs, facts, want string) {
	t.Helper()
	lake := must(filepath.Abs(fixture + "/warehouse"))(t)
	config := filepath.Join(t.TempDir(), "ajlo.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "sources: [{logs: %q, longest: 2d, path_map: {/lake/warehouse: %q}}]\nbudget: {rewrite: 50MB}\n", logs, lake), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, code := range []job.ExitCode{job.ExitRefused, job.ExitDone, job.ExitDone} {
		shard := fmt.Sprintf("%d/2", min(i+1, 2)) // the second is run again
		if got := ask("facts", "--config", config, "--now", "2026-11-30", "--shard", shard, "--parquet", facts); got.code != job.ExitDone || got.out != "" {
			t.Fatalf("shard %s: %+v", shard, got)
		}
		if got := ask("facts", "--facts", facts+"/", "--now", "2026-11-30", "--json"); got.code != code || code == job.ExitDone && got.out != want {
			t.Errorf("after shard %s: exit code %d, %s", shard, got.code, got.errs)
		}
		if got := ask("plan", "--config", config, "--facts", facts, "--now", "2026-11-30"); got.code != code {
			t.Errorf("a plan after shard %s: exit code %d, want %d: %s", shard, got.code, code, got.errs)
		}
	}
}

// keptOfS3 holds that a config names a bucket as well, and that a log of it is read only once.
func keptOfS3(t *testing.T, at, want string) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "ajlo.yaml")
	text := fmt.Sprintf("sources: [{logs: %q, longest: 2d}]\nbudget: {rewrite: 50MB}\n", at)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := ask("facts", "--config", config, "--now", "2026-11-30", "--json"); got.out != want || got.code != job.ExitDone {
			t.Errorf("exit code %d, %s\n%s", got.code, got.errs, cmp.Diff(want, got.out))
		}
		if kept := must(filepath.Glob(filepath.Join(filepath.Dir(config), "facts-cache", "*.parquet")))(t); len(kept) != 1 {
			t.Errorf("%d applications are kept, want 1", len(kept))
		}
	}
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	if got := ask("facts", "--config", config, "--now", "2026-11-30"); got.code != job.ExitUsage || !strings.Contains(got.errs, at) {
		t.Errorf("a storage that does not answer: %+v", got)
	}
}

func TestLogsOnS3ThatCannotBeRead(t *testing.T) {
	server := buckettest.Start(t)
	for _, tt := range []struct {
		name, logs, secret, want string
	}{
		{"no such folder", server.Bucket + "/nothing", "", "there is no folder s3://lake/nothing"},
		{"no such bucket", "s3://no-such-bucket/logs", "", "there is no folder"},
		{"a wrong key", server.Bucket + "/logs", "wrong", "SignatureDoesNotMatch"},
		{"another storage", "ftp://name/logs", "", `storage "ftp" is not supported`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.secret != "" {
				t.Setenv("AWS_SECRET_ACCESS_KEY", tt.secret)
			}
			got := ask("facts", "--logs", tt.logs, "--json")
			if got.code != job.ExitUsage || !strings.Contains(got.errs, tt.want) || !strings.Contains(got.errs, tt.logs) {
				t.Errorf("exit code %d, want 2 and %q, said %s", got.code, tt.want, got.errs)
			}
		})
	}
}
