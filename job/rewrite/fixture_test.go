package rewrite

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"ajlo/job/delta"
	"ajlo/job/object"
	"ajlo/job/predicate"
	"ajlo/job/unit"
)

func slice(a arrow.Array, from, to int) arrow.Array { return array.NewSlice(a, int64(from), int64(to)) }

func compareValues(t *testing.T, of delta.Type, a, b arrow.Array, i, j int) int {
	t.Helper()
	x, ok, err := delta.ValueOf(a, i, of)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return a.(*array.Decimal128).Value(i).Cmp(b.(*array.Decimal128).Value(j))
	}
	y, _, err := delta.ValueOf(b, j, of)
	if err != nil {
		t.Fatal(err)
	}
	order, ok := predicate.Compare(x, y)
	if !ok {
		t.Fatalf("%v and %v have no order", x, y)
	}
	return order
}

// readBytes reads all rows of a file with these bytes.
func readBytes(t *testing.T, data []byte, schema delta.Schema) (RowSum, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.parquet"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	task := Task{Store: store, Metadata: delta.Metadata{Schema: schema}}
	return sumFile(t.Context(), task, File{Path: "f.parquet", Bytes: unit.Bytes(len(data)), Rows: -1})
}

// held is a table in memory: chunks[c] is column c in pieces, all columns cut alike.
type held struct {
	chunks [][]arrow.Array
	starts []int // first row of each piece, then the number of rows
}

func hold(t testing.TB, task Task) *held {
	t.Helper()
	h := &held{chunks: make([][]arrow.Array, len(task.Metadata.Schema)), starts: []int{0}}
	for _, f := range task.Files {
		open, err := openListed(t.Context(), task, f)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range open.Batches(t.Context(), 0, open.Groups()) {
			if err != nil {
				t.Fatal(err)
			}
			for c := range h.chunks {
				h.chunks[c] = append(h.chunks[c], b.columns[c])
			}
			h.starts = append(h.starts, h.rows()+b.rows)
		}
		if err := open.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *held) rows() int { return h.starts[len(h.starts)-1] }

// places turns rows of the table into places among its pieces.
func (h *held) places(rows []int) []place {
	at := make([]place, len(rows))
	for i, row := range rows {
		chunk, found := slices.BinarySearch(h.starts, row)
		if !found {
			chunk--
		}
		at[i] = place{uint32(chunk), uint32(row - h.starts[chunk])}
	}
	return at
}

// column is column c in one piece.
func (h *held) column(t testing.TB, c int) arrow.Array {
	t.Helper()
	all := make([]int, h.rows())
	for i := range all {
		all[i] = i
	}
	one, err := gather(h.chunks[c][0].DataType(), h.chunks[c], h.places(all))
	if err != nil {
		t.Fatal(err)
	}
	return one
}
