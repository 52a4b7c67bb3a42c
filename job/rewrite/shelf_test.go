package rewrite_test

import (
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"ajlo/job/rewrite"
)

// Columns come back as they were, of whatever type and however often, and nothing is left.
func TestShelf(t *testing.T) {
	texts := []string{
		`[{"n":1,"s":"a","d":"a","l":[{"x":1}],"b":true,"e":null},{"n":null,"s":"","d":"b","l":null,"b":null,"e":null},{"n":3,"s":"` + strings.Repeat("é", 70) + `","d":null,"l":[],"b":false,"e":null}]`,
		`[]`,
		`[{"n":7,"s":null,"d":"b","l":[{"x":null},null],"b":true,"e":null}]`,
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true})), Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}, {Name: "e", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	}, nil)
	folder := t.TempDir()
	shelf, err := rewrite.NewShelf(folder)
	if err != nil {
		t.Fatal(err)
	}
	var was, kept [][]arrow.Array
	for _, text := range texts {
		record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		columns := append(record.Columns(), nil)
		back, err := shelf.Keep(columns)
		if err != nil {
			t.Fatal(err)
		}
		was, kept = append(was, columns), append(kept, back)
	}
	for i := range was {
		for c := range was[i] {
			if was[i][c] == nil {
				if kept[i][c] != nil {
					t.Errorf("rows %d: no column became one", i)
				}
			} else if !array.Equal(was[i][c], kept[i][c]) {
				t.Errorf("rows %d, column %d: %v became %v", i, c, was[i][c], kept[i][c])
			}
		}
	}
	if err := shelf.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}
