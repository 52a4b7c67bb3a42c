package lake

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/object"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

func sample(t *testing.T, store object.Store, s Snapshot, rows int, columns ...table.Column) Sample {
	t.Helper()
	got, err := Draw(t.Context(), store, s, columns, rows)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// texts are the values of one column of a sample.
func texts(s Sample, column int) []string {
	list := []string{}
	for _, v := range s.Values[column] {
		list = append(list, v.Text())
	}
	return list
}

// Asked for all, a sample is the table.
func TestSampleOfEverything(t *testing.T) {
	store, s := openTable(t, filepath.Join(workload, "orders"))
	got := sample(t, store, s, 1_000_000, "o_orderkey", "o_orderdate", "o_totalprice")
	if got.Len() != 75_000 || got.Population != 75_000 {
		t.Fatalf("%d of %d rows", got.Len(), got.Population)
	}
	seen := map[int64]bool{}
	for _, v := range got.Values[0] {
		seen[v.I] = true
	}
	if len(seen) != 75_000 { // o_orderkey is unique
		t.Errorf("%d keys in 75000 rows", len(seen))
	}
	var cents int64
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range got.Len() {
		cents += got.Values[2][i].I
		first, last = min(first, got.Values[1][i].I), max(last, got.Values[1][i].I)
	}
	// From 1992-01-01 to 1998-08-02.
	if cents != ordersCents || first != 8_035 || last != 10_440 {
		t.Errorf("sum %d cents, dates %d to %d", cents, first, last)
	}
}

// ordersCents is sum(o_totalprice) of the workload's orders, in cents: delta-rs and pyarrow
// say 10618151890.26.
const ordersCents = 1_061_815_189_026

func TestSampleIsEvenAndTheSameAgain(t *testing.T) {
	store, s := openTable(t, filepath.Join(workload, "lineitem"))
	got := sample(t, store, s, 3_000, "l_orderkey", "l_shipdate")
	if got.Len() != 3_000 || got.Population != 299_812 {
		t.Fatalf("%d of %d rows", got.Len(), got.Population)
	}
	if diff := cmp.Diff(got, sample(t, store, s, 3_000, "l_orderkey", "l_shipdate")); diff != "" {
		t.Error(diff)
	}
	all := sample(t, store, s, 1_000_000, "l_orderkey")
	for _, share := range []float64{0.1, 0.25, 0.5, 0.75, 0.9} {
		want, is := quantile(all, share), quantile(got, share)
		if off := math.Abs(float64(is-want)) / 300_000; off > 0.03 {
			t.Errorf("quantile %.2f is %d in the sample and %d in the table", share, is, want)
		}
	}
	for _, f := range shares(s.Files, 3_000) {
		if fair := float64(f.file.Rows) * 3_000 / 299_812; math.Abs(float64(f.rows)-fair) > 1 {
			t.Errorf("%s: %d rows of %.1f", f.file.Path, f.rows, fair)
		}
	}
}

func quantile(s Sample, share float64) int64 {
	list := []int64{}
	for _, v := range s.Values[0] {
		list = append(list, v.I)
	}
	slices.Sort(list)
	return list[int(share*float64(len(list)-1))]
}

func TestSharesAreFair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var list []File
		var total int64
		for _, rows := range rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 1, 30).Draw(r, "files") {
			list = append(list, File{Rows: rows})
			total += rows
		}
		wanted := rapid.IntRange(1, 1_000_000).Draw(r, "rows")
		var sum int64
		for _, s := range shares(list, wanted) {
			sum += s.rows
			if s.rows > s.file.Rows {
				r.Errorf("%d of %d rows", s.rows, s.file.Rows)
			}
			steps := steps(s.rows%1000, s.file.Rows)
			if !slices.IsSorted(steps) || len(slices.Compact(slices.Clone(steps))) != len(steps) || len(steps) > 0 && steps[len(steps)-1] >= s.file.Rows {
				r.Errorf("steps %v of %d rows", steps, s.file.Rows)
			}
		}
		if sum != min(int64(wanted), total) {
			r.Errorf("%d rows, want %d of %d", sum, wanted, total)
		}
	})
}

