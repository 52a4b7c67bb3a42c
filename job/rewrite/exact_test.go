package rewrite

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// everyType is a table that Spark wrote, in memory: 1000 rows in two files, nested columns
// among them.
func everyType(t testing.TB) (*held, delta.Schema) {
	t.Helper()
	store, err := object.OpenLocal("testdata/spark40/types")
	if err != nil {
		t.Fatal(err)
	}
	s, err := delta.Replay(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	task := Task{Table: "types", Store: store, Metadata: s.Metadata}
	for _, f := range s.Files {
		task.Files = append(task.Files, File{Path: f.Path, Bytes: unit.Bytes(f.Size), Rows: -1})
	}
	return hold(t, task), s.Metadata.Schema
}

// canonical are the canonical forms of all values of one column.
func canonical(t testing.TB, a arrow.Array, of delta.Type) [][]byte {
	t.Helper()
	add, err := appenderOf(a, of)
	if err != nil {
		t.Fatal(err)
	}
	forms := make([][]byte, a.Len())
	for i := range forms {
		forms[i] = add(nil, i)
	}
	return forms
}

func TestGatherCopiesEveryType(t *testing.T) {
	h, schema := everyType(t)
	source := make([][][]byte, len(schema))
	for c, f := range schema {
		for _, chunk := range h.chunks[c] {
			source[c] = append(source[c], canonical(t, chunk, f.Type)...)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.IntRange(0, h.rows()-1), 0, 50).Draw(rt, "rows")
		c := rapid.IntRange(0, len(schema)-1).Draw(rt, "column")
		want, err := arrowType(schema[c].Type)
		if err != nil {
			rt.Fatal(err)
		}
		// Twice, so that what gather made is gathered from, slices of it too.
		once, err := gather(want, h.chunks[c], h.places(rows))
		if err != nil {
			rt.Fatal(err)
		}
		cut := rapid.IntRange(0, len(rows)).Draw(rt, "cut")
		pieces := []arrow.Array{slice(once, 0, cut), slice(once, cut, len(rows))}
		all := &held{starts: []int{0, cut, len(rows)}}
		if cut == 0 || cut == len(rows) {
			pieces, all = []arrow.Array{once}, &held{starts: []int{0, len(rows)}}
		}
		back := make([]int, len(rows))
		for i := range back {
			back[i] = len(rows) - 1 - i
		}
		twice, err := gather(want, pieces, all.places(back))
		if err != nil {
			rt.Fatal(err)
		}
		got := canonical(t, twice, schema[c].Type)
		for i, row := range rows {
			if !bytes.Equal(got[len(rows)-1-i], source[c][row]) {
				rt.Fatalf("column %s, row %d: %x, want %x", schema[c].Name, row, got[len(rows)-1-i], source[c][row])
			}
		}
	})
}

func TestSumDoesNotDependOnOrderOrFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum := rapid.Custom(func(t *rapid.T) RowSum {
			return RowSum{Rows: rapid.Int64Range(0, 1<<40).Draw(t, "rows"), Hi: rapid.Uint64().Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
		})
		a, b, c := sum.Draw(t, "a"), sum.Draw(t, "b"), sum.Draw(t, "c")
		if a.Plus(b) != b.Plus(a) || a.Plus(b).Plus(c) != a.Plus(b.Plus(c)) || a.Plus(RowSum{}) != a {
			t.Fatalf("sums of %v, %v, %v depend on their order", a, b, c)
		}
	})
	if got := (RowSum{Lo: math.MaxUint64}).Plus(RowSum{Lo: 1}); got != (RowSum{Hi: 1}) {
		t.Errorf("the carry is lost: %v", got)
	}
}

