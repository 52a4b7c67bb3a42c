package enginetest

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"ajlo/job/execute"
	"ajlo/job/layout"
	"ajlo/job/unit"
)

// rows holds rule 1 on the tables that Spark wrote: every type, every order.
func (s suite) rows(t *testing.T) {
	tests := []struct {
		name   string
		table  string
		layout layout.Layout
		target unit.Bytes
		files  int
	}{
		{"orders by a curve", "orders", layout.ClusteredBy(layout.Hilbert, "o_orderkey", "o_orderdate"), 64 * unit.KB, 43},
		{"lineitem by a curve", "lineitem", layout.ClusteredBy(layout.Hilbert, "l_orderkey", "l_shipdate"), 512 * unit.KB, 20},
		{"customer by z-order", "customer", layout.ClusteredBy(layout.ZOrder, "c_custkey", "c_acctbal", "c_name"), 100 * unit.KB, 7},
		{"part by a sort", "part", layout.ClusteredBy(layout.Sort, "p_brand", "p_size"), 64 * unit.KiB, 6},
		{"decimals of 25 digits", "cust_totals", layout.ClusteredBy(layout.Sort, "t"), 20 * unit.KB, 3},
		{"every type", "types", layout.ClusteredBy(layout.Hilbert, "a_timestamp", "dec_38_10"), 10 * unit.KB, 9},
		{"timestamps of no zone", "ntz", layout.ClusteredBy(layout.ZOrder, "local", "id"), unit.MB, 1},
		{"a schema that grew", "evolved", layout.ClusteredBy(layout.Hilbert, "name", "price", "id"), 2 * unit.KB, 6},
		{"a column that is not null", "strict", layout.ClusteredBy(layout.Sort, "id"), unit.MB, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := fixture(t, tt.table)
			r := s.applied(t, dir, tt.layout, tt.target)
			if r.FilesAdded != tt.files {
				t.Errorf("%d files, want %d", r.FilesAdded, tt.files)
			}
		})
	}
}

// applied carries a step out on an undisturbed table and checks everything that always
// holds then.
func (s suite) applied(t *testing.T, dir string, l layout.Layout, target unit.Bytes) execute.Result {
	t.Helper()
	before, was := rowsOf(t, dir), openTable(t, dir)
	step, e, rec := stepFor(t, dir, l, target), s.plain(), &recorder{}
	if err := e.Check(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	r, err := e.Apply(t.Context(), step, rec)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, before, rowsOf(t, dir))
	now := openTable(t, dir)
	if r.Removed != r.Added || r.Added.Rows != int64(len(before)) {
		t.Errorf("sums %v and %v, want %d rows in both", r.Removed, r.Added, len(before))
	}
	slices.Sort(r.Paths)
	want := execute.Result{
		Changed: true, Version: int64(was.Version + 1), Previous: int64(was.Version), FilesRemoved: len(was.Files), FilesAdded: len(now.Files),
		BytesRemoved: bytesOf(t, dir, was.Files), BytesAdded: bytesOf(t, dir, now.Files),
		Removed: r.Removed, Added: r.Added, Paths: now.Files, Attempts: 1, Took: r.Took,
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("result: %s", diff)
	}
	if slices.Sort(rec.intended); !slices.Equal(rec.intended, now.Files) {
		t.Errorf("intended %v, live are %v", rec.intended, now.Files)
	}
	return r
}

func bytesOf(t *testing.T, dir string, files []string) (total unit.Bytes) {
	t.Helper()
	all := contents(t, dir)
	for _, f := range files {
		total += unit.Bytes(all[filepath.FromSlash(f)])
	}
	return total
}

// oddities is a row of types in forms that Spark would not write but reads.
type oddities struct {
	Small    *int32            `parquet:"Small,optional"`               // a byte without its annotation
	Long     *int32            `parquet:"long,optional"`                // narrower than the column
	Float    *float32          `parquet:"float,optional"`               // NaNs of any bits
	Double   *float64          `parquet:"double,optional"`              //
	Amount   *[4]byte          `parquet:"amount,optional,decimal(2:7)"` // few digits in bytes
	Millis   *int64            `parquet:"millis,optional,timestamp(millisecond)"`
	Old      *deprecated.Int96 `parquet:"old,optional"`
	Text     []byte            `parquet:"text,optional"` // not marked as text
	NotThere *int64            `parquet:"not in the table,optional"`
}

const odditySchema = `{"type":"struct","fields":[` +
	`{"name":"text","type":"string","nullable":true,"metadata":{}},` +
	`{"name":"small","type":"byte","nullable":true,"metadata":{}},` +
	`{"name":"long","type":"long","nullable":true,"metadata":{}},` +
	`{"name":"float","type":"float","nullable":true,"metadata":{}},` +
	`{"name":"double","type":"double","nullable":true,"metadata":{}},` +
	`{"name":"amount","type":"decimal(9,2)","nullable":true,"metadata":{}},` +
	`{"name":"millis","type":"timestamp","nullable":true,"metadata":{}},` +
	`{"name":"old","type":"timestamp","nullable":true,"metadata":{}},` +
	`{"name":"missing","type":{"type":"array","elementType":"date","containsNull":true},"nullable":true,"metadata":{}}]}`

