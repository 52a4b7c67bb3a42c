package rewrite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/rewrite"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// made writes one file with parquet-go and gives the task of rewriting it by the column id.
func made[T any](t *testing.T, schema delta.Schema, rows []T, options ...parquet.WriterOption) (rewrite.Task, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "in.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[T](f, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rewrite.Task{
		Table: table.Name("made"), Store: store, Metadata: delta.Metadata{Schema: schema}, TargetFile: unit.GB,
		Files:  []rewrite.File{{Path: "in.parquet", Bytes: unit.Bytes(info.Size()), Rows: -1}},
		Layout: layout.ClusteredBy(layout.Sort, "id"),
	}, dir
}

func field(name string, kind delta.Kind) delta.Field {
	return delta.Field{Name: name, Type: delta.Type{Kind: kind, Text: string(kind)}, Nullable: true}
}

func TestTimestampsSumAlikeHoweverStored(t *testing.T) {
	type int96 struct {
		ID int64            `parquet:"id"`
		At deprecated.Int96 `parquet:"at"`
	}
	type micros struct {
		ID int64 `parquet:"id"`
		At int64 `parquet:"at,timestamp(microsecond)"`
	}
	type millis struct {
		ID int64 `parquet:"id"`
		At int64 `parquet:"at,timestamp(millisecond)"`
	}
	var a []int96
	var b []micros
	var c []millis
	for i := range int64(500) {
		ms := (i - 250) * 123_456_789_012 // some four thousand years to either side of 1970
		day, rest := floorDiv(ms, 86_400_000)
		nanos := uint64(rest) * 1_000_000
		a = append(a, int96{i, deprecated.Int96{uint32(nanos), uint32(nanos >> 32), uint32(day + 2_440_588)}})
		b = append(b, micros{i, ms * 1000})
		c = append(c, millis{i, ms})
	}
	schema := delta.Schema{field("id", delta.Long), field("at", delta.Timestamp)}
	sum := func(task rewrite.Task, _ string) rewrite.RowSum {
		var intended []string
		out, err := rewrite.Rewrite(t.Context(), task, options(&intended))
		if err != nil {
			t.Fatal(err)
		}
		return out.Added
	}
	want := sum(made(t, schema, b))
	if got := sum(made(t, schema, a)); got != want {
		t.Errorf("INT96 sums to %v, microseconds to %v", got, want)
	}
	if got := sum(made(t, schema, c)); got != want {
		t.Errorf("milliseconds sum to %v, microseconds to %v", got, want)
	}
	b[499].At++
	if got := sum(made(t, schema, b)); got == want || got.Rows != want.Rows {
		t.Errorf("a microsecond more sums to %v, as before", got)
	}
}

func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

type pair struct {
	ID   int64  `parquet:"id"`
	Text string `parquet:"text"`
}

func pairs(n, width int) []pair {
	rows := make([]pair, n)
	for i := range rows {
		rows[i] = pair{int64(n - i), fmt.Sprintf("%0*d", width, i)}
	}
	return rows
}

func pairSchema() delta.Schema {
	return delta.Schema{field("id", delta.Long), field("text", delta.String)}
}

func TestCodecIsKept(t *testing.T) {
	tests := []struct {
		name      string
		codec     parquet.WriterOption
		want      format.CompressionCodec
		extension string
	}{
		{"snappy", parquet.Compression(&parquet.Snappy), format.Snappy, "-c000.snappy.parquet"},
		{"zstd", parquet.Compression(&parquet.Zstd), format.Zstd, "-c000.zstd.parquet"},
		{"gzip", parquet.Compression(&parquet.Gzip), format.Gzip, "-c000.gz.parquet"},
		{"none", parquet.Compression(&parquet.Uncompressed), format.Uncompressed, "-c000.parquet"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			task, dir := made(t, pairSchema(), pairs(1000, 10), tt.codec)
			var intended []string
			out, err := rewrite.Rewrite(t.Context(), task, options(&intended))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(out.Files[0].Path, tt.extension) {
				t.Errorf("named %s, want …%s", out.Files[0].Path, tt.extension)
			}
			for _, g := range opened(t, filepath.Join(dir, out.Files[0].Path)).Metadata().RowGroups {
				for _, c := range g.Columns {
					if c.MetaData.Codec != tt.want {
						t.Errorf("column %v has codec %v, want %v", c.MetaData.PathInSchema, c.MetaData.Codec, tt.want)
					}
				}
			}
		})
	}
}