func TestCanonicalFormsAreDistinct(t *testing.T) {
	h, schema := everyType(t)
	distinct := 0
	for c, f := range schema {
		seen := map[string]string{}
		for _, chunk := range h.chunks[c] {
			for i, form := range canonical(t, chunk, f.Type) {
				value := chunk.ValueStr(i)
				if chunk.IsNull(i) {
					value = "NULL"
				}
				if f.Name == "a_binary" && chunk.IsValid(i) || f.Type.Kind == delta.Float || f.Type.Kind == delta.Double {
					continue // their texts do not tell all values apart
				}
				if was, ok := seen[string(form)]; ok && was != value {
					t.Fatalf("%s and %s have the same form %x", was, value, form)
				}
				seen[string(form)] = value
			}
		}
		distinct += len(seen)
	}
	if distinct < 5_000 {
		t.Errorf("%d distinct values: the table has become too small for this test", distinct)
	}
}

func TestRanksFollowSpark(t *testing.T) {
	h, schema := everyType(t)
	for c, f := range schema {
		switch f.Type.Kind {
		case delta.Struct, delta.Array, delta.Map, delta.Binary:
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			v, err := viewKey(h.column(t, c))
			if err != nil {
				t.Fatal(err)
			}
			ladder, ranks := newLadder(v), make([]uint32, h.rows())
			for i := range ranks {
				ranks[i] = ladder.rank(v, i)
			}
			order := layout.Ranks(h.rows(), func(i, j int) int { return compareAt(t, h, c, f.Type, i, j) })
			if diff := cmp.Diff(order, ranks); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// compareAt orders two rows by the typed values that bounds are made of, NULL first; long
// decimals have none and are compared as numbers.
func compareAt(t *testing.T, h *held, c int, of delta.Type, i, j int) int {
	at := h.places([]int{i, j})
	a, b := h.chunks[c][at[0].chunk], h.chunks[c][at[1].chunk]
	if a.IsNull(int(at[0].row)) || b.IsNull(int(at[1].row)) {
		return btoi(a.IsValid(int(at[0].row))) - btoi(b.IsValid(int(at[1].row)))
	}
	return compareValues(t, of, a, b, int(at[0].row), int(at[1].row))
}

func TestDamagedFilesAreErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/spark40/ntz/*.parquet")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	schema := delta.Schema{{Name: "id", Type: delta.Type{Kind: delta.Long, Text: "long"}}}
	for cut := range len(whole) {
		if _, err := readBytes(t, whole[:cut], schema); err == nil {
			t.Fatalf("the first %d of %d bytes were read as a file", cut, len(whole))
		}
	}
	if _, err := readBytes(t, whole, schema); err != nil {
		t.Fatal(err)
	}
	encrypted := slices.Concat(whole[:len(whole)-4], []byte(encryptedMagic))
	if _, err := readBytes(t, encrypted, schema); err == nil || !bytes.Contains([]byte(err.Error()), []byte("encrypted")) {
		t.Errorf("got %v, want the file to be called encrypted", err)
	}
}

func FuzzReadFile(f *testing.F) {
	for _, pattern := range []string{"testdata/spark40/ntz/*.parquet", "testdata/spark40/strict/*.parquet"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	schema := delta.Schema{{Name: "id", Type: delta.Type{Kind: delta.Long, Text: "long"}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, firstErr := readBytes(t, data, schema)
		second, err := readBytes(t, data, schema)
		if first != second || (err == nil) != (firstErr == nil) {
			t.Errorf("read as %v, %v and as %v, %v", first, firstErr, second, err)
		}
	})
}

// TestGatherTakesNothingFromNULL holds that a NULL list has no entries in a copy, although
// Arrow lets it span some.
func TestGatherTakesNothingFromNULL(t *testing.T) {
	values := array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, 3,
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes([]int64{7, 8, 9}))}, nil, 0, 0))
	list := arrow.ListOfField(arrow.Field{Name: "element", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	source := array.NewListData(array.NewData(list, 2,
		[]*memory.Buffer{memory.NewBufferBytes([]byte{0b10}), memory.NewBufferBytes(arrow.GetBytes([]int32{0, 2, 3}))},
		[]arrow.ArrayData{values.Data()}, 1, 0))
	got, err := gather(list, []arrow.Array{source}, []place{{0, 1}, {0, 0}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("[[9] (null) [9]]", got.String()); diff != "" {
		t.Error(diff)
	}
	if entries := got.(*array.List).ListValues().Len(); entries != 2 {
		t.Errorf("%d entries were copied, want 2", entries)
	}
}
