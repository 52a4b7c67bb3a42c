//go:build s3

package bucket_test

import (
	"errors"
	"testing"
	"time"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/object"
)

// Hadoop's file system keeps the promises of object storage, on a real name node.
func TestHadoop(t *testing.T) {
	at := buckettest.StartHadoop(t).Bucket
	for _, tt := range []struct {
		name string
		test func(*testing.T, object.Store)
	}{
		{"put has one winner", testPutHasOneWinner}, {"files", testFiles}, {"abort leaves nothing", testAbortLeavesNothing},
		{"lists after", func(t *testing.T, s object.Store) { testListsAfter(t, s, 120) }},
		{"files of many parts", testFilesOfManyParts}, {"unfinished", testUnfinished},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := bucket.Open(at + "/a folder/" + tt.name)
			if err != nil {
				t.Fatal(err)
			}
			tt.test(t, s)
		})
	}
	t.Run("without permission", func(t *testing.T) {
		t.Setenv("HADOOP_USER_NAME", "a-stranger")
		refuses(t, at+"/strangers", "new", true)
	})
}

// testUnfinished holds that what a killed writer leaves is no file, and that deleting the file takes it
// away.
func testUnfinished(t *testing.T, s object.Store) {
	for _, key := range []string{"p/" + object.TemporaryPrefix + "part", "p/other"} {
		if err := s.PutIfAbsent(t.Context(), key, []byte("half")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Create(t.Context(), "p/part"); !errors.Is(err, object.ErrExists) {
		t.Errorf("create beside another writer of the file: %v, want ErrExists", err)
	}
	if err := s.Delete(t.Context(), "p/part"); err != nil {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), "p/part"); !errors.Is(err, object.ErrNotFound) {
		t.Errorf("delete of what is gone: %v, want ErrNotFound", err)
	}
	for info, err := range s.List(t.Context(), "", "") {
		if err != nil || info.Key != "p/other" || info.Size != 4 || time.Since(info.Modified).Abs() > time.Hour {
			t.Errorf("%+v, %v", info, err)
		}
	}
}
