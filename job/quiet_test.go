package job_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"ajlo/job"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/sparktest/shift"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/state"
)

// arrival is how the keys of rows that come in lie to those that are there.
type arrival string

// Orders come in with new numbers and later dates; returns, or hashed keys, with keys all over
// the range.
const (
	newKeys       arrival = "new keys"
	scatteredKeys arrival = "scattered keys"
)

// writer appends rows like those a table has: every row number r of the base with r%every == 0,
// with later dates and, where keys are new, later keys.
type writer struct {
	folder    string
	base      arrow.Table
	key, date string
	arrival   arrival
}

// daysPerNight is how far a night's rows lie behind those of the night before; a night's own
// dates are a week.
const daysPerNight = 7

// appendedShare is the part of the base that comes in each night.
const appendedShare = 20 // one in twenty: 5 %

func newWriter(t testing.TB, l lakeOf, name, key, date string, a arrival) writer {
	t.Helper()
	w := writer{folder: l.table(name), key: key, date: date, arrival: a}
	s := w.snapshot(t)
	var parts []arrow.RecordBatch
	var schema *arrow.Schema
	for _, f := range s.Files {
		part := readParquet(t, filepath.Join(w.folder, f.Path))
		schema = part.Schema()
		reader := array.NewTableReader(part, 0)
		for reader.Next() {
			r := reader.RecordBatch()
			r.Retain()
			parts = append(parts, r)
		}
	}
	w.base = array.NewTableFromRecords(schema, parts)
	return w
}

