package rewrite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ajlo/job/delta"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// TestWideRowsAreReadFewAtATime holds that rows are decoded some megabytes at a time, however
// wide they are and even where a dictionary holds a wide text once for all of them.
func TestWideRowsAreReadFewAtATime(t *testing.T) {
	type plain struct {
		Text string `parquet:"text,optional"`
	}
	type coded struct {
		Text string `parquet:"text,optional,dict"`
	}
	const memory = 64 * unit.MB
	texts := make([]string, 200)
	for i := range texts {
		texts[i] = strings.Repeat(string(rune('a'+i%3)), 300_000)
	}
	tests := []struct {
		name  string
		write func(path string) error
	}{
		{"plain", func(path string) error {
			rows := make([]plain, len(texts))
			for i, text := range texts {
				rows[i].Text = text
			}
			return parquet.WriteFile(path, rows, parquet.DataPageStatistics(false))
		}},
		{"dictionary", func(path string) error {
			rows := make([]coded, len(texts))
			for i, text := range texts {
				rows[i].Text = text
			}
			return parquet.WriteFile(path, rows, parquet.DataPageStatistics(false))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tt.write(filepath.Join(dir, "f.parquet")); err != nil {
				t.Fatal(err)
			}
			open := openWith(t, dir, memory)
			defer open.Close()
			rows, most := 0, int(Options{Memory: memory}.batch())/300_000
			for b, err := range open.Batches(t.Context(), 0, open.Groups()) {
				if err != nil {
					t.Fatal(err)
				}
				if b.rows > most {
					t.Errorf("%d rows were read at a time, want at most %d", b.rows, most)
				}
				rows += b.rows
			}
			if rows != len(texts) {
				t.Errorf("%d rows, want %d", rows, len(texts))
			}
		})
	}
}

func openWith(t *testing.T, dir string, memory unit.Bytes) *dataFile {
	t.Helper()
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "f.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	task := Task{Store: store, Metadata: delta.Metadata{Schema: textSchema()}, memory: memory}
	open, err := openListed(t.Context(), task, File{Path: "f.parquet", Bytes: unit.Bytes(info.Size()), Rows: -1})
	if err != nil {
		t.Fatal(err)
	}
	return open
}

func textSchema() delta.Schema {
	return delta.Schema{{Name: "text", Type: delta.Type{Kind: delta.String, Text: "string"}, Nullable: true}}
}
