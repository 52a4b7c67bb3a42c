package delta

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/object"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
)

// readArrow reads a data file in batches of a few rows.
func readArrow(t *testing.T, store object.Store, path string, take func(arrow.RecordBatch)) {
	t.Helper()
	data, err := store.ReadAll(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 1000}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	batches, err := r.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer batches.Release()
	for batches.Next() {
		take(batches.RecordBatch())
	}
	if err := batches.Err(); err != nil && err.Error() != "EOF" {
		t.Fatal(err)
	}
}

func collect(t *testing.T, store object.Store, m Metadata, path string) string {
	t.Helper()
	c, err := NewCollector(m)
	if err != nil {
		t.Fatal(err)
	}
	readArrow(t, store, path, func(b arrow.RecordBatch) {
		if err := c.Observe(b); err != nil {
			t.Fatal(err)
		}
	})
	text, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Statistics of Spark's own files, worked out again from their rows, must come out letter by
// letter as Spark logged them.
func TestCollectorWritesWhatSparkWrites(t *testing.T) {
	tests := map[string]int{ // table → files
		"strings": 25, "doubles": 17, "decimals": 7, "indexed0": 1, "indexed32": 1, "indexedall": 1,
		"nobounds": 1, "millis": 1,
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			store := madeBySpark(t, name)
			// Go escapes the line separator, Jackson does not.
			checkStatistics(t, store, replayOf(t, store), files, func(s string) string { return strings.ReplaceAll(s, "\u2028", `\u2028`) })
		})
	}
	for name, files := range map[string]int{"orders": 3, "lineitem": 48, "part": 6, "customer": 6} {
		t.Run(name, func(t *testing.T) {
			store := openFolder(t, filepath.Join(lakeFolder, name))
			checkStatistics(t, store, replayOf(t, store), files, func(s string) string { return s })
		})
	}
}

// The same where Spark says times in its session's zone.
func TestCollectorWritesWhatSparkWritesInUTC(t *testing.T) {
	for name, files := range map[string]int{"types": 2, "indexed2": 1, "indexed4": 1, "named": 1, "timesmicros": 10} {
		t.Run(name, func(t *testing.T) {
			store := madeBySpark(t, name)
			// Spark wrote this instant in Newfoundland's time.
			checkStatistics(t, store, replayOf(t, store), files, func(s string) string {
				return strings.ReplaceAll(s, "2020-06-07T05:39:10.123-02:30", "2020-06-07T08:09:10.123Z")
			})
		})
	}
}

func checkStatistics(t *testing.T, store object.Store, s Snapshot, files int, normal func(string) string) {
	t.Helper()
	if len(s.Files) != files {
		t.Fatalf("%d files, want %d", len(s.Files), files)
	}
	for _, f := range s.Files {
		if diff := cmp.Diff(normal(f.Stats), normal(collect(t, store, s.Metadata, f.Path))); diff != "" {
			t.Errorf("%s: %s", f.Path, diff)
		}
	}
}

// Bounds that are written must enclose every value that was read, whatever the type.
func TestBoundsEncloseTheRows(t *testing.T) {
	for _, name := range []string{"types", "strings", "doubles", "decimals", "timesmicros", "millis"} {
		store := madeBySpark(t, name)
		s := replayOf(t, store)
		for _, f := range s.Files {
			_, logged, err := ParseStats(f.Stats, s.Metadata.Schema)
			if err != nil {
				t.Fatal(err)
			}
			_, ours, err := ParseStats(collect(t, store, s.Metadata, f.Path), s.Metadata.Schema)
			if err != nil {
				t.Fatal(err)
			}
			readArrow(t, store, f.Path, func(b arrow.RecordBatch) {
				checkEnclosed(t, b, s.Metadata.Schema, logged)
				checkEnclosed(t, b, s.Metadata.Schema, ours)
			})
		}
	}
}

