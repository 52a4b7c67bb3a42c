package merge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"ajlo/job/execute"
	"ajlo/job/merge"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

func options() merge.Options {
	return merge.Options{
		TargetFile: 64 * unit.MiB, Version: "test", NewID: uuid.NewString, Now: time.Now, Open: openFolder,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// Every merge gives the rows that comparing every row with every row gives, whatever the table and
// the source are made of.
func TestMergeGivesTheRowsOfTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "ajlo-merge-")
		must(t, err)
		defer func() { must(t, os.RemoveAll(dir)) }()
		c := drawCase(t, dir)
		o := options()
		o.TargetFile = unit.Bytes(rapid.SampledFrom([]int{1 << 10, 64 << 20}).Draw(t, "target file"))
		o.Memory = unit.Bytes(rapid.SampledFrom([]int{0, 400_000}).Draw(t, "memory"))
		c.isAsTheModel(t, o)
	})
}

// isAsTheModel merges, and holds rows and counts against those of the model.
func (c aCase) isAsTheModel(t fataler, o merge.Options) {
	t.Helper()
	want, counts, ambiguous := model(c.request, c.meanings, c.target, c.source)
	got, err := merge.New(o).Apply(context.Background(), c.request)
	if ambiguous != nil {
		if err == nil || !strings.Contains(err.Error(), "match one row of the table") {
			t.Fatal(fmt.Sprintf("got %v, want a refusal of an ambiguous match", err))
		}
		want = c.target
	} else {
		must(t, err)
	}
	if diff := differences(textsOf(t, c.made, want), rowsOf(t, c.dir)); diff != "" {
		t.Fatal(diff)
	}
	if ambiguous == nil {
		counts.Copied, counts.Placed, counts.Joined = got.Plan.Rows.Copied, got.Plan.Rows.Placed, got.Plan.Rows.Joined
		if diff := cmp.Diff(counts, got.Plan.Rows); diff != "" {
			t.Fatal(diff)
		}
	}
	noStrays(t, c.dir)
}

// aCase is a table, a source and what to do with them.
type aCase struct {
	made           made
	dir            string
	target, source []row
	request        merge.Request
	meanings       meanings
}

func drawCase(t *rapid.T, dir string) aCase {
	keys := rapid.IntRange(2, 40).Draw(t, "keys")
	c := aCase{
		made: made{parted: rapid.Bool().Draw(t, "parted"), keys: rapid.SampledFrom([][]string{nil, {"id"}, {"id", "day"}, {"day", "code"}, {"part", "price"}}).Draw(t, "clustering")},
		dir:  filepath.Join(dir, "table"),
	}
	files := rapid.SliceOfN(rapid.SliceOfN(rowGenerator(keys), 0, 12), 0, 4).Draw(t, "files")
	if rapid.Bool().Draw(t, "takes vectors") {
		c.made.properties = map[string]string{"delta.enableDeletionVectors": "true"}
	}
	makeTable(t, c.dir, c.made, files...)
	c.target = slices.Concat(files...)
	if !c.made.parted && len(files) > 0 && len(files[0]) > 1 && rapid.Bool().Draw(t, "deletion vector") {
		gone := rapid.SliceOfNDistinct(rapid.IntRange(0, len(files[0])-1), 1, len(files[0]), rapid.ID).Draw(t, "deleted")
		c.target = nil
		var positions []uint64
		for i, r := range files[0] {
			if slices.Contains(gone, i) {
				positions = append(positions, uint64(i))
			} else {
				c.target = append(c.target, r)
			}
		}
		c.target = append(c.target, slices.Concat(files[1:]...)...)
		add := c.made.addFile(t, c.dir, "file 0.parquet", files[0], nil)
		commit(t, c.dir, 1, deleteRows(t, c.dir, add, positions...)...)
	}
	c.source = rapid.SliceOfN(rowGenerator(keys), 0, 12).Draw(t, "source")
	form := rapid.SampledFrom([]string{asParquet, asFolder, asDelta, asParted, asCSV}).Draw(t, "form")
	c.meanings = meanings{}
	c.request = requestGenerator(c.meanings).Draw(t, "request")
	if c.made.properties != nil {
		c.request.Write = rapid.SampledFrom([]merge.Write{merge.Auto, merge.Copy, merge.Vectors}).Draw(t, "write")
	}
	c.request.Table, c.request.Location = "t", table.Location(c.dir)
	c.request.Source = writeSource(t, dir, form, c.source)
	return c
}

