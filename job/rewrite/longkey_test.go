package rewrite_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ajlo/job/layout"
	"ajlo/job/rewrite"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/unit"
)

// Keys that begin alike for longer than is sampled still fill all files, and rows are ordered by
// the whole of them inside each.
func TestLongKeysFillAllFiles(t *testing.T) {
	rows := make([]pair, 3000)
	prefix := strings.Repeat("https://example.com/", 60)
	for i := range rows {
		rows[i] = pair{int64(i), fmt.Sprintf("%s%07d", prefix, i*7919%len(rows))}
	}
	task, dir := made(t, pairSchema(), rows)
	task.Layout, task.TargetFile = layout.ClusteredBy(layout.Sort, "text"), unit.Bytes(task.Files[0].Bytes)/6
	var intended []string
	out, err := rewrite.Rewrite(t.Context(), task, options(&intended))
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Files) < 5 {
		t.Fatalf("%d files, want about 6", len(out.Files))
	}
	for _, f := range out.Files {
		if f.Rows < int64(len(rows)/len(out.Files))-1 || f.Rows > int64(len(rows)/len(out.Files))+1 {
			t.Errorf("%s has %d rows", f.Path, f.Rows)
		}
		texts, err := rowtest.FileRows(filepath.Join(dir, f.Path), []rowtest.Field{{Name: "text", Type: rowtest.Type{Name: "string"}}})
		if err != nil || !slices.IsSorted(texts) {
			t.Errorf("%s is not in order, %v", f.Path, err)
		}
	}
}