func checkEnclosed(t *testing.T, b arrow.RecordBatch, schema Schema, bounds map[table.Column]prune.Bounds) {
	t.Helper()
	for _, field := range schema {
		at := b.Schema().FieldIndices(field.Name)
		for i := range int(b.NumRows()) {
			v, ok, err := ValueOf(b.Column(at[0]), i, field.Type)
			if err != nil {
				t.Fatal(err)
			}
			known := bounds[table.Column(field.Name)]
			if !ok || v.IsNull() {
				continue
			}
			if order, ok := predicate.Compare(known.Min, v); !known.Min.IsNull() && (!ok || order > 0) {
				t.Errorf("column %s: min %v is above %v", field.Name, known.Min, v)
			}
			if order, ok := predicate.Compare(known.Max, v); !known.Max.IsNull() && (!ok || order < 0) {
				t.Errorf("column %s: max %v is below %v", field.Name, known.Max, v)
			}
		}
	}
}

func TestParseStats(t *testing.T) {
	field := func(name, kind string) Field {
		typ, err := ParseType(kind)
		if err != nil {
			t.Fatal(err)
		}
		return Field{Name: name, Type: typ}
	}
	schema := Schema{
		field("l", "long"), field("f", "float"), field("d", "double"), field("m", "decimal(18,10)"), field("w", "decimal(38,0)"),
		field("s", "string"), field("dt", "date"), field("ts", "timestamp"), field("ntz", "timestamp_ntz"), field("b", "boolean"),
		field("bin", "binary"), field("st", "struct"),
	}
	tests := []struct {
		name, column, min, max, nulls string
		rows                          int64
		want                          prune.Bounds
	}{
		{"long beyond 53 bits", "l", "-9223372036854775808", "9223372036854775807", "0", 5,
			prune.Bounds{Min: predicate.IntValue(math.MinInt64), Max: predicate.IntValue(math.MaxInt64), Rows: 5}},
		{"long with a fraction", "l", "1.5", "2", "1", 5, prune.Bounds{Max: predicate.IntValue(2), Nulls: 1, Rows: 5}},
		{"float", "f", "0.1", `"NaN"`, "0", 5, prune.Bounds{Min: predicate.FloatValue(float64(float32(0.1))), Max: predicate.FloatValue(math.NaN()), Rows: 5}},
		{"double", "d", `"-Infinity"`, "1.0E300", "0", 5, prune.Bounds{Min: predicate.FloatValue(math.Inf(-1)), Max: predicate.FloatValue(1e300), Rows: 5}},
		{"decimal", "m", "-99999999.9999999999", "1E-10", "0", 5,
			prune.Bounds{Min: predicate.DecimalValue(-999999999999999999, 10), Max: predicate.DecimalValue(1, 10), Rows: 5}},
		{"decimal with too many digits", "m", "0.00000000001", "123456789.5", "0", 5, prune.Bounds{Max: predicate.DecimalValue(1234567895000000000, 10), Rows: 5}},
		{"decimal of 38 digits", "w", "1", "2", "0", 5, prune.Bounds{Rows: 5}},
		{"string", "s", `"a\u00e9"`, `"z\u007f"`, "0", 5, prune.Bounds{Min: predicate.StringValue("aé"), Max: predicate.StringValue("z\x7f"), Rows: 5}},
		{"date", "dt", `"-0044-03-15"`, `"+12345-01-01"`, "0", 5, prune.Bounds{Min: predicate.DateValue(-735525), Max: predicate.DateValue(3789391), Rows: 5}},
		{"no such day", "dt", `"2021-02-29"`, `"2020-02-29"`, "0", 5, prune.Bounds{Max: predicate.DateValue(18321), Rows: 5}},
		{"timestamp", "ts", `"1969-12-31T23:59:59.999Z"`, `"2020-06-07T05:39:10.123-02:30"`, "0", 5,
			prune.Bounds{Min: predicate.TimestampValue(-1000), Max: predicate.TimestampValue(1591517350124000), Rows: 5}},
		{"timestamp without zone", "ts", `"2020-06-07T05:39:10.123"`, `"2020-06-07 05:39:10Z"`, "0", 5,
			prune.Bounds{Max: predicate.TimestampValue(1591508350001000), Rows: 5}},
		{"local time", "ntz", `"1970-01-01T00:00:00.000"`, `"1970-01-01T00:00:00.000Z"`, "0", 5, prune.Bounds{Min: predicate.LocalTimeValue(0), Rows: 5}},
		{"boolean of other writers", "b", "false", "true", "0", 5, prune.Bounds{Min: predicate.BoolValue(false), Max: predicate.BoolValue(true), Rows: 5}},
		{"binary", "bin", `"x"`, `"y"`, "2", 5, prune.Bounds{Nulls: 2, Rows: 5}},
		{"wrong types", "l", `{"a":1}`, `[]`, `"x"`, 5, prune.Bounds{}},
		{"all null", "l", "", "", "5", 5, prune.Bounds{Nulls: 5, Rows: 5}},
		{"no rows given", "l", "1", "2", "", -1, prune.Bounds{Min: predicate.IntValue(1), Max: predicate.IntValue(2), Nulls: -1, Rows: -1}},
		{"struct", "st", `{"x":1}`, `{"x":2}`, `{"x":0}`, 5, prune.Bounds{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var parts []string
			if tt.rows >= 0 {
				parts = append(parts, `"numRecords":`+strconv.FormatInt(tt.rows, 10))
			}
			for group, text := range map[string]string{"minValues": tt.min, "maxValues": tt.max, "nullCount": tt.nulls} {
				if text != "" {
					parts = append(parts, `"`+group+`":{"`+tt.column+`":`+text+`}`)
				}
			}
			rows, bounds, err := ParseStats("{"+strings.Join(parts, ",")+"}", schema)
			if err != nil {
				t.Fatal(err)
			}
			nan := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
			if diff := cmp.Diff(tt.want, bounds[table.Column(tt.column)], nan); diff != "" || rows != tt.rows {
				t.Errorf("%d rows: %s", rows, diff)
			}
		})
	}
}

