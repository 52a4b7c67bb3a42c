//go:build s3

package embedded_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ajlo/job/bucket/buckettest"
	"ajlo/job/object"
)

func TestManyWritersOnS3(t *testing.T) {
	url, store := madeByDeltaRS(t, buckettest.Start(t).Bucket+"/items")
	manyWriters(t, url, store)
}

func TestManyWritersOnDisk(t *testing.T) {
	url, store := madeByDeltaRS(t, filepath.Join(t.TempDir(), "items"))
	manyWriters(t, url, store)
}

// manyWriters has two processes of ajlo put the table in order again and again while delta-rs
// appends to it and merges into it, each a process of its own, too: every row of every append
// is there once, every merge counted once, and no version is missing.
func manyWriters(t *testing.T, url string, store object.Store) {
	seconds := fmt.Sprint(writing(8 * time.Second).Seconds())
	var appends, merges int
	reordered := whileTwoReorder(t, url, 2*time.Second, func() {
		var both sync.WaitGroup
		both.Go(func() { appends = count(t, deltaRS(t, "append", url, seconds)) })
		both.Go(func() { merges = count(t, deltaRS(t, "merge", url, seconds)) })
		both.Wait()
	})
	checkRows(t, url, numbered(0, 200+20*appends), merges)
	checkVersions(t, store, map[string]int{rewrites: reordered, "WRITE": 1 + appends, "MERGE": merges})
}

// count is the number that a writer ends with; what it said otherwise failed the test before.
func count(t *testing.T, out []byte) (n int) {
	if err := json.Unmarshal(out, &n); err != nil {
		t.Errorf("commits of delta-rs: %v", err)
	}
	return n
}