func TestManyFilesAreThinned(t *testing.T) {
	list := make([]File, 1_234)
	for i := range list {
		list[i].Rows = int64(i)
	}
	kept := thinned(list)
	if len(kept) != maxSampledFiles || kept[0].Rows != 0 || kept[499].Rows < 1_230 {
		t.Errorf("%d files, from %d to %d", len(kept), kept[0].Rows, kept[len(kept)-1].Rows)
	}
	if same := thinned(list[:7]); len(same) != 7 {
		t.Errorf("%d of 7 files", len(same))
	}
}

// Times as Spark stores them by default (INT96, which reaches all years) and otherwise.
func TestSampleOfTimes(t *testing.T) {
	want := []string{
		"1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "0001-01-01T00:00:00.5Z", "9999-12-31T23:59:59.999999Z",
		"2020-06-07T08:09:10.1Z", "1582-10-10T00:00:00Z", "1883-11-18T00:00:00.123456Z", "12345-01-01T00:00:00Z",
		"2020-06-07T08:09:10.123456Z", "null", "null",
	}
	slices.Sort(want)
	for _, name := range []string{"times", "timesmicros"} {
		store, s := openTable(t, filepath.Join(small, name))
		got := sample(t, store, s, 100, "t", "n", "d")
		stamps := texts(got, 0)
		slices.Sort(stamps)
		if diff := cmp.Diff(want, stamps); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for i, v := range got.Values[1] {
			if !v.IsNull() && (v.Kind != predicate.LocalTime || v.I != got.Values[0][i].I) {
				t.Errorf("%s: local time %+v beside %+v", name, v, got.Values[0][i])
			}
		}
	}
	store, s := openTable(t, filepath.Join(small, "millis"))
	if diff := cmp.Diff([]string{"1969-06-07T08:09:10.123Z", "1969-06-08T08:09:10.123Z", "1969-06-09T08:09:10.123Z"}, texts(sample(t, store, s, 3, "t"), 0)); diff != "" {
		t.Error(diff)
	}
}

