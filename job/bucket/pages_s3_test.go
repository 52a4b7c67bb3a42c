//go:build s3

package bucket_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gocloud.dev/blob"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
)

// A listing of Azure's goes on where its page before ended.
func TestAzurePages(t *testing.T) {
	buckettest.StartAzure(t)
	b, err := bucket.DialAzure("lake")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for i := range 7 {
		want = append(want, fmt.Sprintf("t/%d", i))
		if err := b.WriteAll(t.Context(), want[i], nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	found, pages := []string{}, 0
	for token := blob.FirstPageToken; len(token) > 0; pages++ {
		page, next, err := b.ListPage(t.Context(), token, 3, &blob.ListOptions{Prefix: "t/"})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page {
			found = append(found, o.Key)
		}
		token = next
	}
	if diff := cmp.Diff(want, found); diff != "" || pages != 3 {
		t.Errorf("%d pages of %s: %s", pages, strings.Join(found, " "), diff)
	}
}