func opened(t *testing.T, path string) *parquet.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCalendarOfSpark2(t *testing.T) {
	type row struct {
		ID  int64 `parquet:"id"`
		Day int32 `parquet:"day,date"`
	}
	mark := func(key, value string) parquet.WriterOption { return parquet.KeyValueMetadata(key, value) }
	const version, legacy = "org.apache.spark.version", "org.apache.spark.legacyDateTime"
	dated := delta.Schema{field("id", delta.Long), field("day", delta.Date)}
	tests := []struct {
		name    string
		marks   []parquet.WriterOption
		schema  delta.Schema
		refused bool
		kept    string // Spark version that the new file names
	}{
		{"Spark 2.4", []parquet.WriterOption{mark(version, "2.4.8")}, dated, true, ""},
		{"Spark 3 told to write like Spark 2", []parquet.WriterOption{mark(version, "3.5.1"), mark(legacy, "")}, dated, true, ""},
		{"Spark 2.4 without dates", []parquet.WriterOption{mark(version, "2.4.8")}, dated[:1], false, "2.4.8"},
		{"Spark 4", []parquet.WriterOption{mark(version, "4.0.2")}, dated, false, "4.0.2"},
		{"another writer", nil, dated, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			task, dir := made(t, tt.schema, []row{{1, -719_162}, {2, 0}}, tt.marks...)
			var intended []string
			out, err := rewrite.Rewrite(t.Context(), task, options(&intended))
			if refusal := (*rewrite.Refusal)(nil); errors.As(err, &refusal) != tt.refused || err != nil && !strings.Contains(err.Error(), "calendar") {
				t.Fatalf("got %v, want a refusal: %v", err, tt.refused)
			}
			if tt.refused {
				return
			}
			kept, _ := opened(t, filepath.Join(dir, out.Files[0].Path)).Lookup(version)
			if kept != tt.kept {
				t.Errorf("the new file names Spark %q, want %q", kept, tt.kept)
			}
		})
	}
}

// TestSpilledRowsMakeTheSameFiles holds that rows that do not fit in memory go by way of the
// disk and end up where they would have otherwise.
func TestSpilledRowsMakeTheSameFiles(t *testing.T) {
	rows := append(pairs(10_000, 1), pairs(300, 20_000)...)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, l := range []layout.Layout{layout.ClusteredBy(layout.Sort, "id"), layout.ClusteredBy(layout.Hilbert, "text", "id")} {
		t.Run(l.String(), func(t *testing.T) {
			spilled := filesOf(t, rows, l, 12*unit.MB, t.TempDir())
			if diff := cmp.Diff(filesOf(t, rows, l, unit.GB, nowhere), spilled); diff != "" {
				t.Errorf("the files differ: %s", diff)
			}
			task, _ := made(t, pairSchema(), rows)
			o := options(new([]string))
			o.Memory, o.Spill = 12*unit.MB, nowhere
			if _, err := rewrite.Rewrite(t.Context(), task, o); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want that nothing can be spilled: the table has become too small for this test", err)
			}
		})
	}
}

// filesOf are the rows of the new files, in order.
func filesOf(t *testing.T, rows []pair, l layout.Layout, memory unit.Bytes, spill string) (files [][]string) {
	t.Helper()
	task, dir := made(t, pairSchema(), rows)
	task.Layout, task.TargetFile = l, 200*unit.KB
	o := options(new([]string))
	o.Memory, o.Spill = memory, spill
	out, err := rewrite.Rewrite(t.Context(), task, o)
	if err != nil {
		t.Fatal(err)
	}
	text := rowtest.Type{Name: "string"}
	for _, f := range out.Files {
		ordered, err := rowtest.FileRows(filepath.Join(dir, f.Path), []rowtest.Field{{Name: "id", Type: rowtest.Type{Name: "long"}}, {Name: "text", Type: text}})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, ordered)
	}
	return files
}

// flipping is a store that changes one bit of each new file.
type flipping struct {
	object.Store
	at int
}

func (f flipping) Create(ctx context.Context, key string) (object.Writer, error) {
	w, err := f.Store.Create(ctx, key)
	return &flippingWriter{w, f.at}, err
}

type flippingWriter struct {
	object.Writer
	left int // bytes before the one that is changed
}

func (w *flippingWriter) Write(p []byte) (int, error) {
	if w.left >= 0 && w.left < len(p) {
		p = append([]byte(nil), p...)
		p[w.left] ^= 4
	}
	w.left -= len(p)
	return w.Writer.Write(p)
}

// TestRule1OneBit holds that a single bit that storage changes in a value, in a file that
// can be read without any fault, is found out.
func TestRule1OneBit(t *testing.T) {
	found := 0
	for at := 100; at < 2000; at += 97 {
		task, dir := made(t, pairSchema(), pairs(1000, 10), parquet.Compression(&parquet.Uncompressed))
		task.Store = flipping{task.Store, at}
		var intended []string
		_, err := rewrite.Rewrite(t.Context(), task, options(&intended))
		if err == nil {
			t.Fatalf("a bit of byte %d was changed and not found", at)
		}
		if strings.Contains(err.Error(), "rule 1") {
			found++
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v: new files were left", entries, err)
		}
	}
	if found == 0 {
		t.Error("no change was found by comparing rows: the test has lost its aim")
	}
}

