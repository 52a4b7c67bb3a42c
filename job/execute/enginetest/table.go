package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// aRun is the run that all steps of the suite belong to.
const aRun = "a run"

// recorder keeps what an engine says it will do.
type recorder struct {
	intended []string
	attempts int
	spent    unit.Bytes // asked for last
	refuse   error
	poor     error                      // the answer to whether the budget holds a rewrite
	lost     error                      // the answer to whether the lease is still held
	stamp    execute.Stamp              // that of the suite's run where empty
	keep     func(paths []string) error // where the list has to outlive the process
}

func (r *recorder) Intend(_ context.Context, _ table.Location, paths []string) error {
	if len(paths) == 0 {
		return r.lost
	}
	r.attempts++
	r.intended = append(r.intended, paths...)
	if r.keep != nil {
		return r.keep(paths)
	}
	return r.refuse
}

func (r *recorder) Spend(bytes unit.Bytes) error {
	r.spent = bytes
	return r.poor
}

func (r *recorder) Progress(_, _ unit.Bytes) {}

func (r *recorder) Stamp() execute.Stamp {
	if r.stamp.Run != "" {
		return r.stamp
	}
	return execute.Stamp{Run: aRun, Step: 7, PlanHash: "a hash"}
}

// stepFor plans the layout for the table as it is now.
func stepFor(t *testing.T, dir string, l layout.Layout, target unit.Bytes) plan.Step {
	t.Helper()
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, table.Name(filepath.Base(dir)), table.Location(dir))
	if err != nil {
		t.Fatal(err)
	}
	return plan.Step{
		Table: s.Table, Kind: plan.Rekey, Location: s.Location, Layout: l, Version: s.Version,
		SchemaHash: s.SchemaHash, Protocol: s.Protocol, Owner: s.Owner, Was: s.Layout, Declared: s.Declared, TargetFile: target,
	}
}

// rowsOf are the live rows of a table, by the independent reader.
func rowsOf(t *testing.T, dir string) []string {
	t.Helper()
	rows, err := rowtest.Rows(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// sameRows fails when two sorted multisets of rows differ, and shows a few that do.
func sameRows(t *testing.T, want, got []string) {
	t.Helper()
	if slices.Equal(want, got) {
		return
	}
	lost, gained := without(want, got), without(got, want)
	t.Errorf("%d rows, want %d: %d are lost, %d are new", len(got), len(want), len(lost), len(gained))
	for i := range min(len(lost), 3) {
		t.Errorf("lost: %s", lost[i])
	}
	for i := range min(len(gained), 3) {
		t.Errorf("new: %s", gained[i])
	}
}

// without is the multiset a less the multiset b.
func without(a, b []string) (left []string) {
	count := map[string]int{}
	for _, row := range b {
		count[row]++
	}
	for _, row := range a {
		if count[row]--; count[row] < 0 {
			left = append(left, row)
		}
	}
	return left
}

// openTable is the table's log, by the independent reader.
func openTable(t *testing.T, dir string) rowtest.Table {
	t.Helper()
	table, err := rowtest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// contents is every file below a folder with its size.
func contents(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		all[name] = info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unchanged fails when the folder is not as it was.
func unchanged(t *testing.T, dir string, before map[string]int64) {
	t.Helper()
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the table's folder changed: %s", diff)
	}
}

// noStrays fails when a data file lies in the folder that no commit names and that was not
// there before.
func noStrays(t *testing.T, dir string, before map[string]int64) {
	t.Helper()
	named := map[string]bool{}
	for _, c := range openTable(t, dir).Commits {
		for _, a := range slices.Concat(c.Added, c.Removed) {
			named[a["path"].(string)] = true
		}
	}
	files, err := rowtest.DataFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, old := before[f]; !old && !named[f] {
			t.Errorf("%s was left behind", f)
		}
	}
	for name := range contents(t, dir) {
		if object.IsTemporary(filepath.ToSlash(name)) {
			t.Errorf("%s was left behind", name)
		}
	}
}

// item is a row of the tables that the suite makes.
type item struct {
	ID    *int64   `parquet:"id,optional"`
	Price *float64 `parquet:"price,optional"`
	Name  *string  `parquet:"name,optional"`
}

const itemSchema = `{"type":"struct","fields":[` +
	`{"name":"id","type":"long","nullable":true,"metadata":{}},` +
	`{"name":"price","type":"double","nullable":true,"metadata":{}},` +
	`{"name":"name","type":"string","nullable":true,"metadata":{}}]}`

var byPrice = layout.ClusteredBy(layout.Hilbert, "price", "id")

// items are n rows from an id on; some columns are NULL.
func items(from, n int) []item {
	rows := make([]item, n)
	for i := range rows {
		id, price, name := int64(from+i), float64((from+i)*7919%1000)/4, fmt.Sprintf("name %d of the items", from+i)
		rows[i] = item{ID: &id, Price: &price, Name: &name}
		if i%10 == 3 {
			rows[i].Price = nil
		}
		if i%10 == 7 {
			rows[i].Name = nil
		}
	}
	return rows
}

// Action is one line of a commit.
type Action map[string]any

type action = Action

// itemTable makes a table of three files with a hundred rows each.
func itemTable(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "items")
	commit(t, dir, 0,
		action{"protocol": action{"minReaderVersion": 1, "minWriterVersion": 2}},
		action{"metaData": metaData(itemSchema, nil, nil)},
		addItems(t, dir, "a.parquet", items(0, 100)),
		addItems(t, dir, "b.parquet", items(100, 100)),
		addItems(t, dir, "c.parquet", items(200, 100)),
	)
	return dir
}

func metaData(schema string, partitions []string, configuration map[string]string) action {
	if partitions == nil {
		partitions = []string{}
	}
	if configuration == nil {
		configuration = map[string]string{}
	}
	return action{
		"id": "11111111-2222-4333-8444-555555555555", "format": action{"provider": "parquet", "options": action{}},
		"schemaString": schema, "partitionColumns": partitions, "configuration": configuration, "createdTime": 1,
	}
}

func commit(t testing.TB, dir string, version int, actions ...action) {
	t.Helper()
	if err := WriteCommit(dir, version, actions...); err != nil {
		t.Fatal(err)
	}
}

// WriteCommit writes a version as another writer would.
func WriteCommit(dir string, version int, actions ...Action) error {
	var text []byte
	info := action{"commitInfo": action{"timestamp": 1_700_000_000_000 + version, "operation": "WRITE", "operationParameters": action{}}}
	for _, a := range append([]action{info}, actions...) {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.MkdirAll(filepath.Join(dir, "_delta_log"), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", version)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Close()
}

// addItems writes a file of items and gives the action that adds it.
func addItems(t testing.TB, dir, name string, rows []item) action {
	t.Helper()
	return addRows(t, dir, name, rows)
}

// addRows writes a file with another Parquet library than the engines'.
func addRows[T any](t testing.TB, dir, name string, rows []T, options ...parquet.WriterOption) action {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[T](f, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return action{"add": action{
		"path": (&url.URL{Path: name}).EscapedPath(), "partitionValues": action{}, "size": info.Size(), "modificationTime": 1, "dataChange": true,
		"stats": fmt.Sprintf(`{"numRecords":%d}`, len(rows)),
	}}
}

func remove(name string) action {
	return action{"remove": action{"path": name, "deletionTimestamp": 1, "dataChange": true, "partitionValues": action{}}}
}
