package rewrite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"ajlo/job/object"
)

// Files that are part of no table have the types that Spark would read them as.
func TestStoredColumns(t *testing.T) {
	type inner struct {
		X *int32 `parquet:"x,optional"`
	}
	type row struct {
		Long     int64            `parquet:"long"`
		Integer  int32            `parquet:"integer"`
		Unsigned uint32           `parquet:"unsigned"`
		Text     string           `parquet:"text,dict"`
		Raw      []byte           `parquet:"raw"`
		Amount   int64            `parquet:"amount,decimal(2:12)"`
		Day      int32            `parquet:"day,date"`
		Micros   int64            `parquet:"micros,timestamp(microsecond)"`
		Local    int64            `parquet:"local,timestamp(microsecond:local)"`
		Nanos    int64            `parquet:"nanos,timestamp(nanosecond)"`
		Old      deprecated.Int96 `parquet:"old"`
		Flag     bool             `parquet:"flag"`
		Float    float32          `parquet:"float"`
		Inner    *inner           `parquet:"inner,optional"`
		List     []string         `parquet:"list,list"`
		Map      map[string]int64 `parquet:"map"`
	}
	dir := t.TempDir()
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	if _, err := w.Write([]row{{Text: "a", List: []string{"b"}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f.parquet"), file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := StoredColumns(t.Context(), store, "f.parquet")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range columns {
		got[f.Name] = string(f.Type.Kind) + " " + f.Type.Text
	}
	want := map[string]string{
		"long": "long long", "integer": "integer integer", "unsigned": "other uint32", "text": "string string", "raw": "binary binary",
		"amount": "decimal decimal(12,2)", "day": "date date", "micros": "timestamp timestamp", "local": "timestamp_ntz timestamp_ntz",
		"nanos": "other timestamp[ns, tz=UTC]", "old": "timestamp timestamp", "flag": "boolean boolean", "float": "float float",
		"inner": "struct struct", "list": "array array", "map": "map map",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
