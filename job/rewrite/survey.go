package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/delta"
	"ajlo/job/unit"
)

// Survey is what the footers of a table's files say before any row is read.
type Survey struct {
	Rows int64 // deleted ones left out
	// Arrow is the estimated size of the table in memory, and of what is spilled if it does
	// not fit.
	Arrow     unit.Bytes
	positions uint64                  // rows of all files, deleted ones included
	parts     []part                  // of all files, in the order of the table
	codec     format.CompressionCodec // of most bytes
	spark     string                  // newest Spark version among the writers, "" for none
	wide      wideness
}

// headRows is how many rows of the largest file are decoded to learn how wide a row is in
// memory: enough that one long string does not decide, few enough to cost milliseconds.
const headRows = 8 << 10

// Look reads all footers. It refuses, as Rewrite would, what cannot be rewritten within the
// memory limit (DefaultMemory where 0).
func Look(ctx context.Context, t Task, memory unit.Bytes) (Survey, error) {
	t.memory = cmp.Or(memory, DefaultMemory)
	if err := checkLayout(t); err != nil {
		return Survey{}, err
	}
	s := Survey{}
	codecs := map[format.CompressionCodec]int64{}
	for _, f := range t.Files {
		if err := s.lookAt(ctx, t, f, codecs); err != nil {
			return Survey{}, refused(ctx, t, err)
		}
	}
	s.codec = mostUsed(codecs)
	width, err := rowWidth(ctx, t)
	if err != nil {
		return Survey{}, refused(ctx, t, err)
	}
	s.Arrow = unit.Bytes(width * float64(s.Rows))
	return s, nil
}

// Spilled is the bytes that a rewrite is expected to put on the disk for a while, 0 where all
// rows are likely to fit the limit (DefaultMemory where 0).
func (s Survey) Spilled(memory unit.Bytes) unit.Bytes {
	if memory <= 0 {
		memory = DefaultMemory
	}
	if s.Arrow < heap(memory)/waitingShare {
		return 0
	}
	return s.Arrow + unit.Bytes(s.Rows)*rowOverhead
}

// rowOverhead is the bytes that each spilled row takes beside its values: place and ordinal.
const rowOverhead = 16

// refused makes what is wrong with a file a refusal, and a cancelled context no more than that.
func refused(ctx context.Context, t Task, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &Refusal{t.Table, err.Error()}
}

func checkLayout(t Task) error {
	schema, err := ArrowSchema(t.columns())
	if err != nil {
		return &Refusal{t.Table, err.Error()}
	}
	keys := t.Layout.Columns()
	none := make([]arrow.Array, len(keys)) // of the keys' types, which is what cuts are held against
	for k, key := range keys {
		column, err := checkKey(t.columns(), string(key))
		if err != nil {
			return &Refusal{t.Table, err.Error()}
		}
		none[k] = array.MakeFromData(nothing(schema.Field(column).Type, 0))
	}
	if _, err := findLeaves(t.Layout.Tree, keys, none); err != nil {
		return &Refusal{t.Table, err.Error()}
	}
	return nil
}

func (s *Survey) lookAt(ctx context.Context, t Task, f File, codecs map[format.CompressionCodec]int64) (err error) {
	open, err := openListed(ctx, t, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	f.first = s.positions
	s.positions += uint64(open.Rows())
	s.Rows += open.Left()
	s.parts = append(s.parts, partsOf(f, open.footer.RowGroups)...)
	s.spark = max(s.spark, sparkOf(open.footer).version)
	if err := open.checkWidth(&s.wide); err != nil {
		return err
	}
	for _, g := range open.footer.RowGroups {
		for _, c := range g.Columns {
			codecs[c.MetaData.Codec] += c.MetaData.TotalCompressedSize
		}
	}
	return nil
}

// openListed opens a file and holds it against what is said of it.
func openListed(ctx context.Context, t Task, f File) (*dataFile, error) {
	open, err := openDataFile(ctx, t, f, t.columns())
	if err != nil {
		return nil, err
	}
	open.tracks = t.RowTracking.Enabled
	if reason := unlike(open, f); reason != "" {
		return nil, errors.Join(fmt.Errorf("read %s: %s", f.Path, reason), open.Close())
	}
	return open, nil
}

func unlike(open *dataFile, f File) string {
	switch {
	case open.reader.Size() != int64(f.Bytes):
		return fmt.Sprintf("%d bytes, it should have %d", open.reader.Size(), f.Bytes)
	case f.Rows >= 0 && open.Rows() != f.Rows:
		return fmt.Sprintf("%d rows, it should have %d", open.Rows(), f.Rows)
	case sparkOf(open.footer).legacy && hasCalendar(open.schema):
		return "its dates and timestamps are in the calendar of Spark 2 (or of spark.sql.parquet.*RebaseModeInWrite=LEGACY); rewrite the table with Spark once"
	}
	return ""
}

// hasCalendar reports whether the two calendars matter: a date or timestamp at any depth.
func hasCalendar(fields []delta.Field) bool {
	for _, f := range fields {
		if typeHasCalendar(f.Type) {
			return true
		}
	}
	return false
}

func typeHasCalendar(t delta.Type) bool {
	switch t.Kind {
	case delta.Date, delta.Timestamp, delta.TimestampNTZ:
		return true
	case delta.Struct:
		return hasCalendar(t.Fields)
	case delta.Array:
		return typeHasCalendar(*t.Element)
	case delta.Map:
		return typeHasCalendar(*t.Key) || typeHasCalendar(*t.Element)
	}
	return false
}

// mostUsed is the codec of most bytes; snappy, Spark's default, where there are none.
func mostUsed(codecs map[format.CompressionCodec]int64) format.CompressionCodec {
	best := format.Snappy
	for codec, bytes := range codecs {
		if bytes > codecs[best] || bytes == codecs[best] && codec < best {
			best = codec
		}
	}
	return best
}

// rowWidth is the mean bytes of Arrow per row at the head of the largest file.
func rowWidth(ctx context.Context, t Task) (width float64, err error) {
	var largest File
	for _, f := range t.Files {
		if f.Bytes > largest.Bytes {
			largest = f
		}
	}
	if largest.Path == "" {
		return 0, nil
	}
	open, err := openListed(ctx, t, largest)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	rows, bytes, err := open.head(ctx, headRows)
	if err != nil || rows == 0 {
		return 0, err
	}
	return float64(bytes) / float64(rows), nil
}