func p[T any](v T) *T { return &v }

// numbered are rows with ids from one on, in files of so many.
func numbered(from, n int) []row {
	rows := make([]row, n)
	for i := range rows {
		id := from + i
		rows[i] = row{body: body{ID: p(int64(id)), Code: p("code " + strconv.Itoa(id)), Amount: p(int64(id * 100)), Day: p(int32(id % 7)), Flag: p(id%2 == 0)}, Part: p("p" + strconv.Itoa(id%3))}
	}
	return rows
}

func apply(t *testing.T, o merge.Options, r merge.Request) merge.Result {
	t.Helper()
	got, err := merge.New(o).Apply(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Rows that stay, and changed rows whose clustering keys stay, keep their order in their file;
// changed rows whose keys do not, and new ones, are elsewhere.
func TestRowsKeepTheirPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	makeTable(t, dir, made{keys: []string{"id", "day"}}, numbered(0, 100), numbered(100, 100), numbered(200, 100))
	source := []row{numbered(110, 1)[0], numbered(150, 1)[0], numbered(400, 1)[0]}
	source[0].Code = p("in its place")
	source[1].Code, source[1].Day = p("elsewhere"), p(int32(40))
	r := merge.Request{
		Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, source), On: []table.Column{"id"},
		Matched: always(merge.Update), NotMatched: always(merge.Insert),
	}
	got := apply(t, options(), r)
	if got.FilesRemoved != 1 || got.FilesAdded != 2 || got.Apart != 2 {
		t.Errorf("%d files became %d, %d rows apart", got.FilesRemoved, got.FilesAdded, got.Apart)
	}
	table, err := rowtest.Open(dir)
	must(t, err)
	added := table.Commits[1].Added
	var orders [][]string
	for _, a := range added {
		rows, err := rowtest.FileRows(filepath.Join(dir, a["path"].(string)), table.Fields)
		must(t, err)
		var ids []string
		for _, text := range rows {
			id, _, _ := strings.Cut(strings.TrimPrefix(text, "{id="), ";")
			ids = append(ids, id)
		}
		orders = append(orders, ids)
		tags := a["tags"].(map[string]any)
		if (tags["AJLO_KEYS"] != nil) != (len(ids) > 2) || (tags["AJLO_APART"] != nil) != (len(ids) == 2) {
			t.Errorf("%s with %d rows has tags: %v", a["path"], len(ids), tags)
		}
	}
	var want []string
	for id := 100; id < 200; id++ {
		if id != 150 {
			want = append(want, strconv.Itoa(id))
		}
	}
	if diff := cmp.Diff([][]string{want, {"150", "400"}}, orders); diff != "" {
		t.Error(diff)
	}
}

func TestMergeHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	makeTable(t, dir, made{}, numbered(0, 50))
	r := merge.Request{
		Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asCSV, numbered(45, 10)), On: []table.Column{"id", "code"},
		Matched: always(merge.Update), NotMatched: always(merge.Insert),
	}
	apply(t, options(), r)
	table, err := rowtest.Open(dir)
	must(t, err)
	info := table.Commits[1].Info
	metrics := info["operationMetrics"].(map[string]any)
	got := map[string]any{"operation": info["operation"], "parameters": info["operationParameters"], "blind": info["isBlindAppend"]}
	for _, name := range []string{"numSourceRows", "numTargetRowsCopied", "numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted", "numOutputRows", "numTargetFilesAdded", "numTargetFilesRemoved"} {
		got[name] = metrics[name]
	}
	want := map[string]any{
		"operation": "MERGE", "blind": false, "numSourceRows": "10", "numTargetRowsCopied": "45", "numTargetRowsInserted": "5",
		"numTargetRowsUpdated": "5", "numTargetRowsDeleted": "0", "numOutputRows": "55", "numTargetFilesAdded": "2", "numTargetFilesRemoved": "1",
		"parameters": map[string]any{
			"predicate": `["((t.id = s.id) AND (t.code = s.code))"]`, "matchedPredicates": `[{"actionType":"update"}]`,
			"notMatchedPredicates": `[{"actionType":"insert"}]`, "notMatchedBySourcePredicates": `[]`,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, a := range slices.Concat(table.Commits[1].Added, table.Commits[1].Removed) {
		if a["dataChange"] != true {
			t.Errorf("%s is not said to change data", a["path"])
		}
	}
}

// Files that no row can be in that the condition, or a clause for rows that match nothing, asks for
// are left unread.
func TestConditionsLeaveFilesUnread(t *testing.T) {
	tests := []struct {
		name, condition string
		bySource        []merge.Clause
		read            int
	}{
		{"no condition", "", nil, 3},
		{"on the table's key", "t.id < 100 AND s.id >= 0", nil, 1},
		{"on a column with other bounds", "NOT (t.id >= 100) OR t.id BETWEEN 250 AND 260", nil, 2},
		{"on both rows", "t.amount < s.amount", nil, 3},
		{"none", "t.id IS NULL", nil, 0},
		{"rows that match nothing", "t.id < 100", []merge.Clause{{Action: merge.Delete, Condition: "t.id > 270"}}, 2},
		{"all that match nothing", "t.id < 100", always(merge.Delete), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			boundedTable(t, dir)
			got, err := merge.New(options()).Plan(t.Context(), merge.Request{
				Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, []row{numbered(5, 1)[0], numbered(150, 1)[0], numbered(255, 1)[0]}),
				On: []table.Column{"id"}, Condition: tt.condition, Matched: always(merge.Delete), NotMatchedBySource: tt.bySource,
			})
			must(t, err)
			if got.FilesRead != tt.read {
				t.Errorf("%d files are read, want %d", got.FilesRead, tt.read)
			}
		})
	}
}

// Nothing to do is no commit.
func TestNothingToMerge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	makeTable(t, dir, made{}, numbered(0, 50))
	r := merge.Request{
		Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, numbered(100, 10)), On: []table.Column{"id"},
		Matched: always(merge.Update),
	}
	got := apply(t, options(), r)
	if got.Changed || got.Version != 0 || got.Plan.FilesRead != 0 {
		t.Errorf("%+v", got)
	}
	noStrays(t, dir)
}

