//go:build s3

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ajlo/job"
	"ajlo/job/bucket/buckettest"
)

// TestStateOnS3 runs nights of pods that keep no disk: whatever they know of each other is in
// the bucket.
func TestStateOnS3(t *testing.T) {
	server := buckettest.Start(t)
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	lake := filepath.Join(t.TempDir(), "lake")
	if err := os.CopyFS(lake, os.DirFS(fixture)); err != nil {
		t.Fatal(err)
	}
	at := server.Bucket + "/ops/ajlo.db"
	config := filepath.Join(t.TempDir(), "ajlo.yaml")
	text := "sources: [{logs: " + lake + "/eventlogs, path_map: {/lake/warehouse: " + lake + "/warehouse}}]\n" +
		"write: [tpch.orders, tpch.lineitem]\nbudget: {rewrite: 50MB}\nengine: {target_file_size: 64KiB}\nstate: " + at + "\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	night := func(want string, args ...string) answer {
		t.Helper()
		got := ask(append(args, "--config", config)...)
		if got.code != job.ExitDone || !strings.Contains(got.out, want) {
			t.Fatalf("%v: exit code %d, want %q in\n%s%s", args, got.code, want, got.out, got.errs)
		}
		return got
	}
	if got := ask("audit", "--state", at); got.code != job.ExitUsage || !strings.Contains(got.errs, "no such state") {
		t.Errorf("before the first run: %+v", got)
	}
	advice := night("of night 2026-11-30: dry_run", "run", "--now", "2026-11-30", "--dry-run")
	plan := regexp.MustCompile(`s3://\S+\.json`).FindString(advice.out)
	night("applied", "apply", plan)
	night("is done", "apply", plan)
	night("of night 2026-12-01: no_drift", "run", "--now", "2026-12-01")
	night("night 2026-12-01 is done", "run", "--now", "2026-12-01")
	night("tpch.lineitem", "audit", "--state", at)
	night(`"runs"`, "audit", "--json")
	night("not above 0.1", "plan", "--now", "2026-12-02")
	keepsOnS3(t, server.Bucket, lake, config, night)
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left on the disk: %v, %v", left, err)
	}
}

// keepsOnS3 copies the state within the storage, puts copies back, and writes it anew.
func keepsOnS3(t *testing.T, bucket, lake, config string, good func(want string, args ...string) answer) {
	t.Helper()
	kept := bucket + "/vault/copy.db"
	good("holds", "state", "backup", kept)
	good("what must be true of it is", "state", "check")
	good("what must be true of it is", "state", "check", kept)
	good("as it stood beside the backup", "state", "restore", kept)
	good("of night 2026-12-02: no_drift", "run", "--now", "2026-12-02")
	if got := ask("state", "restore", kept, "--config", config); got.code != job.ExitRefused || !strings.Contains(got.errs, "the state has 1 runs") {
		t.Errorf("a backup over a newer state: %+v", got)
	}
	if got := ask("state", "backup", kept, "--config", config); got.code != job.ExitUsage || !strings.Contains(got.errs, "is ever overwritten") {
		t.Errorf("a backup over another: %+v", got)
	}
	good("ops/ajlo.db.before-restore-", "state", "restore", kept, "--replace")
	good("of night 2026-12-02: no_drift", "run", "--now", "2026-12-02")
	good("0 runs, 0 rows", "state", "prune", "--older-than", "400d") // the nights have fixed dates

	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	anew := filepath.Join(filepath.Dir(config), "anew.yaml")
	lost := strings.Replace(string(text), "/ops/ajlo.db", "/ops/anew.db", 1) + "lake: {roots: [" + lake + "/warehouse]}\n"
	if err := os.WriteFile(anew, []byte(lost), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := ask("state", "rebuild", "--config", anew); got.code != job.ExitDone || !strings.Contains(got.out, "1 runs with 2 steps, 0 of the runs rollbacks, 1 with their plans") {
		t.Errorf("rebuilding: %+v", got)
	}
	if got := ask("audit", "--config", anew); got.code != job.ExitDone || !strings.Contains(got.out, "tpch.lineitem became") {
		t.Errorf("what was rebuilt: %+v", got)
	}
}