func TestParseStatsOfWideBounds(t *testing.T) {
	s := replayOf(t, madeBySpark(t, "vectors"))
	stats := strings.ReplaceAll(s.Files[0].Stats, `"k":0,"name":0}`, `"k":2,"name":5}`) // as after deletes by vector
	_, bounds, err := ParseStats(stats, s.Metadata.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if bounds["id"].Nulls != 0 || bounds["k"].Nulls != -1 || bounds["name"].Nulls != 5 {
		t.Errorf("nulls %d, %d, %d of %s", bounds["id"].Nulls, bounds["k"].Nulls, bounds["name"].Nulls, stats)
	}
}

func TestParseStatsRefusesWhatIsNoObject(t *testing.T) {
	for _, text := range []string{"x", "[]", "42", `{"numRecords":"x"}`, `{"minValues":[]}`, "{} {}"} {
		if rows, bounds, err := ParseStats(text, nil); err == nil {
			t.Errorf("%s: %d, %v", text, rows, bounds)
		}
	}
	if rows, bounds, err := ParseStats("", nil); rows != -1 || bounds != nil || err != nil {
		t.Errorf("none: %d, %v, %v", rows, bounds, err)
	}
}

func TestCutStringsEnclose(t *testing.T) {
	letter := rapid.SampledFrom([]rune{'a', 'z', 0x7E, 0x7F, 0x80, 'é', 0xD7FF, 0xFFFD, 0xFFFF, '😀', utf8Max})
	rapid.Check(t, func(r *rapid.T) {
		text := string(rapid.SliceOfN(letter, 0, 40).Draw(r, "text"))
		prefix := rapid.IntRange(0, 12).Draw(r, "prefix")
		if low, ok := cutMin(text, prefix); ok && low > text || ok && utf8.RuneCountInString(low) > prefix {
			r.Errorf("min %q of %q", low, text)
		}
		high, ok := cutMax(text, prefix)
		if ok && high < text {
			r.Errorf("max %q of %q", high, text)
		}
		if ok && !utf8.ValidString(high) {
			r.Errorf("max %q of %q is no UTF-8", high, text)
		}
	})
}

// The bounds of long texts are those of the whole ones, though only their starts are kept.
func TestBoundsOfLongTexts(t *testing.T) {
	letter := rapid.SampledFrom([]rune{'a', 0x7F, 0xFFFD, '😀', utf8Max})
	text := rapid.Custom(func(r *rapid.T) string { return string(rapid.SliceOfN(letter, 0, 60).Draw(r, "text")) })
	rapid.Check(t, func(r *rapid.T) {
		all, prefix := rapid.SliceOfN(text, 1, 8).Draw(r, "texts"), rapid.IntRange(0, 5).Draw(r, "prefix")
		got, whole := texts{prefix: prefix}, texts{prefix: prefix}
		for _, v := range all {
			got.takeText(v)
		}
		whole.some, whole.min, whole.max = true, slices.Min(all), slices.Max(all)
		if string(got.least()) != string(whole.least()) || string(got.greatest()) != string(whole.greatest()) {
			r.Errorf("%q to %q, want %q to %q", got.least(), got.greatest(), whole.least(), whole.greatest())
		}
		if most := boundBytes * (prefix + 2); len(got.min) > most || len(got.max) > most {
			r.Errorf("%d and %d bytes are kept", len(got.min), len(got.max))
		}
	})
}

func TestSpellingsReadBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := rapid.Float64().Draw(r, "double")
		if back, err := strconv.ParseFloat(strings.Trim(string(floatText(f, 64)), `"`), 64); err != nil || back != f && !math.IsNaN(f) {
			r.Errorf("%v became %s", f, floatText(f, 64))
		}
		unscaled, scale := rapid.Int64().Draw(r, "unscaled"), rapid.IntRange(0, 38).Draw(r, "scale")
		text := string(decimalText(big.NewInt(unscaled), scale))
		want := new(big.Rat).SetFrac(big.NewInt(unscaled), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
		if back, ok := new(big.Rat).SetString(text); !ok || back.Cmp(want) != 0 || !decimalNumber.MatchString(text) {
			r.Errorf("%d of scale %d became %s", unscaled, scale, text)
		}
		micros := rapid.Int64Range(-60_000_000_000_000_000, 300_000_000_000_000_000).Draw(r, "micros")
		if back, err := parseTime(timeOf(micros)+"Z", zoned); err != nil || back > micros || back <= micros-1000 {
			r.Errorf("%d became %s and %d, %v", micros, timeOf(micros), back, err)
		}
		days := rapid.Int64Range(-800_000, 4_000_000).Draw(r, "days")
		if back, err := parseDate(dateOf(days)); err != nil || back != days {
			r.Errorf("%d became %s and %d, %v", days, dateOf(days), back, err)
		}
	})
}