// TestPageIndexEnclosesItsPages holds what engines skip pages by.
func TestPageIndexEnclosesItsPages(t *testing.T) {
	dir := copied(t, tpch+"orders")
	var intended []string
	out, err := rewrite.Rewrite(t.Context(), taskFor(t, dir, layout.ClusteredBy(layout.Hilbert, "o_orderkey", "o_orderdate"), unit.GB), options(&intended))
	if err != nil {
		t.Fatal(err)
	}
	file := opened(t, filepath.Join(dir, out.Files[0].Path))
	pages := 0
	for _, g := range file.RowGroups() {
		for _, c := range g.ColumnChunks() {
			pages += enclosed(t, c)
		}
	}
	if pages < 12 {
		t.Errorf("%d pages: the file is too small for this test", pages)
	}
}

func enclosed(t *testing.T, c parquet.ColumnChunk) (n int) {
	t.Helper()
	index, err := c.ColumnIndex()
	if err != nil {
		t.Fatal(err)
	}
	pages := c.Pages()
	defer func() {
		if err := pages.Close(); err != nil {
			t.Error(err)
		}
	}()
	for ; ; n++ {
		page, err := pages.ReadPage()
		if err == io.EOF {
			if n != index.NumPages() {
				t.Errorf("%d pages, the index has %d", n, index.NumPages())
			}
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]parquet.Value, page.NumValues())
		if _, err := page.Values().ReadValues(values); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		for _, v := range values {
			if !v.IsNull() && (c.Type().Compare(v, index.MinValue(n)) < 0 || c.Type().Compare(v, index.MaxValue(n)) > 0) {
				t.Fatalf("page %d holds %v, its index says %v to %v", n, v, index.MinValue(n), index.MaxValue(n))
			}
		}
	}
}

func TestLargeValuesHaveNoWrongIndex(t *testing.T) {
	rows := pairs(3000, 5000) // longer than the statistics that are kept
	task, dir := made(t, pairSchema(), rows)
	var intended []string
	out, err := rewrite.Rewrite(t.Context(), task, options(&intended))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range opened(t, filepath.Join(dir, out.Files[0].Path)).RowGroups() {
		for _, c := range g.ColumnChunks() {
			if index, err := c.ColumnIndex(); err != nil || index == nil || index.NumPages() == 0 {
				continue // no index: nothing is skipped
			}
			enclosed(t, c)
		}
	}
}

// TestNoBoundsBesideNaN holds that readers that skip by bounds cannot skip a NaN, which is
// above every number.
func TestNoBoundsBesideNaN(t *testing.T) {
	type row struct {
		ID    int64     `parquet:"id"`
		Clean float64   `parquet:"clean"`
		NaN   float64   `parquet:"nan"`
		List  []float64 `parquet:"list,list"`
	}
	var rows []row
	for i := range 100 {
		rows = append(rows, row{int64(i), float64(i), float64(i), []float64{float64(i)}})
	}
	rows[50].NaN, rows[60].List[0] = math.NaN(), math.NaN()
	double := delta.Type{Kind: delta.Double, Text: "double"}
	task, dir := made(t, delta.Schema{
		field("id", delta.Long), field("clean", delta.Double), field("nan", delta.Double),
		{Name: "list", Type: delta.Type{Kind: delta.Array, Text: "array", Element: &double}},
	}, rows)
	var intended []string
	out, err := rewrite.Rewrite(t.Context(), task, options(&intended))
	if err != nil {
		t.Fatal(err)
	}
	bounded := map[string]bool{}
	for _, c := range opened(t, filepath.Join(dir, out.Files[0].Path)).Metadata().RowGroups[0].Columns {
		m := c.MetaData
		bounded[m.PathInSchema[0]] = m.Statistics.MinValue != nil || m.Statistics.Min != nil || c.ColumnIndexOffset != 0
	}
	want := map[string]bool{"id": true, "clean": true, "nan": false, "list": false}
	if diff := cmp.Diff(want, bounded); diff != "" {
		t.Errorf("columns with bounds: %s", diff)
	}
}

// Engines differ in what they read of a struct of whose fields a file has none, so that no
// rewrite of it keeps what all of them read.
func TestStructWithoutItsFieldsIsRefused(t *testing.T) {
	type inner struct {
		Old int64 `parquet:"old,optional"`
	}
	type row struct {
		ID    int64  `parquet:"id,optional"`
		Group *inner `parquet:"group,optional"`
	}
	group := delta.Field{Name: "group", Nullable: true, Type: delta.Type{Kind: delta.Struct, Text: "struct<new:bigint>", Fields: delta.Schema{field("new", delta.Long)}}}
	task, dir := made(t, delta.Schema{field("id", delta.Long), group}, []row{{1, &inner{2}}, {2, nil}})
	before, err := rowtest.DataFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = rewrite.Rewrite(t.Context(), task, options(new([]string)))
	if _, ok := err.(*rewrite.Refusal); !ok || !strings.Contains(err.Error(), `column "group": the file has none of its fields`) {
		t.Errorf("got %v", err)
	}
	after, err := rowtest.DataFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}
