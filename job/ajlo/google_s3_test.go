//go:build s3

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/go-cmp/cmp"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/object"
)

// google starts fake-gcs-server, an emulator of Google Cloud Storage that ends with the test, with
// one empty bucket, whose URL it gives.
func google(t *testing.T) string {
	t.Helper()
	program := os.Getenv("AJLO_GCS_SERVER")
	if program == "" {
		t.Fatal("AJLO_GCS_SERVER names no emulator of Google's storage: scripts/test sets it")
	}
	l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(at, ":")
	cmd := exec.Command(program, "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-public-host", at, "-backend", "memory", "-log-level", "error")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps all in memory
		_ = cmd.Wait()
	})
	t.Setenv("STORAGE_EMULATOR_HOST", at)
	_, err := backoff.Retry(t.Context(), func() (struct{}, error) {
		reply, err := http.Post("http://"+at+"/storage/v1/b", "application/json", strings.NewReader(`{"name": "lake"}`))
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, reply.Body.Close()
	}, backoff.WithMaxElapsedTime(30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return "gs://lake"
}

// upload puts the files of a folder.
func upload(t *testing.T, s object.Store, folder string) {
	t.Helper()
	files := os.DirFS(folder)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		return errors.Join(err, s.PutIfAbsent(t.Context(), name, data))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Of several that put one key on condition one wins, and a listing begins where it is asked to.
func TestGooglePutHasOneWinner(t *testing.T) {
	s := must(bucket.Open(google(t) + "/t"))(t)
	want := []string{"_delta_log/00.json", "_delta_log/01.json", "_delta_log/02.json"}
	for _, key := range want {
		var won atomic.Int64
		var group sync.WaitGroup
		for w := range 8 {
			group.Go(func() {
				if err := s.PutIfAbsent(t.Context(), key, fmt.Appendf(nil, "writer %d", w)); err == nil {
					won.Add(1)
				} else if !errors.Is(err, object.ErrExists) {
					t.Error(err)
				}
			})
		}
		if group.Wait(); won.Load() != 1 {
			t.Errorf("%s: %d won", key, won.Load())
		}
	}
	found := []string{}
	for info, err := range s.List(t.Context(), "_delta_log/", want[0]) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, info.Key)
	}
	if diff := cmp.Diff(want[1:], found); diff != "" {
		t.Error(diff)
	}
}

// Nights whose logs and state are in Google's storage.
func TestNightsOnGoogle(t *testing.T) {
	at := google(t)
	upload(t, must(bucket.Open(at+"/logs"))(t), fixture+"/eventlogs")
	lake := filepath.Join(t.TempDir(), "lake")
	if err := os.CopyFS(lake, os.DirFS(fixture+"/warehouse")); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "ajlo.yaml")
	plant(t, config, "sources: [{logs: "+at+"/logs, path_map: {/lake/warehouse: "+lake+"}}]\nwrite: [tpch.orders]\nbudget: {rewrite: 50MB}\n"+
		"engine: {target_file_size: 64KiB}\nstate: "+at+"/ops/ajlo.db\n")
	for _, tt := range []struct{ night, want string }{
		{"2026-11-30", "of night 2026-11-30: applied"}, {"2026-11-30", "night 2026-11-30 is done"}, {"2026-12-01", "of night 2026-12-01: no_drift"},
	} {
		if got := ask("run", "--config", config, "--now", tt.night); got.code != job.ExitDone || !strings.Contains(got.out, tt.want) {
			t.Fatalf("exit code %d, want %q in\n%s%s", got.code, tt.want, got.out, got.errs)
		}
	}
}
