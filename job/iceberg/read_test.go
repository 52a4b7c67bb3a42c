package iceberg_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/predicate"
)

// The tables under testdata were written by Spark 4.0.2 with Iceberg 1.10.1 into the folder
// /lake/icetest/db; only their metadata is kept. What is wanted is what Spark's own
// metadata tables said of them.

func read(t *testing.T, folder string) (iceberg.Snapshot, error) {
	t.Helper()
	store, err := object.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return iceberg.Read(context.Background(), store)
}

func mustRead(t *testing.T, name string) iceberg.Snapshot {
	t.Helper()
	s, err := read(t, filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bounds gives, for each column of one file, "min..max/nulls".
func bounds(s iceberg.Snapshot, f iceberg.File) map[string]string {
	found := map[string]string{}
	for _, field := range s.Fields {
		if b, ok := f.Bounds[field.ID]; ok {
			found[field.Name] = b.Min.Text() + ".." + b.Max.Text() + "/" + predicate.IntValue(b.Nulls).Text()
		}
	}
	return found
}

func TestBoundsOfEveryType(t *testing.T) {
	s := mustRead(t, "kinds")
	if len(s.Files) != 3 {
		t.Fatalf("files: %d, want 3", len(s.Files))
	}
	want := []map[string]string{
		{ // written after i became a bigint and "later" was added
			"i": "10000000006..10000000490/0", "l": "6000000042..490000003430/0", "f": "2..163.3333282470703/0",
			"d": "0.857143..70/0", "dec": "1.50..122.50/0", "wide": "9.0000..735.0000/0", "s": "customer-number-..customer-number./1",
			"dt": "1969-12-31..1971-04-29/0", "ts": "1970-01-01T05:00:00Z..1970-01-21T09:00:00Z/0",
			"ntz": "2020-01-01T00:00:00..2020-01-01T00:00:00/0", "b": "false..true/0", "bin": "null..null/0", "later": "7..7/0",
		},
		{ // written before: i in four bytes, "later" unknown
			"i": "1..999/0", "l": "1000000007..999000006993/0", "f": "0.3333333432674408..333/0",
			"d": "0.142857..142.714286/0", "dec": "0.25..249.75/0", "wide": "1.5000..1498.5000/0", "s": "customer-number-..customer-number./7",
			"dt": "1969-12-26..1972-09-19/0", "ts": "1970-01-01T00:00:00Z..1970-02-11T14:00:00Z/0",
			"ntz": "2020-01-01T00:00:00..2020-01-01T00:00:00/0", "b": "false..true/0", "bin": "null..null/0",
		},
	}
	got := []map[string]string{bounds(s, s.Files[0]), bounds(s, s.Files[1])}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bounds (-want +got):\n%s", diff)
	}
	var types []string
	for _, f := range s.Fields {
		types = append(types, f.Name+" "+f.Type)
	}
	wantTypes := "i long;l long;f float;d double;dec decimal(12,2);wide decimal(30,4);s string;dt date;ts timestamp;ntz timestamp_ntz;b boolean;bin binary;st struct;arr array;later integer"
	if diff := cmp.Diff(strings.Split(wantTypes, ";"), types); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestPartitionsAndOrders(t *testing.T) {
	calls := mustRead(t, "calls")
	wantPartition := []iceberg.Part{{Field: "started", Transform: "day"}, {Field: "kind", Transform: "identity"}}
	if diff := cmp.Diff(wantPartition, calls.Partition); diff != "" {
		t.Errorf("partition of calls (-want +got):\n%s", diff)
	}
	if len(calls.Files) != 6 || calls.Files[0].Rows != 500 {
		t.Errorf("calls: %d files, the first of %d rows; want 6 of 500", len(calls.Files), calls.Files[0].Rows)
	}
	ordered := mustRead(t, "ordered")
	wantOrder := []iceberg.Key{{Field: "a", Transform: "identity", Descending: true}, {Field: "b", Transform: "identity"}}
	if diff := cmp.Diff(wantOrder, ordered.Order); diff != "" {
		t.Errorf("order of the table (-want +got):\n%s", diff)
	}
	// Spark's INSERT sorts by the table's order and does not say so in the manifest.
	if got := ordered.Files[0].Order; got != nil {
		t.Errorf("order of the file: %v, want none", got)
	}
	if diff := cmp.Diff(map[string]string{"a": "0..999/0"}, bounds(ordered, ordered.Files[0])); diff != "" {
		t.Errorf("bounds where metrics of b are off (-want +got):\n%s", diff)
	}
}

func TestDeletesHideRows(t *testing.T) {
	for _, name := range []string{"mor", "dv3"} {
		s := mustRead(t, name)
		var rows []int64
		for _, f := range s.Files {
			rows = append(rows, f.Rows)
		}
		if diff := cmp.Diff([]int64{48, 50}, rows); diff != "" || s.Deletes != 1 {
			t.Errorf("%s: %d delete files, want 1; rows (-want +got):\n%s", name, s.Deletes, diff)
		}
	}
}

func TestTablesWithoutSnapshotAndPackedMetadata(t *testing.T) {
	empty := mustRead(t, "empty")
	if empty.ID != 0 || len(empty.Files) != 0 || len(empty.Fields) != 1 {
		t.Errorf("a table never written: snapshot %d, %d files, %d columns; want 0, 0, 1", empty.ID, len(empty.Files), len(empty.Fields))
	}
	if gz := mustRead(t, "gz"); len(gz.Files) != 1 {
		t.Errorf("gzipped metadata: %d files, want 1", len(gz.Files))
	}
}

func TestRefusals(t *testing.T) {
	folder := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	kinds, err := os.ReadFile("testdata/kinds/metadata/v5.metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no metadata", map[string]string{"metadata/notes.txt": ""}, "no Iceberg metadata file"},
		{"two newest", map[string]string{"metadata/00002-a.metadata.json": "{}", "metadata/00002-b.metadata.json": "{}"}, "same number"},
		{"no JSON", map[string]string{"metadata/v1.metadata.json": "{"}, "v1.metadata.json"},
		{"a later format", map[string]string{"metadata/v1.metadata.json": `{"format-version":9}`}, "v1.metadata.json"},
		{"manifest list gone", map[string]string{"metadata/v5.metadata.json": string(kinds)}, "read manifest list"},
		{"manifest list elsewhere", map[string]string{"metadata/v5.metadata.json": strings.ReplaceAll(string(kinds), "icetest/db/kinds/metadata", "other")}, "outside the table's location"},
		{"climbing path", map[string]string{"metadata/v5.metadata.json": strings.ReplaceAll(string(kinds), "kinds/metadata", "kinds/../x")}, "outside the table's location"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(t, folder(c.files))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
			if c.name == "no metadata" && !errors.Is(err, iceberg.ErrNoTable) {
				t.Errorf("error %v does not wrap ErrNoTable", err)
			}
		})
	}
}

// A folder table that was registered with a catalog has metadata of both kinds, whose numbers say nothing
// of each other: neither is taken for the newest.
func TestRegisteredFoldersAreNotGuessed(t *testing.T) {
	store := copiedTable(t, "kinds")
	text, err := store.ReadAll(t.Context(), readStore(t, store).Metadata)
	if err == nil {
		err = store.PutIfAbsent(t.Context(), "metadata/00000-9c12d441-03fe-4693-9a96-a0705ddf69c1.metadata.json", text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s, err := iceberg.Read(t.Context(), store); err == nil || !strings.Contains(err.Error(), "only that knows which counts") {
		t.Errorf("%s, %v", s.Metadata, err)
	}
}