func TestCollectorOfOddBatches(t *testing.T) {
	m := replayOf(t, madeBySpark(t, "plain")).Metadata // id long, k integer, name string
	batch := func(fields []arrow.Field, json string) arrow.RecordBatch {
		b, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(json))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	c, err := NewCollector(m)
	if err != nil {
		t.Fatal(err)
	}
	// A file from before column k was there, with columns in another order.
	if err := c.Observe(batch([]arrow.Field{
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "id", Type: arrow.PrimitiveTypes.Int64},
	}, `[{"id":3,"name":"<b>"},{"id":1,"name":null}]`)); err != nil {
		t.Fatal(err)
	}
	if err := c.Observe(batch([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "k", Type: arrow.PrimitiveTypes.Int32}}, `[{"id":9,"k":7}]`)); err != nil {
		t.Fatal(err)
	}
	want := `{"numRecords":3,"minValues":{"id":1,"k":7,"name":"<b>"},"maxValues":{"id":9,"k":7,"name":"<b>"},"nullCount":{"id":0,"k":2,"name":2}}`
	if got, err := c.JSON(); got != want || err != nil || c.Rows() != 3 {
		t.Errorf("%d rows, %v: %s", c.Rows(), err, got)
	}
	err = c.Observe(batch([]arrow.Field{{Name: "name", Type: arrow.PrimitiveTypes.Int64}}, `[{"name":1}]`))
	if err == nil || !strings.Contains(err.Error(), "column name: int64 values in a column of type string") {
		t.Errorf("wrong type: %v", err)
	}
}

func TestCollectorRefusesBadSettings(t *testing.T) {
	m := replayOf(t, madeBySpark(t, "plain")).Metadata
	for key, value := range map[string]string{indexedCountKey: "many", indexedNamesKey: "a,,b", prefixKey: "x"} {
		m.Configuration = map[string]string{key: value}
		if _, err := NewCollector(m); err == nil || !strings.Contains(err.Error(), key+"="+value) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
