package rewrite_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ajlo/job/object"
	"ajlo/job/rewrite"
)

// opening is a store that counts how often its files are opened.
type opening struct {
	object.Store
	times *atomic.Int64
}

func (o opening) Open(ctx context.Context, key string) (object.Reader, error) {
	o.times.Add(1)
	return o.Store.Open(ctx, key)
}

// TestSmallRowGroupsShareAnOpening holds that a file of very many row groups, whose footer is
// long, is not opened and its footer not read for each of them.
func TestSmallRowGroupsShareAnOpening(t *testing.T) {
	rows := pairs(600, 8)
	task, _ := made(t, pairSchema(), rows, parquet.MaxRowsPerRowGroup(2))
	var times atomic.Int64
	task.Store = opening{task.Store, &times}
	out, err := rewrite.Rewrite(t.Context(), task, options(new([]string)))
	if err != nil {
		t.Fatal(err)
	}
	if out.Added.Rows != int64(len(rows)) {
		t.Errorf("%d rows, want %d", out.Added.Rows, len(rows))
	}
	// footers and the head of the largest file, the sample, the rows, the new file
	if got := times.Load(); got != 5 {
		t.Errorf("files were opened %d times, want 5", got)
	}
}
