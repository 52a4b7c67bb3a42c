package rewrite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"

	"ajlo/job/object"
	"ajlo/job/rewrite"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/unit"
)

// TestPagesTooWideForTheLimitAreRefused holds that the refusal says which column, how wide, in
// which file and what to set, and that what it says to set is enough.
func TestPagesTooWideForTheLimitAreRefused(t *testing.T) {
	task, _ := made(t, pairSchema(), pairs(3, 900_000), parquet.DataPageStatistics(false))
	var intended []string
	o := options(&intended)
	o.Memory = 4 * unit.MB
	_, err := rewrite.Rewrite(t.Context(), task, o)
	var refusal *rewrite.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v, want a refusal", err)
	}
	for _, want := range []string{`"text"`, "in.parquet", "2.70 MB", "set engine.memory to 28 MB or more"} {
		if !strings.Contains(refusal.Reason, want) {
			t.Errorf("%q does not say %s", refusal.Reason, want)
		}
	}
	if len(intended) != 0 {
		t.Errorf("files were intended: %q", intended)
	}
	o.Memory = 28 * unit.MB
	if _, err := rewrite.Rewrite(t.Context(), task, o); err != nil {
		t.Error(err)
	}
}

// TestArrowsOwnTypesAreLeftOut is of files by delta-rs and pyarrow, which keep Arrow's own types beside Parquet's, such as texts
// with offsets of 64 bits; what counts is the Parquet schema.
func TestArrowsOwnTypesAreLeftOut(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.LargeString, Nullable: true},
	}, nil)
	ids, texts := array.NewInt64Builder(memory.DefaultAllocator), array.NewLargeStringBuilder(memory.DefaultAllocator)
	for i := range int64(100) {
		ids.Append(100 - i)
		texts.Append(fmt.Sprint(i))
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "in.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, f, arrowparquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, []arrow.Array{ids.NewArray(), texts.NewArray()}, 100)), w.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "in.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	task, _ := made(t, pairSchema(), pairs(1, 1))
	if task.Store, err = object.OpenLocal(dir); err != nil {
		t.Fatal(err)
	}
	task.Files[0].Bytes, task.Files[0].Rows = unit.Bytes(info.Size()), 100
	out, err := rewrite.Rewrite(t.Context(), task, options(new([]string)))
	if err != nil {
		t.Fatal(err)
	}
	if out.Added.Rows != 100 {
		t.Errorf("%d rows, want 100", out.Added.Rows)
	}
}

// TestLongPageHeaders is of files whose page headers hold whole values, longer than Arrow reads.
func TestLongPageHeaders(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options []parquet.WriterOption
	}{
		{"pages of version 1", []parquet.WriterOption{parquet.DataPageVersion(1)}},
		{"pages of version 2", []parquet.WriterOption{parquet.DataPageVersion(2)}},
		{"compressed, several row groups", []parquet.WriterOption{parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(2)}},
		{"another name", []parquet.WriterOption{parquet.CreatedBy("writer", "1", "x")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := pairs(5, 10)
			for i := range rows {
				rows[i].Text += strings.Repeat("wide", 3<<18)
			}
			task, dir := made(t, pairSchema(), rows, append(tt.options, parquet.DataPageStatistics(true), parquet.PageBufferSize(1<<10))...)
			want, err := rowtest.FileRows(filepath.Join(dir, "in.parquet"), pairFields)
			if err != nil {
				t.Fatal(err)
			}
			o := options(new([]string))
			o.Memory = 200 * unit.MB
			out, err := rewrite.Rewrite(t.Context(), task, o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range out.Files {
				rows, err := rowtest.FileRows(filepath.Join(dir, f.Path), pairFields)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rows...)
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%d rows are others than the %d there were", len(got), len(want))
			}
		})
	}
}

var pairFields = []rowtest.Field{{Name: "id", Type: rowtest.Type{Name: "long"}}, {Name: "text", Type: rowtest.Type{Name: "string"}}}