// Each refusal leaves the folder as it was and names what stands in the way.
func TestMergeRefuses(t *testing.T) {
	set := func(key, value string) made { return made{properties: map[string]string{key: value}} }
	column := func(old, new string) made { return made{schema: strings.Replace(schemaOfRows, old, new, 1)} }
	const idColumn = `{"name":"id","type":"long","nullable":true,"metadata":{}}`
	tests := []struct {
		name   string
		made   made
		change func(r *merge.Request, dir string)
		want   string
	}{
		{"append-only", set("delta.appendOnly", "true"), nil, "append-only"},
		{"change data feed", set("delta.enableChangeDataFeed", "true"), nil, "change data feed"},
		{"a constraint", set("delta.constraints.positive", "id > 0"), nil, "constraint positive"},
		{"row tracking", made{properties: map[string]string{"delta.enableRowTracking": "true", "delta.rowTracking.materializedRowIdColumnName": "i", "delta.rowTracking.materializedRowCommitVersionColumnName": "v"}}, nil, "row tracking"},
		{"a generated column", column(idColumn, `{"name":"id","type":"long","nullable":true,"metadata":{"delta.generationExpression":"x"}}`), nil, "generated column id"},
		{"an identity column", column(idColumn, `{"name":"id","type":"long","nullable":true,"metadata":{"delta.identity.start":1}}`), nil, "identity column id"},
		{"NULL for NOT NULL", column(`"name":"price","type":"double","nullable":true`, `"name":"price","type":"double","nullable":false`), nil, "no value for column price"},
		{"another type", column(`"name":"id","type":"long"`, `"name":"id","type":"string"`), nil, "column id is long in the source and string in the table"},
		{"no deletion vectors", made{}, func(r *merge.Request, _ string) { r.Write = merge.Vectors }, "merge with --write copy"},
		{"a column that is not there", made{}, func(r *merge.Request, _ string) { r.On = []table.Column{"key"} }, "there is no column key"},
		{"a column twice", made{}, func(r *merge.Request, _ string) { r.On = []table.Column{"id", "ID"} }, "named twice"},
		{"a column to set that is not there", made{}, func(r *merge.Request, _ string) { r.Matched = always(merge.Update, "x") }, "there is no column x"},
		{"the table itself", made{}, func(r *merge.Request, dir string) { r.Source = dir }, "is the table itself"},
		{"the table by a link", made{}, func(r *merge.Request, dir string) {
			r.Source = dir + " too"
			if err := os.Symlink(dir, r.Source); err != nil {
				panic(err)
			}
		}, "is the table itself"},
		{"a file of the table", made{}, func(r *merge.Request, dir string) { r.Source = filepath.Join(dir, "file 0.parquet") }, "lies in it"},
		{"no source", made{}, func(r *merge.Request, dir string) { r.Source = dir + " gone" }, "cannot be opened"},
		{"an empty folder", made{}, func(r *merge.Request, dir string) {
			r.Source = filepath.Join(filepath.Dir(dir), "empty")
			if err := os.MkdirAll(r.Source, 0o755); err != nil {
				panic(err)
			}
		}, "no Delta table and no Parquet file"},
		{"a folder of tables", made{}, func(r *merge.Request, dir string) {
			r.Source = filepath.Join(filepath.Dir(dir), "tables")
			if err := os.CopyFS(filepath.Join(r.Source, "one"), os.DirFS(dir)); err != nil {
				panic(err)
			}
		}, "holds a Delta table (one/_delta_log/"},
		{"an Iceberg table", made{}, func(r *merge.Request, dir string) {
			r.Source = filepath.Join(filepath.Dir(dir), "iceberg")
			if err := os.CopyFS(r.Source, fstest.MapFS{"metadata/v1.metadata.json": {Data: []byte("{}")}}); err != nil {
				panic(err)
			}
		}, "an Iceberg table"},
		{"no table", made{}, func(r *merge.Request, dir string) { r.Location = table.Location(filepath.Dir(dir)) }, "Delta tables only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			makeTable(t, dir, tt.made, numbered(0, 50))
			r := merge.Request{
				Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, numbered(45, 10)), On: []table.Column{"id"},
				Matched: always(merge.Update), NotMatched: always(merge.Insert),
			}
			if tt.change != nil {
				tt.change(&r, dir)
			}
			before := contents(t, dir)
			_, err := merge.New(options()).Apply(t.Context(), r)
			var refused *execute.Refusal
			if !errors.As(err, &refused) || !strings.Contains(refused.Error(), tt.want) {
				t.Errorf("got %v, want a refusal with %q", err, tt.want)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// contents is every file below a folder with its size.
func contents(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		all[path] = info.Size()
		return err
	}))
	return all
}

func TestBadCSV(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no header", "", "no first record"},
		{"a column is missing", "id\n1\n", "there is no column code"},
		{"a column twice", "id,code,code\n1,a,b\n", "column code is there twice"},
		{"no number", "id,code\nx,a\n", "line 2, column id: no long"},
		{"too many fields", "id,code\n1,a,b\n", "wrong number of fields"},
		{"a quote that is not closed", "id,code\n1,\"a\n", "quote"},
		{"no UTF-8", "id,code\n1,\xff\n", "not in UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, source := filepath.Join(t.TempDir(), "t"), filepath.Join(t.TempDir(), "rows.csv")
			makeTable(t, dir, made{}, numbered(0, 5))
			must(t, os.WriteFile(source, []byte(tt.text), 0o644))
			r := merge.Request{
				Table: "t", Location: table.Location(dir), Source: source, On: []table.Column{"id"},
				Matched: always(merge.Update, "code"),
			}
			_, err := merge.New(options()).Apply(t.Context(), r)
			var refused *execute.Refusal
			if !errors.As(err, &refused) || !strings.Contains(refused.Error(), tt.want) {
				t.Errorf("got %v, want a refusal with %q", err, tt.want)
			}
		})
	}
}

// Damaged files may hold texts that readers of the table would fail at.
func TestTextsOfASourceAreText(t *testing.T) {
	for _, form := range []string{asParquet, asDelta} {
		dir := filepath.Join(t.TempDir(), "t")
		makeTable(t, dir, made{}, numbered(0, 5))
		rows, damaged := numbered(0, 9), "caf\xe9"
		rows[7].Code = &damaged
		r := merge.Request{
			Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), form, rows), On: []table.Column{"id"},
			Matched: always(merge.Update), NotMatched: always(merge.Insert),
		}
		_, err := merge.New(options()).Apply(t.Context(), r)
		var refused *execute.Refusal
		if !errors.As(err, &refused) || !strings.Contains(refused.Error(), "column code: it holds a text that is not in UTF-8") {
			t.Errorf("%s: %v", form, err)
		}
		noStrays(t, dir)
	}
}

