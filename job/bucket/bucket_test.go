//go:build s3

package bucket_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/object"
)

func keys(t *testing.T, s object.Store, prefix, after string) []string {
	t.Helper()
	found := []string{}
	for info, err := range s.List(t.Context(), prefix, after) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, info.Key)
	}
	return found
}

func openBucket(t *testing.T) object.Store {
	t.Helper()
	s, err := bucket.Open(buckettest.Start(t).Bucket + "/a folder/t")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBucketPutHasOneWinner(t *testing.T) {
	s := openBucket(t)
	const versions, writers = 20, 8
	var won atomic.Int64
	for v := range versions {
		key := fmt.Sprintf("_delta_log/%020d.json", v)
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				err := s.PutIfAbsent(t.Context(), key, []byte(fmt.Sprintf("writer %d", w)))
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, object.ErrExists):
					t.Errorf("put: %v", err)
				}
			})
		}
		group.Wait()
	}
	if won.Load() != versions {
		t.Errorf("%d puts won, want one for each of %d keys", won.Load(), versions)
	}
	if err := s.PutIfAbsent(t.Context(), "_delta_log/00000000000000000000.json", []byte("another")); !errors.Is(err, object.ErrExists) {
		t.Errorf("put on a taken key: %v, want ErrExists", err)
	}
}

func TestBucketFiles(t *testing.T) {
	s := openBucket(t)
	w, err := s.Create(t.Context(), "p=a%20b/part 1.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), "p=a%20b/part 1.parquet"); !errors.Is(err, object.ErrExists) {
		t.Errorf("create on a taken key: %v, want ErrExists", err)
	}
	r, err := s.Open(t.Context(), "p=a%20b/part 1.parquet")
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 4)
	n, err := r.ReadAt(part, 3)
	if diff := cmp.Diff("3456", string(part[:n])); diff != "" || err != nil || r.Size() != 10 {
		t.Errorf("range of a file of %d bytes: %v %s", r.Size(), err, diff)
	}
	n, err = r.ReadAt(part, 8)
	if diff := cmp.Diff("89", string(part[:n])); diff != "" || !errors.Is(err, io.EOF) {
		t.Errorf("range over the end: %v, want EOF %s", err, diff)
	}
	if err := errors.Join(r.Close(), s.Delete(t.Context(), "p=a%20b/part 1.parquet")); err != nil {
		t.Fatal(err)
	}
	for operation, err := range map[string]error{
		"delete": s.Delete(t.Context(), "p=a%20b/part 1.parquet"),
		"open":   second(s.Open(t.Context(), "p=a%20b/part 1.parquet")),
		"read":   second(s.ReadAll(t.Context(), "p=a%20b/part 1.parquet")),
	} {
		if !errors.Is(err, object.ErrNotFound) {
			t.Errorf("%s of a file that is gone: %v, want ErrNotFound", operation, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestBucketAbortLeavesNothing(t *testing.T) {
	s := openBucket(t)
	w, err := s.Create(t.Context(), "x.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{}, keys(t, s, "", "")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestBucketListsAfter(t *testing.T) {
	server := buckettest.Start(t)
	s, err := bucket.Open("s3a://lake/t/")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for v := range 1_200 { // more than one page
		key := fmt.Sprintf("_delta_log/%020d.json", v)
		at := filepath.Join(server.Folder, "t", key)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		want = append(want, key)
	}
	if diff := cmp.Diff(want, keys(t, s, "_delta_log/", "")); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1_101:], keys(t, s, "_delta_log/", want[1_100])); diff != "" {
		t.Errorf("after the 1100th (-want +got):\n%s", diff)
	}
}

func TestBucketRefusals(t *testing.T) {
	server := buckettest.Start(t)
	gone, err := bucket.Open("s3://no-such-bucket/t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.ReadAll(t.Context(), "x"); err == nil {
		t.Error("a bucket that is not there was read")
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	stranger, err := bucket.Open(server.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.PutIfAbsent(t.Context(), "x", []byte("y")); err == nil || errors.Is(err, object.ErrExists) {
		t.Errorf("put with a wrong key: %v, want a refusal that is not ErrExists", err)
	}
	if _, err := os.Stat(filepath.Join(server.Folder, "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the refused object: %v, want none", err)
	}
}

// A put without an answer may still be on its way.
func TestBucketThatDoesNotAnswer(t *testing.T) {
	s := openBucket(t)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	silent, err := bucket.Open(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := silent.PutIfAbsent(t.Context(), "x", nil); !errors.Is(err, object.ErrUncertain) || errors.Is(err, object.ErrExists) {
		t.Errorf("got %v, want ErrUncertain", err)
	}
}