func (w writer) snapshot(t testing.TB) lake.Snapshot {
	t.Helper()
	store, err := object.Open(w.folder)
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, table.Name(filepath.Base(w.folder)), table.Location(w.folder))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readParquet(t testing.TB, path string) arrow.Table {
	t.Helper()
	f, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.NewParquetReader(bytes.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	all, err := reader.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// append commits one file of the given night's rows and gives its size.
func (w writer) append(t testing.TB, night int) unit.Bytes {
	t.Helper()
	rows := w.rows(t, night)
	var out bytes.Buffer
	if err := pqarrow.WriteTable(rows, &out, rows.NumRows(), parquet.NewWriterProperties(parquet.WithCompression(1)), pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("appended-%02d.parquet", night)
	w.write(t, path, out.Bytes())
	stats, err := json.Marshal(w.stats(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	add, err := json.Marshal(map[string]any{"add": map[string]any{
		"path": path, "partitionValues": map[string]string{}, "size": out.Len(), "modificationTime": int64(night), "dataChange": true, "stats": string(stats)}})
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, fmt.Sprintf("_delta_log/%020d.json", w.snapshot(t).Version+1), append(add, '\n'))
	return unit.Bytes(out.Len())
}

func (w writer) write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// rows takes one row in twenty of the base, another twentieth each night.
func (w writer) rows(t testing.TB, night int) arrow.Table {
	t.Helper()
	builder := array.NewInt64Builder(memory.DefaultAllocator)
	for r := int64(night % appendedShare); r < w.base.NumRows(); r += appendedShare {
		builder.Append(r)
	}
	columns := make([]arrow.Column, w.base.NumCols())
	for i := range columns {
		column := w.base.Column(i)
		whole, err := array.Concatenate(column.Data().Chunks(), memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		taken, err := compute.TakeArray(t.Context(), whole, builder.NewInt64Array())
		if err != nil {
			t.Fatal(err)
		}
		taken = w.later(taken, column.Name(), night)
		columns[i] = *arrow.NewColumn(column.Field(), arrow.NewChunked(column.DataType(), []arrow.Array{taken}))
		for r := int64(night % appendedShare); r < w.base.NumRows(); r += appendedShare {
			builder.Append(r)
		}
	}
	return array.NewTable(w.base.Schema(), columns, int64(columns[0].Data().Len()))
}

// later moves keys and dates behind those that are there.
func (w writer) later(values arrow.Array, name string, night int) arrow.Array {
	switch keys := values.(type) {
	case *array.Int64:
		if name != w.key || w.arrival != newKeys {
			return values
		}
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for _, k := range keys.Int64Values() {
			b.Append(lastKey + (int64(night)*lastKey+k)/appendedShare)
		}
		return b.NewArray()
	case *array.Date32:
		if name != w.date {
			return values
		}
		b := array.NewDate32Builder(memory.DefaultAllocator)
		for _, d := range keys.Date32Values() {
			b.Append(lastDate + arrow.Date32(night*daysPerNight) + d%daysPerNight)
		}
		return b.NewArray()
	}
	return values
}

// The greatest key and date of the fixture's tables, in days since 1970.
const (
	lastKey  = 300_000
	lastDate = arrow.Date32(10_592) // 1998-12-31
)

func (w writer) stats(t testing.TB, rows arrow.Table) map[string]any {
	t.Helper()
	least, greatest, nulls := map[string]any{}, map[string]any{}, map[string]int64{}
	for i := range int(rows.NumCols()) {
		name := rows.Column(i).Name()
		switch values := rows.Column(i).Data().Chunk(0).(type) {
		case *array.Int64:
			if name == w.key {
				least[name], greatest[name] = ends(values.Int64Values())
				nulls[name] = 0
			}
		case *array.Date32:
			low, high := ends(values.Date32Values())
			least[name], greatest[name], nulls[name] = low.FormattedString(), high.FormattedString(), 0
		}
	}
	return map[string]any{"numRecords": rows.NumRows(), "minValues": least, "maxValues": greatest, "nullCount": nulls}
}

func ends[T int64 | arrow.Date32](values []T) (least, greatest T) {
	least, greatest = values[0], values[0]
	for _, v := range values {
		least, greatest = min(least, v), max(greatest, v)
	}
	return least, greatest
}

// lookups is how many bytes a look-up of one key reads on average, over keys spread evenly from
// the first to the given last.
func (w writer) lookups(t testing.TB, last int64) float64 {
	t.Helper()
	const asked = 200
	var read unit.Bytes
	for i := range int64(asked) {
		key := predicate.Predicate{Op: predicate.Eq, Column: table.Column(w.key), Values: []predicate.Value{predicate.IntValue((2*i + 1) * last / (2 * asked))}}
		for _, f := range w.snapshot(t).Files {
			if prune.MayMatch(&key, func(c table.Column) (prune.Bounds, bool) { b, ok := f.Bounds[c]; return b, ok }) {
				read += f.Bytes
			}
		}
	}
	return float64(read) / asked
}

// Quiet nights in which 5 % come in each: there is no drift, upkeep alone works, it rewrites at
// most twice what came in, and never makes look-ups slower. Where keys are new, look-ups stay
// as quick as they were; where they are scattered, every night's rows lie beside all others,
// and only a rewrite of the whole table could mend that. Ten nights of both where asked for
// all, two of the harder else.
func TestQuietNights(t *testing.T) {
	if testing.Short() {
		t.Skip("runs three nights and more")
	}
	arrivals, nights := []arrival{scatteredKeys}, 2
	if os.Getenv("AJLO_SOAK") != "" {
		arrivals, nights = []arrival{newKeys, scatteredKeys}, 10
	}
	for _, a := range arrivals {
		t.Run(string(a), func(t *testing.T) { quietNights(t, a, nights) })
	}
}

// slowest is how much longer a look-up may take than on night one where keys are new.
const slowest = 1.1

func quietNights(t *testing.T, a arrival, nights int) {
	l := newLake(t, "tpch.lineitem")
	l.config.Budget.Upkeep = 50 * unit.MB
	w := newWriter(t, l, "lineitem", "l_orderkey", "l_shipdate", a)
	l.mustRun(t, firstNight, job.Execute, state.Applied)
	first := w.lookups(t, lastKey)
	var appended, rewritten, saved unit.Bytes
	for night := 1; night <= nights; night++ {
		appended += w.append(t, night)
		l.readFrom(shifted(t, shift.Change{By: time.Duration(night) * day}))
		before := w.lookups(t, lastKey)
		result, err := l.night(t, firstNight.Add(time.Duration(night)*day), job.Execute)
		if err != nil {
			t.Fatal(err)
		}
		quiet(t, result)
		for _, s := range result.Steps {
			rewritten += s.Result.BytesRemoved
		}
		saved += result.Decision.Plan.SavedBytesPerWindow
		after := w.lookups(t, lastKey)
		t.Logf("night %2d: %s; so far came in %s, rewritten %s, saved %s a window; a look-up reads %.2f of night one's before, %.2f after; %d files",
			night, result.Outcome, appended, rewritten, saved, before/first, after/first, len(w.snapshot(t).Files))
		for _, decided := range result.Decision.Plan.Tables {
			if decided.Decay != nil && len(result.Steps) == 0 {
				t.Logf("night %2d: %s", night, decided.Decay.Reason)
			}
		}
		if rewritten > 2*appended {
			t.Errorf("night %d: %s rewritten for %s that came in", night, rewritten, appended)
		}
		if after > before || a == newKeys && after > slowest*first {
			t.Errorf("night %d: a look-up reads %.0f B, before upkeep %.0f B, on night one %.0f B", night, after, before, first)
		}
	}
	if a == scatteredKeys && rewritten == 0 {
		t.Error("upkeep never worked")
	}
}

// quiet holds a night to no drift, no new keys and the plan in force as it was.
func quiet(t *testing.T, result job.Result) {
	t.Helper()
	for _, s := range result.Decision.Scores {
		if s.Score == nil || *s.Score >= 0.10 {
			t.Errorf("night %s: drift from %s is %v", result.Night, s.Reference, s.Score)
		}
	}
	for _, s := range result.Steps {
		if s.Kind != plan.Upkeep || s.Status != job.StepApplied {
			t.Errorf("night %s: step %+v", result.Night, s)
		}
	}
}
