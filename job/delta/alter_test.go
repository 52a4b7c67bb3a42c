package delta

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/object"
)

// altering is a change of rows that read a and b, takes out a, and would have read whatever is
// called match.
func altering(read Snapshot, add ...Add) Change {
	c := optimize(read.Files[:1], add...)
	c.Operation = "MERGE"
	c.Alters = &Alteration{Read: read.Files[:2], Sees: func(f Add) bool { return strings.HasPrefix(f.Path, "match") }}
	return c
}

func TestAlterationAfterOthers(t *testing.T) {
	start := aProtocol + aMetadata + anAdd("a") + anAdd("b") + anAdd("c")
	still := func(action string) string {
		return strings.ReplaceAll(action, `"dataChange":true`, `"dataChange":false`)
	}
	tests := []struct {
		name   string
		others []string
		want   *Conflict
	}{
		{"an append that could not match", []string{anAdd("d")}, nil},
		{"an append that could", []string{anAdd("d"), anAdd("match%20e")}, &Conflict{RowsAdded, 2, "match%20e"}},
		{"an append that cannot be placed", []string{anAdd("s3://elsewhere/d")}, &Conflict{RowsAdded, 1, "s3://elsewhere/d"}},
		{"a file that was not read goes", []string{aRemove("c")}, nil},
		{"a file that was read loses rows", []string{aRemove("b") + anAdd("d")}, &Conflict{RowsChanged, 1, "b"}},
		{"our file is put in another order", []string{still(aRemove("a") + anAdd("d"))}, &Conflict{FileRemoved, 1, "a"}},
		{"a file that was read is put in another order", []string{still(aRemove("b") + anAdd("match"))}, nil},
		{"and then loses rows", []string{still(aRemove("b") + anAdd("d")), aRemove("d")}, &Conflict{RowsChanged, 2, "d"}},
		{"a column is added", []string{aMetadata}, &Conflict{MetadataChanged, 1, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, append([]string{start}, tt.others...)...)
			read, err := ReplayAt(t.Context(), store, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Commit(t.Context(), store, read, altering(read, newFile("new", 1)))
			var got *Conflict
			if errors.As(err, &got) != (tt.want != nil) || got != nil && *got != *tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestAlterationIsSpelledAsSparks(t *testing.T) {
	store, _ := tableOf(t, aProtocol+aMetadata+anAdd("a")+anAdd("b"))
	read := replayOf(t, store)
	if _, err := Commit(t.Context(), store, read, altering(read, newFile("new", 1))); err != nil {
		t.Fatal(err)
	}
	text, err := store.ReadAll(t.Context(), commitKey(1))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"commitInfo":{"timestamp":1800000000000,"operation":"MERGE","operationParameters":{},"readVersion":0,"isolationLevel":"Serializable","isBlindAppend":false,"txnId":"txn-1"}}
{"add":{"path":"new","partitionValues":{},"size":100,"modificationTime":7,"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"AJLO_ORDER":"sort"}}}
{"remove":{"path":"a","deletionTimestamp":1800000000000,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{},"size":1}}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func TestAlterationRefuses(t *testing.T) {
	start := aProtocol + aMetadata + strings.Replace(anAdd("a"), `"dataChange"`, `"stats":"{\"numRecords\":5}","dataChange"`, 1) + anAdd("b")
	tests := []struct {
		name   string
		change func(*Snapshot, *Change)
		want   string // empty where it is committed
	}{
		{"as many rows as it says", func(_ *Snapshot, c *Change) { c.Alters.Grows, c.Add = -1, []Add{newFile("new", 4)} }, ""},
		{"a row lost", func(_ *Snapshot, c *Change) { c.Alters.Grows, c.Add = -1, []Add{newFile("new", 3)} }, "3 rows would come in for 5 that go out, the difference should be -1"},
		{"rows that come in only", func(_ *Snapshot, c *Change) { c.Alters.Grows, c.Remove = 1, nil }, ""},
		{"rows that go out only", func(_ *Snapshot, c *Change) { c.Alters.Grows, c.Add = -5, nil }, ""},
		{"nothing", func(_ *Snapshot, c *Change) { c.Remove, c.Add = nil, nil }, "no file comes in"},
		{"a table that only grows", func(s *Snapshot, c *Change) {
			s.Metadata.Configuration = map[string]string{"delta.appendOnly": "true"}
			c.Alters.Grows = -4
		}, "append-only"},
		{"that one grows", func(s *Snapshot, c *Change) {
			s.Metadata.Configuration = map[string]string{"delta.appendOnly": "true"}
			c.Alters.Grows, c.Remove = 1, nil
		}, ""},
		{"a table with a change data feed", func(s *Snapshot, c *Change) {
			s.Metadata.Configuration = map[string]string{"delta.enableChangeDataFeed": "true"}
			c.Alters.Grows = -4
		}, "change data feed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, start)
			read := replayOf(t, store)
			c := altering(read, newFile("new", 1))
			tt.change(&read, &c)
			_, err := Commit(t.Context(), store, read, c)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if _, err := store.ReadAll(t.Context(), commitKey(1)); !errors.Is(err, object.ErrNotFound) {
				t.Errorf("a version was written: %v", err)
			}
		})
	}
}

func TestUnalterable(t *testing.T) {
	column := func(name, kind, settings string) string {
		return `{"name":"` + name + `","type":` + kind + `,"nullable":true,"metadata":{` + settings + `}}`
	}
	tests := []struct {
		name          string
		columns       string
		configuration map[string]string
		want          []string
	}{
		{"a plain table", column("a", `"long"`, `"comment":"delta.identity.start"`), map[string]string{"delta.enableRowTracking": "false", "delta.appendOnly": "true"}, nil},
		{"properties", column("a", `"long"`, ""), map[string]string{"delta.constraints.positive": "a > 0", "delta.enableChangeDataFeed": "TRUE", rowTrackingKey: "true"},
			[]string{"constraint positive", "change data feed (delta.enableChangeDataFeed)", "row tracking (delta.enableRowTracking)"}},
		{"columns", column("a", `"long"`, `"delta.identity.start":1`) + "," + column("b", `"date"`, `"delta.generationExpression":"x"`) + "," +
			column("c", `"string"`, `"__CHAR_VARCHAR_TYPE_STRING":"varchar(3)"`) + "," + column("d", `"long"`, `"delta.invariants":"{}"`), nil,
			[]string{"identity column a", "generated column b", "length of texts in column c", "invariant of column d"}},
		{"inside a struct", column("s", `{"type":"struct","fields":[{"name":"x","type":"long","nullable":false,"metadata":{}}]}`, ""), nil,
			[]string{"NOT NULL of s.x inside a struct"}},
		{"inside an array", column("l", `{"type":"array","elementType":"long","containsNull": false}`, ""), nil,
			[]string{"arrays or maps whose values may not be NULL"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Metadata{SchemaString: `{"type":"struct","fields":[` + tt.columns + `]}`, Configuration: tt.configuration}
			if err := m.complete(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, Unalterable(Snapshot{Metadata: m})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
