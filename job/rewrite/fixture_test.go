package rewrite

import (
	"os"
	"path/filepath"
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
	return readFile(t.Context(), task, File{Path: "f.parquet", Bytes: unit.Bytes(len(data)), Rows: -1}, func(batch) error { return nil })
}
