package merge_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/execute/enginetest"
	"ajlo/job/merge"
	"ajlo/job/object"
	"ajlo/job/table"
)

// wider is a row of a source that lacks columns of the table and has others.
type wider struct {
	ID    *int64  `parquet:"id,optional"`
	Code  *string `parquet:"code,optional"`
	Extra *string `parquet:"extra,optional"`
	Deep  *deep   `parquet:"deep,optional"`
}

type deep struct {
	A *int32 `parquet:"a,optional"`
}

// The table gets the source's columns that it lacks, NULL in rows that stay; columns that the source
// lacks stay, and are NULL in new rows.
func TestTheTableGetsColumns(t *testing.T) {
	few := func(set ...table.Column) []merge.Clause { return always(merge.Update, set...) }
	tests := []struct {
		name       string
		matched    []merge.Clause
		notMatched []merge.Clause
		made       made
		added      []table.Column
		want       []string
	}{
		{"all columns", always(merge.Update), always(merge.Insert), made{}, []table.Column{"extra", "deep"}, []string{
			`{id=1;code="new";amount=100e-2;extra="x";deep={a=7;};}`, `{id=2;code="code 2";amount=200e-2;extra=NULL;deep=NULL;}`, `{id=9;code=NULL;amount=NULL;extra="y";deep=NULL;}`}},
		{"columns that are named", few("extra"), nil, made{}, []table.Column{"extra"}, []string{
			`{id=1;code="code 1";amount=100e-2;extra="x";}`, `{id=2;code="code 2";amount=200e-2;extra=NULL;}`}},
		{"none that it lacks", few("code"), nil, made{}, nil, []string{`{id=1;code="new";amount=100e-2;}`, `{id=2;code="code 2";amount=200e-2;}`}},
		{"by name", always(merge.Update), always(merge.Insert), made{schema: mappedSchema, properties: map[string]string{"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "3"}}, []table.Column{"extra", "deep"}, []string{
			`{id=1;code="new";amount=100e-2;extra="x";deep={a=7;};}`, `{id=2;code="code 2";amount=200e-2;extra=NULL;deep=NULL;}`, `{id=9;code=NULL;amount=NULL;extra="y";deep=NULL;}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, source := filepath.Join(t.TempDir(), "t"), filepath.Join(t.TempDir(), "rows.parquet")
			if tt.made.schema == "" {
				tt.made.schema = narrowSchema
			}
			makeTable(t, dir, tt.made, numbered(1, 2))
			writeParquet(t, source, []wider{{p(int64(1)), p("new"), p("x"), &deep{p(int32(7))}}, {p(int64(9)), nil, p("y"), nil}})
			got := apply(t, options(), merge.Request{
				Table: "t", Location: table.Location(dir), Source: source, On: []table.Column{"id"}, Matched: tt.matched, NotMatched: tt.notMatched, Evolve: true,
			})
			if diff := cmp.Diff(tt.added, got.Plan.Added); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.want, rowsOf(t, dir)); diff != "" {
				t.Error(diff)
			}
			noStrays(t, dir)
		})
	}
}

const narrowSchema = `{"type":"struct","fields":[` +
	`{"name":"id","type":"long","nullable":true,"metadata":{}},{"name":"code","type":"string","nullable":true,"metadata":{}},` +
	`{"name":"amount","type":"decimal(12,2)","nullable":true,"metadata":{}}]}`

// mappedSchema finds its columns under the names that files have, which it calls otherwise.
var mappedSchema = strings.NewReplacer(
	`"name":"id","type":"long","nullable":true,"metadata":{}`, `"name":"id","type":"long","nullable":true,"metadata":{"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"id"}`,
	`"name":"code","type":"string","nullable":true,"metadata":{}`, `"name":"code","type":"string","nullable":true,"metadata":{"delta.columnMapping.id":2,"delta.columnMapping.physicalName":"code"}`,
	`"name":"amount","type":"decimal(12,2)","nullable":true,"metadata":{}`, `"name":"amount","type":"decimal(12,2)","nullable":true,"metadata":{"delta.columnMapping.id":3,"delta.columnMapping.physicalName":"amount"}`,
).Replace(narrowSchema)

// Metadata goes into the log with the rows, and anybody else's change of it comes first.
func TestOthersChangeTheSchemaMeanwhile(t *testing.T) {
	dir, source := filepath.Join(t.TempDir(), "t"), filepath.Join(t.TempDir(), "rows.parquet")
	m := made{schema: narrowSchema}
	makeTable(t, dir, m, numbered(1, 2))
	writeParquet(t, source, []wider{{p(int64(1)), p("new"), p("x"), nil}})
	o := options()
	o.Open = onCommits(func(attempt int) error {
		if attempt > 1 {
			return nil
		}
		grown := made{schema: strings.Replace(narrowSchema, `]}`, `,{"name":"EXTRA","type":"string","nullable":true,"metadata":{}}]}`, 1)}
		return enginetest.WriteCommit(dir, 1, grown.metaData())
	})
	got, err := merge.New(o).Apply(t.Context(), merge.Request{
		Table: "t", Location: table.Location(dir), Source: source, On: []table.Column{"id"}, Matched: always(merge.Update), Evolve: true,
	})
	must(t, err)
	if diff := cmp.Diff([]table.Column{"deep"}, got.Plan.Added); diff != "" || got.Version != 2 {
		t.Errorf("version %d: %s", got.Version, diff)
	}
	store, err := object.Open(dir)
	must(t, err)
	d, err := delta.Replay(t.Context(), store)
	must(t, err)
	var names []string
	for _, f := range d.Metadata.Schema {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"id", "code", "amount", "EXTRA", "deep"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestColumnsThatATableCannotGet(t *testing.T) {
	type local struct {
		ID   *int64 `parquet:"id,optional"`
		Time *int64 `parquet:"time,optional,timestamp(microsecond:local)"`
	}
	type spaced struct {
		ID   *int64 `parquet:"id,optional"`
		Name *int64 `parquet:"a b,optional"`
	}
	type typed struct {
		ID   *int64 `parquet:"id,optional"`
		Code *int64 `parquet:"code,optional"`
	}
	tests := []struct {
		name  string
		write func(path string)
		want  string
	}{
		{"times without a zone", func(path string) { writeParquet(t, path, []local{{p(int64(1)), p(int64(1))}}) }, "column time has times without a zone"},
		{"a name", func(path string) { writeParquet(t, path, []spaced{{p(int64(1)), p(int64(1))}}) }, "column a b: its name has characters"},
		{"another type", func(path string) { writeParquet(t, path, []typed{{p(int64(1)), p(int64(1))}}) }, "column code is long in the source and string in the table"},
		{"files that differ", func(path string) {
			writeParquet(t, path, []typed{})
			writeParquet(t, strings.Replace(path, ".parquet", ".2.parquet", 1), []wider{})
		}, "have not the same columns"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, source := filepath.Join(t.TempDir(), "t"), t.TempDir()
			makeTable(t, dir, made{schema: narrowSchema}, numbered(1, 2))
			tt.write(filepath.Join(source, "rows.parquet"))
			_, err := merge.New(options()).Apply(t.Context(), merge.Request{
				Table: "t", Location: table.Location(dir), Source: source, On: []table.Column{"id"}, Matched: always(merge.Update), Evolve: true,
			})
			var refused *execute.Refusal
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
