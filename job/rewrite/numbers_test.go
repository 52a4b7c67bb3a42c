package rewrite

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"ajlo/job/unit"
)

type codedRow struct {
	Text *string `parquet:"text,optional,dict"`
}

// TestNumbersStandForTheirTexts holds that texts kept as numbers in their dictionary have the
// sum and the copies that the same texts have when they are written out.
func TestNumbersStandForTheirTexts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		path := filepath.Join(t.TempDir(), "f.parquet")
		if err := parquet.WriteFile(path, drawCoded(r), parquet.MaxRowsPerRowGroup(int64(rapid.IntRange(1, 400).Draw(r, "group")))); err != nil {
			r.Fatal(err)
		}
		numbers, texts := batchesOf(t, path, (*dataFile).keepNumbers), batchesOf(t, path, func(*dataFile, []int) {})
		if len(numbers) != len(texts) {
			r.Fatalf("%d batches, %d of texts", len(numbers), len(texts))
		}
		summer := newSummer(textSchema())
		for i := range numbers {
			got, err := summer.sum(numbers[i])
			if err != nil {
				r.Fatal(err)
			}
			want, err := summer.sum(texts[i])
			if err != nil || got != want {
				r.Fatalf("sum %v, of the texts %v, %v", got, want, err)
			}
		}
		sameCopies(r, numbers, texts)
	})
}

// TestTextsAreNumbersWhereTheyRepeat holds which texts are kept as numbers: those of a
// dictionary that is small beside its rows.
func TestTextsAreNumbersWhereTheyRepeat(t *testing.T) {
	for _, tt := range []struct {
		texts int
		kept  bool
	}{{2, true}, {100, true}, {101, false}, {200, false}} {
		rows := make([]codedRow, 200)
		for i := range rows {
			rows[i].Text = new(fmt.Sprint(i % tt.texts))
		}
		path := filepath.Join(t.TempDir(), "f.parquet")
		if err := parquet.WriteFile(path, rows); err != nil {
			t.Fatal(err)
		}
		for _, b := range batchesOf(t, path, (*dataFile).keepNumbers) {
			if _, kept := b.columns[0].(*array.Dictionary); kept != tt.kept {
				t.Errorf("%d texts in %d rows: kept as numbers %v, want %v", tt.texts, b.rows, kept, tt.kept)
			}
		}
	}
}

// drawCoded draws rows of few or many texts, some of them NULL or empty.
func drawCoded(r *rapid.T) []codedRow {
	texts := rapid.SliceOfN(rapid.StringN(0, 20, 40), 1, 60).Draw(r, "texts")
	of := rapid.SliceOfN(rapid.IntRange(-1, len(texts)-1), 1, 600).Draw(r, "rows")
	rows := make([]codedRow, len(of))
	for i, text := range of {
		if text >= 0 {
			rows[i].Text = &texts[text]
		}
	}
	return rows
}

func batchesOf(t *testing.T, path string, prepare func(f *dataFile, but []int)) (all []batch) {
	t.Helper()
	open := openWith(t, filepath.Dir(path), unit.GB)
	defer open.Close()
	prepare(open, nil)
	for b, err := range open.Batches(t.Context(), 0, open.Groups()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// sameCopies holds that rows drawn from all batches are copied alike, however many bytes a copy
// may have.
func sameCopies(r *rapid.T, numbers, texts []batch) {
	var at []place
	for range rapid.IntRange(1, 300).Draw(r, "copied") {
		chunk := rapid.IntRange(0, len(texts)-1).Draw(r, "batch")
		at = append(at, place{uint32(chunk), uint32(rapid.IntRange(0, texts[chunk].rows-1).Draw(r, "row"))})
	}
	bytes := rapid.Int64Range(1, 4000).Draw(r, "bytes")
	pieces := piecesOf(numbers)
	for stride := strideOver(pieces, bytes); len(at) > 0; {
		n := stride.next(at)
		got, err := gather(arrow.BinaryTypes.String, columnOf(numbers), at[:n])
		if err != nil {
			r.Fatal(err)
		}
		want, err := gather(arrow.BinaryTypes.String, columnOf(texts), at[:n])
		if err != nil {
			r.Fatal(err)
		}
		if !array.Equal(got, want) {
			r.Fatalf("copied %v, of the texts %v", got, want)
		}
		at = at[n:]
	}
}

func columnOf(batches []batch) []arrow.Array {
	chunks := make([]arrow.Array, len(batches))
	for i, b := range batches {
		chunks[i] = b.columns[0]
	}
	return chunks
}

func piecesOf(batches []batch) []piece {
	pieces := make([]piece, len(batches))
	for i, b := range batches {
		pieces[i] = piece{columns: b.columns, places: make([]uint64, b.rows), ordinals: make([]uint64, b.rows)}
	}
	return pieces
}

// TestNumbersOutsideTheirDictionary holds that a damaged page is an error, and that what stands
// in the place of a NULL is of no matter.
func TestNumbersOutsideTheirDictionary(t *testing.T) {
	texts := textArray([]string{"a", "b"})
	tests := []struct {
		name    string
		numbers []int32
		valid   []bool
		damaged bool
	}{
		{"all within", []int32{0, 1, 1, 0}, nil, false},
		{"one behind", []int32{0, 1, 2, 0}, nil, true},
		{"one before", []int32{0, -1, 1, 0}, nil, true},
		{"one behind under NULL", []int32{0, 1, 7, 0}, []bool{true, true, false, true}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := array.NewInt32Builder(memory.DefaultAllocator)
			b.AppendValues(tt.numbers, tt.valid)
			coded := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: texts.DataType()}, b.NewArray(), texts)
			if _, err := numbered(asIs)(coded.Data()); (err != nil) != tt.damaged {
				t.Errorf("%v, damaged: %v", err, tt.damaged)
			}
		})
	}
}
