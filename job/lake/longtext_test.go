package lake

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ajlo/job/object"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Of long texts the start is sampled, and few rows are decoded at a time.
func TestSampleOfLongTexts(t *testing.T) {
	type row struct {
		Text string `parquet:"text"`
	}
	rows := make([]row, 40)
	for i := range rows {
		rows[i].Text = fmt.Sprintf("%02d", i) + strings.Repeat("x", 1<<18)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "long.parquet")
	if err := parquet.WriteFile(path, rows, parquet.DataPageStatistics(false)); err != nil {
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
	s := Snapshot{Table: "long", Columns: []Column{{Name: "text", Type: "string"}}, Files: []File{{Path: "long.parquet", Bytes: unit.Bytes(info.Size()), Rows: 40}}}
	got := texts(sample(t, store, s, 40, "text"), 0)
	for i, text := range got {
		if want := rows[i].Text[:longestText]; text != want {
			t.Errorf("row %d is a text of %d bytes that begins %.5q", i, len(text), text)
		}
	}
	if len(got) != len(rows) {
		t.Errorf("%d rows, want %d", len(got), len(rows))
	}
}

// Arrow reads headers of pages up to 4 MiB: what hides behind a longer one is told as it is.
func TestSampleBehindALongHeader(t *testing.T) {
	type row struct {
		Text string `parquet:"text"`
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "long.parquet")
	if err := parquet.WriteFile(path, []row{{strings.Repeat("x", 5<<20)}}, parquet.DataPageStatistics(true)); err != nil {
		t.Fatal(err)
	}
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := Snapshot{Table: "long", Version: 7, Columns: []Column{{Name: "text", Type: "string"}}, Files: []File{{Path: "long.parquet", Rows: 1}}}
	_, err = Draw(t.Context(), store, s, []table.Column{"text"}, 1)
	if err == nil || !strings.Contains(err.Error(), "version 7: data file long.parquet: column text: parquet: deserializing page header failed") {
		t.Errorf("got %v", err)
	}
}