// What a file holds stands in no message.
func TestMessagesHoldNoValues(t *testing.T) {
	for _, column := range []string{"price", "day", "at", "flag", "amount"} {
		dir, source := filepath.Join(t.TempDir(), "t"), filepath.Join(t.TempDir(), "rows.csv")
		makeTable(t, dir, made{}, numbered(0, 5))
		must(t, os.WriteFile(source, []byte("id,"+column+"x\n1,SECRET\n"), 0o644))
		r := merge.Request{
			Table: "t", Location: table.Location(dir), Source: source, On: []table.Column{"id"}, Matched: always(merge.Update, table.Column(column)),
			Map: []merge.Rename{{Column: table.Column(column), Source: column + "x"}},
		}
		_, err := merge.New(options()).Apply(t.Context(), r)
		if err == nil || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), "line 2, column "+column+": no ") {
			t.Errorf("column %s: %v", column, err)
		}
	}
}

// The values of a source that memory has no room for wait on the disk, and nothing of them stays.
func TestSourceLargerThanMemory(t *testing.T) {
	for _, form := range []string{asParquet, asFolder, asDelta, asParted, asCSV} {
		t.Run(form, func(t *testing.T) {
			dir, spill := filepath.Join(t.TempDir(), "t"), t.TempDir()
			m := made{parted: true, keys: []string{"id", "day"}, properties: map[string]string{"delta.enableDeletionVectors": "true"}}
			rows := numbered(0, 1500)
			makeTable(t, dir, m, rows[:500], rows[500:1000], rows[1000:])
			source := numbered(300, 2000)
			for i := range source {
				source[i].Amount, source[i].Code = p(int64(-i)), p("changed "+strings.Repeat("é", i%20))
				if i%50 == 3 {
					source[i].ID = nil
				}
				if i%7 == 0 {
					source[i].Day, source[i].Part = p(int32(-i)), nil
				}
			}
			r := merge.Request{
				Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), form, source), On: []table.Column{"id"},
				Matched: []merge.Clause{{Action: merge.Delete, Condition: "s.amount < t.small"}, {Action: merge.Update}}, NotMatched: always(merge.Insert),
			}
			o := options()
			o.Spill, o.Memory, o.TargetFile = spill, 240*unit.KB, 16*unit.KB
			if form == asCSV {
				o.Memory = 400 * unit.KB // its text is read whole
			}
			got := apply(t, o, r)
			means := meanings{"s.amount < t.small": func(t, s *row) *bool { return nil }} // small is NULL
			want, counts, err := model(r, means, rows, source)
			must(t, err)
			if diff := differences(textsOf(t, m, want), rowsOf(t, dir)); diff != "" {
				t.Error(diff)
			}
			if got.Plan.Rows.Updated != counts.Updated || got.Plan.Rows.Inserted != counts.Inserted {
				t.Errorf("%+v, want %+v", got.Plan.Rows, counts)
			}
			left, err := os.ReadDir(spill)
			if len(left) > 0 || err != nil {
				t.Errorf("left: %v, %v", left, err)
			}
			noStrays(t, dir)
		})
	}
}

// Sources and matches that the memory has no room for are refused in words that say what to set.
func TestMemoryLimit(t *testing.T) {
	tests := []struct {
		name   string
		source []row
		want   string
	}{
		{"the source", numbered(0, 4000), "has more rows than the 3571 whose keys"},
		{"the matches", []row{{body: body{Flag: p(true)}}}, "rows match, which"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			makeTable(t, dir, made{}, numbered(0, 20_000))
			o := options()
			o.Memory = 300 * unit.KB
			r := merge.Request{
				Table: "t", Location: table.Location(dir), Source: writeSource(t, t.TempDir(), asParquet, tt.source), On: []table.Column{"flag"},
				Matched: always(merge.Delete),
			}
			if _, err := merge.New(o).Apply(t.Context(), r); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			noStrays(t, dir)
		})
	}
}