func oddRows() []oddities {
	rows := make([]oddities, 64)
	for i := range rows {
		r := &rows[i]
		small, long := int32(i-32), int32(math.MinInt32+i)
		float, double := math.Float32frombits(0x7fc00001+uint32(i)), math.Float64frombits(0xfff8000000000000|uint64(i))
		millis, extra := int64(i-10)*86_400_000_000, int64(i)
		amount := [4]byte{0xff, 0xff, 0x80, byte(i)}
		old := deprecated.Int96{uint32(i)*1000 + 999, 0, uint32(1_721_426 + i*50_000)} // from the year 1 on
		if i%7 > 0 {
			r.Small, r.Long, r.Float, r.Double = &small, &long, &float, &double
		}
		if i%5 > 0 {
			r.Amount, r.Millis, r.Old, r.NotThere = &amount, &millis, &old, &extra
		}
		if i%3 > 0 {
			r.Text = []byte{0xff, 0x00, byte(i)} // no UTF-8
		}
	}
	minus := math.Copysign(0, -1)
	rows[1].Double = &minus
	return rows
}

// oddFiles holds rule 1 on files of other writers: types in other forms, names in other
// case, columns in another order, not there or not in the table, and files without rows.
func (s suite) oddFiles(t *testing.T) {
	orders := []layout.Layout{
		layout.ClusteredBy(layout.Hilbert, "small", "millis"),
		layout.ClusteredBy(layout.ZOrder, "double", "float", "old"),
		layout.ClusteredBy(layout.Sort, "text", "amount"),
	}
	for _, l := range orders {
		t.Run(l.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "odd")
			rows := oddRows()
			commit(t, dir, 0, action{"protocol": action{"minReaderVersion": 1, "minWriterVersion": 2}},
				action{"metaData": metaData(odditySchema, nil, nil)},
				addRows(t, dir, "odd.parquet", rows[:40]),
				addRows(t, dir, "with space+%.parquet", rows[40:], parquet.Compression(&parquet.Zstd), parquet.DataPageStatistics(true)),
				addRows(t, dir, "empty.parquet", rows[:0]),
			)
			s.applied(t, dir, l, 4*unit.KB)
		})
	}
	t.Run("no rows at all", s.noRows)
}

// noRows holds that there is nothing to do where no row can be put anywhere.
func (s suite) noRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	commit(t, dir, 0, action{"protocol": action{"minReaderVersion": 1, "minWriterVersion": 2}},
		action{"metaData": metaData(itemSchema, nil, nil)},
		addItems(t, dir, "empty.parquet", nil))
	step, before := stepFor(t, dir, byPrice, unit.MB), contents(t, dir)
	r, err := s.plain().Apply(t.Context(), step, &recorder{})
	if err != nil || r.Changed || r.Version != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	unchanged(t, dir, before)
}

// history holds what is left in the table's own log (rule 12).
func (s suite) history(t *testing.T) {
	dir := itemTable(t)
	s.applied(t, dir, byPrice, 2*unit.KB)
	c := openTable(t, dir).Commits[1]
	if c.Info["operation"] != "OPTIMIZE" || c.Info["isBlindAppend"] != false {
		t.Errorf("commit info: %v", c.Info)
	}
	var stamp execute.Stamp
	if err := json.Unmarshal([]byte(c.Info["userMetadata"].(string)), &stamp); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff((&recorder{}).Stamp(), stamp); diff != "" {
		t.Errorf("stamp: %s", diff)
	}
	for _, a := range slices.Concat(c.Added, c.Removed) {
		if a["dataChange"] != false {
			t.Errorf("%s is said to change data", a["path"])
		}
	}
	rows := 0.0
	for _, a := range c.Added {
		var stats struct {
			NumRecords float64
			MinValues  map[string]any
		}
		if err := json.Unmarshal([]byte(a["stats"].(string)), &stats); err != nil {
			t.Fatal(err)
		}
		if rows += stats.NumRecords; stats.MinValues["id"] == nil || stats.MinValues["price"] == nil {
			t.Errorf("%s has no bounds of its keys: %v", a["path"], stats)
		}
	}
	if rows != 300 {
		t.Errorf("statistics count %v rows, want 300", rows)
	}
}

// again holds that a step that is done changes nothing when it is applied once more.
func (s suite) again(t *testing.T) {
	dir := itemTable(t)
	s.applied(t, dir, byPrice, 2*unit.KB)
	before := contents(t, dir)
	step, rec := stepFor(t, dir, byPrice, 2*unit.KB), &recorder{}
	if err := s.plain().Check(t.Context(), step); err != nil {
		t.Error(err)
	}
	r, err := s.plain().Apply(t.Context(), step, rec)
	if err != nil {
		t.Fatal(err)
	}
	if r.Changed || r.Version != 1 || rec.attempts != 0 {
		t.Errorf("changed %v at version %d after %d attempts, want nothing", r.Changed, r.Version, rec.attempts)
	}
	unchanged(t, dir, before)
	t.Run("not after an append", func(t *testing.T) {
		commit(t, dir, 2, addItems(t, dir, "d.parquet", items(300, 10)))
		s.applied(t, dir, byPrice, 2*unit.KB)
	})
	t.Run("not with other keys", func(t *testing.T) {
		s.applied(t, dir, layout.ClusteredBy(layout.Hilbert, "price", "name"), 2*unit.KB)
		s.applied(t, dir, layout.ClusteredBy(layout.Sort, "price", "name"), 2*unit.KB)
		s.applied(t, dir, layout.ClusteredBy(layout.Sort, "name", "price"), 2*unit.KB)
	})
}
