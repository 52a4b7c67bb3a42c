//go:build s3

package bucket_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

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

// onEach runs a test on a folder of a bucket of each kind of storage.
func onEach(t *testing.T, test func(t *testing.T, s object.Store)) {
	t.Helper()
	buckettest.Each(t, func(t *testing.T, server buckettest.Server) {
		s, err := bucket.Open(server.Bucket + "/a folder/t")
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
}

func TestBucketPutHasOneWinner(t *testing.T) { onEach(t, testPutHasOneWinner) }

func testPutHasOneWinner(t *testing.T, s object.Store) {
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

func TestBucketFiles(t *testing.T) { onEach(t, testFiles) }

func testFiles(t *testing.T, s object.Store) {
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
	if diff := cmp.Diff([]string{"p=a%20b/part 1.parquet"}, keys(t, s, "p=a%20", "")); diff != "" {
		t.Error(diff)
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

func TestBucketAbortLeavesNothing(t *testing.T) { onEach(t, testAbortLeavesNothing) }

func testAbortLeavesNothing(t *testing.T, s object.Store) {
	for _, size := range []int{0, 1 << 20, 20 << 20} { // nothing sent, one part, parts of which some are sent
		w, err := s.Create(t.Context(), "x.parquet")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := w.Abort(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{}, keys(t, s, "", "")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestBucketListsAfter lists more than one page of S3.
func TestBucketListsAfter(t *testing.T) {
	onEach(t, func(t *testing.T, s object.Store) { testListsAfter(t, s, 1_200) })
}

func testListsAfter(t *testing.T, s object.Store, versions int) {
	const writers = 8
	want := make([]string, versions)
	var group errgroup.Group
	group.SetLimit(writers)
	for v := range want {
		want[v] = fmt.Sprintf("_delta_log/%020d.json", v)
		group.Go(func() error { return s.PutIfAbsent(t.Context(), want[v], []byte{'{'}) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, keys(t, s, "_delta_log/", "")); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	last := versions * 11 / 12
	if diff := cmp.Diff(want[last+1:], keys(t, s, "_delta_log/", want[last])); diff != "" {
		t.Errorf("after %s (-want +got):\n%s", want[last], diff)
	}
	if found := keys(t, s, "_delta_lag/", ""); len(found) > 0 {
		t.Errorf("of another prefix: %v", found)
	}
}

// What many requests make is whole: files of more than one part, read by ranges.
func TestBucketFilesOfManyParts(t *testing.T) { onEach(t, testFilesOfManyParts) }

func testFilesOfManyParts(t *testing.T, s object.Store) {
	data := make([]byte, 21<<20+13)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data) // it takes everything
	w, err := s.Create(t.Context(), "big")
	if err == nil {
		_, err = io.Copy(w, bytes.NewReader(data))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), "big")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, 1, 8<<20 - 1, 16 << 20, len(data) - 100} {
		part := make([]byte, 100)
		if _, err := r.ReadAt(part, int64(at)); err != nil || !bytes.Equal(part, data[at:at+100]) {
			t.Errorf("100 bytes at %d: %v", at, err)
		}
	}
	if whole, err := s.ReadAll(t.Context(), "big"); err != nil || !bytes.Equal(whole, data) || r.Size() != int64(len(data)) {
		t.Errorf("%d bytes of %d, %v", len(whole), r.Size(), err)
	}
	if err := s.PutIfAbsent(t.Context(), "empty", nil); err != nil {
		t.Fatal(err)
	}
	if whole, err := s.ReadAll(t.Context(), "empty"); err != nil || len(whole) > 0 {
		t.Errorf("an empty file: %q, %v", whole, err)
	}
}

func TestBucketRefusals(t *testing.T) {
	buckettest.Each(t, func(t *testing.T, server buckettest.Server) {
		at, _, _ := strings.Cut(server.Bucket, "lake")
		gone, err := bucket.Open(at + "no-such-bucket/t")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gone.ReadAll(t.Context(), "x"); !errors.Is(err, object.ErrNotFound) {
			t.Errorf("a bucket that is not there: %v, want ErrNotFound", err)
		}
		if err := gone.PutIfAbsent(t.Context(), "x", nil); err == nil || errors.Is(err, object.ErrExists) || errors.Is(err, object.ErrUncertain) {
			t.Errorf("put there: %v, want a refusal", err)
		}
		if strings.HasPrefix(server.Bucket, "gs:") {
			return // the emulator asks nobody who they are
		}
		t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", strings.Replace(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), "AccountKey=", "AccountKey=AAAA", 1))
		refuses(t, server.Bucket, "x", false)
	})
}

// refuses holds that a put fails for good, and that nobody takes it for a key that is taken.
func refuses(t *testing.T, at, key string, reads bool) {
	t.Helper()
	s, err := bucket.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	err = s.PutIfAbsent(t.Context(), key, []byte("y"))
	if err == nil || errors.Is(err, object.ErrExists) || errors.Is(err, object.ErrUncertain) || !strings.Contains(err.Error(), at+"/"+key) {
		t.Errorf("put: %v, want a refusal", err)
	}
	if _, err := s.ReadAll(t.Context(), key); err == nil || errors.Is(err, object.ErrNotFound) != reads {
		t.Errorf("read: %v, want one that may be made: %v", err, reads)
	}
}

// A put without an answer may still be on its way.
func TestBucketThatDoesNotAnswer(t *testing.T) {
	s, err := bucket.Open(buckettest.Start(t).Bucket)
	if err != nil {
		t.Fatal(err)
	}
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