func TestSampleOfEveryType(t *testing.T) {
	store, s := openTable(t, filepath.Join(small, "types"))
	columns := []table.Column{"b", "sh", "i", "l", "f", "d", "d5", "d18", "d10", "s", "bool", "dt", "ts", "ntz", "allnull", "vc"}
	got := sample(t, store, s, 100, columns...)
	rows := map[string][]string{}
	for i := range got.Len() {
		row := []string{}
		for c := range columns {
			row = append(row, texts(got, c)[i])
		}
		rows[row[3]] = row
	}
	want := map[string][]string{
		"4": {"1", "2", "3", "4", "NaN", "-Inf", "1.10", "0.0000000010", "10", "a", "true", "0001-01-01",
			"1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999", "null", "v"},
		"-9223372036854775808": {"-128", "-32768", "-2147483648", "-9223372036854775808", "-0", "0.1", "-999.99", "-99999999.9999999999", "0",
			"null", "null", "null", "1600-02-03T04:05:06.000001Z", "null", "null", "null"},
		"9223372036854775807": {"127", "null", "null", "9223372036854775807", "1.100000023841858", "1e+300", "0.00", "0.0000000000", "9999999999",
			strings.Repeat("z", 40), "false", "9999-12-31", "9999-12-31T23:59:59.999999Z", "2020-06-07T08:09:10.123999", "null", strings.Repeat("w", 40)},
		"1": {"127", "1", "1", "1", "3.3999999521443642e+38", "1e-05", "0.01", "12345678.1234500000", "1", strings.Repeat("é", 40), "false", "1969-12-31",
			"2020-06-07T08:09:10.123Z", "null", "null", strings.Repeat("w", 32)},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

func TestSampleOfPartitionsAndOddNames(t *testing.T) {
	store, s := openTable(t, filepath.Join(small, "partitioned"))
	got := sample(t, store, s, 100, "id", "p", "d")
	pairs := []string{}
	for i := range got.Len() {
		pairs = append(pairs, texts(got, 0)[i]+" "+texts(got, 1)[i]+" "+texts(got, 2)[i])
	}
	slices.Sort(pairs)
	if diff := cmp.Diff([]string{"1 a b:0 2020-01-01", "2 null null", "3 100% 2020-01-02", "4 null null", "5 a b:0 2020-01-01"}, pairs); diff != "" {
		t.Error(diff)
	}
	store, s = openTable(t, filepath.Join(small, "named")) // a column "b.c" beside a struct
	if diff := cmp.Diff([]string{"0", "1"}, texts(sample(t, store, s, 9, "b.c"), 0)); diff != "" {
		t.Error(diff)
	}
	store, s = openTable(t, filepath.Join(small, "mapped")) // "key" was "k", its files call it col-…
	if diff := cmp.Diff([]string{"0", "1"}, texts(sample(t, store, s, 9, "key"), 0)); diff != "" {
		t.Error(diff)
	}
}

func TestSampleOfAColumnThatCameLater(t *testing.T) {
	store, s := openTable(t, filepath.Join(small, "millis"))
	s.Columns = append(s.Columns, Column{Name: "later", Type: "string"})
	if diff := cmp.Diff([]string{"null", "null"}, texts(sample(t, store, s, 2, "later"), 0)); diff != "" {
		t.Error(diff)
	}
}

func TestSampleWithoutStatistics(t *testing.T) {
	store, s := openTable(t, filepath.Join(workload, "orders"))
	for i := range s.Files {
		s.Files[i].Rows = -1
	}
	if got := sample(t, store, s, 10, "o_orderkey"); got.Len() != 10 || got.Population != 75_000 {
		t.Errorf("%d of %d rows", got.Len(), got.Population)
	}
}

func TestSampleOfNothing(t *testing.T) {
	store, s := openTable(t, filepath.Join(small, "empty"))
	if got := sample(t, store, s, 10, "id"); got.Len() != 0 || got.Population != 0 {
		t.Errorf("%+v", got)
	}
	store, s = openTable(t, filepath.Join(workload, "orders"))
	if got := sample(t, store, s, 10); got.Len() != 0 || got.Population != 75_000 {
		t.Errorf("no columns: %+v", got)
	}
}

func TestSampleRefuses(t *testing.T) {
	damage := func(do func(t *testing.T, file string)) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(small, "types"))); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
			if err != nil || len(files) != 2 {
				t.Fatalf("%v, %v", files, err)
			}
			do(t, files[1])
			return dir
		}
	}
	whole := func(*testing.T) string { return filepath.Join(small, "types") }
	tests := []struct {
		name   string
		dir    func(t *testing.T) string
		column table.Column
		want   []string
	}{
		{"column that is not there", whole, "x", []string{"column x: the table has none"}},
		{"wide decimal", whole, "d38", []string{"column d38", "decimal(38,18)"}},
		{"array", whole, "ar", []string{"column ar", "array"}},
		{"file is gone", damage(func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}), "i", []string{"data file", ".snappy.parquet", "version 2", "no such file"}},
		{"file is cut off", damage(func(t *testing.T, file string) {
			if err := os.Truncate(file, 1_500); err != nil {
				t.Fatal(err)
			}
		}), "i", []string{"data file", ".snappy.parquet", "version 2"}},
		{"file is empty", damage(func(t *testing.T, file string) {
			if err := os.Truncate(file, 0); err != nil {
				t.Fatal(err)
			}
		}), "i", []string{"data file", ".snappy.parquet", "version 2"}},
		{"pages are overwritten", damage(func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteAt([]byte(strings.Repeat("\xff", 400)), 4)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}), "b", []string{"data file", ".snappy.parquet", "version 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, s := openTable(t, tt.dir(t))
			got, err := Draw(t.Context(), store, s, []table.Column{tt.column}, 100)
			if err == nil {
				t.Fatalf("no error, %d rows", got.Len())
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

// A column may be stored in a type that the table's type cannot be.
func TestSampleOfWrongStorage(t *testing.T) {
	store, s := openTable(t, filepath.Join(small, "types"))
	for column, wrong := range map[table.Column]string{"i": "string", "s": "long", "d": "long", "bool": "double", "ts": "boolean", "l": "timestamp"} {
		for i := range s.Columns {
			if s.Columns[i].Name == column {
				s.Columns[i].Type = wrong
			}
		}
		_, err := Draw(t.Context(), store, s, []table.Column{column}, 100)
		if err == nil || !strings.Contains(err.Error(), "column "+string(column)) {
			t.Errorf("%s as %s: %v", column, wrong, err)
		}
	}
}
