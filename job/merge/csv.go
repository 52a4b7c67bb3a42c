package merge

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"ajlo/job/delta"
	"ajlo/job/unit"
)

// csvRows are taken in at a time.
const csvRows = 8 << 10

// readCSV reads a file after RFC 4180 in UTF-8, whose first record names the columns. Values are
// spelt as Delta's log spells them: 2026-11-30, 2026-11-30T08:00:00Z, 1.50, true. A field without
// anything in it is NULL; "" is an empty text.
func (s *source) readCSV(ctx context.Context, r Request, t *target, at place) error {
	text, err := csvText(ctx, at, s.limit)
	if err != nil {
		return r.unreadable(ctx, err)
	}
	s.held += unit.Bytes(len(text))
	f := &csvFile{text: text, reader: csv.NewReader(bytes.NewReader(text))}
	f.reader.ReuseRecord = true
	header, err := f.reader.Read()
	if err != nil {
		return r.refuse("the source %s has no first record that names its columns: %v", r.Source, err)
	}
	if f.columns, err = s.csvColumns(r, t, header); err != nil {
		return err
	}
	if len(header) == 1 && emptyLine.Match(text) {
		return r.refuse("the source %s has an empty line, which may be a NULL or nothing: add a second column or take the line out", r.Source)
	}
	for {
		columns, rows, err := f.rows(ctx)
		if err != nil {
			return r.unreadable(ctx, err)
		}
		if rows == 0 {
			if s.shelf == nil { // which counts it no more
				s.held -= unit.Bytes(len(text))
			}
			return nil
		}
		if err := s.add(r, columns, rows); err != nil {
			return err
		}
	}
}

// byteOrderMark is what some programs put before UTF-8.
const byteOrderMark = "\ufeff"

func csvText(ctx context.Context, at place, limit unit.Bytes) (_ []byte, err error) {
	f, err := at.store.Open(ctx, at.key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if f.Size() > int64(limit) {
		return nil, fmt.Errorf("%s has %s, more than a third of the memory limit: set --memory higher or make it Parquet", at.key, unit.Bytes(f.Size()))
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err == nil && !utf8.Valid(text) {
		err = fmt.Errorf("%s is not in UTF-8", at.key)
	}
	return bytes.TrimPrefix(text, []byte(byteOrderMark)), err
}

// emptyLine is what the reader of CSV passes over.
var emptyLine = regexp.MustCompile(`\n\r?\n`)

// csvFile is a file that is being read.
type csvFile struct {
	text    []byte
	lines   []int // where each line begins, as far as it was looked for
	reader  *csv.Reader
	columns []csvColumn
}

// csvColumn is a column, its slot and where it stands in records.
type csvColumn struct {
	column, at int
	field      delta.Field
	builder    array.Builder
}

// csvColumns finds the columns that are wanted. Those for no column of the table are texts, unless
// the table has one of that name.
func (s *source) csvColumns(r Request, t *target, header []string) ([]csvColumn, error) {
	theirs := make(delta.Schema, len(header))
	for i, name := range header {
		theirs[i].Name = name
	}
	var columns []csvColumn
	for _, w := range t.want {
		at, err := columnNamed(theirs, w.name)
		if err != nil {
			return nil, r.refuse("the source: %v", err)
		}
		field := delta.Field{Name: w.name, Type: delta.Type{Kind: delta.String, Text: "string"}}
		if w.slot < len(t.schema) {
			field = t.schema[w.slot]
		} else if c, err := columnNamed(t.schema, w.name); err == nil {
			field.Type = t.schema[c].Type
		}
		switch field.Type.Kind {
		case delta.Struct, delta.Array, delta.Map, delta.Binary:
			return nil, r.refuse("column %s of type %s cannot be given by CSV: use Parquet", field.Name, field.Type.Text)
		}
		builder, err := builderFor(field.Type)
		if err != nil {
			return nil, r.refuse("%v", err)
		}
		s.types[w.slot] = field.Type
		columns = append(columns, csvColumn{w.slot, at, field, builder})
	}
	return columns, nil
}

// rows reads some records, none at the end of the file.
func (f *csvFile) rows(ctx context.Context) (columns map[int]arrow.Array, rows int, err error) {
	for rows < csvRows {
		record, err := f.reader.Read()
		if err == io.EOF {
			break
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, 0, err
		}
		for _, c := range f.columns {
			if err := f.value(c, record[c.at]); err != nil {
				line, _ := f.reader.FieldPos(c.at)
				return nil, 0, fmt.Errorf("line %d, column %s: %w", line, c.field.Name, err)
			}
		}
		rows++
	}
	columns = map[int]arrow.Array{}
	for _, c := range f.columns {
		columns[c.column] = c.builder.NewArray()
	}
	return columns, rows, nil
}

func (f *csvFile) value(c csvColumn, text string) error {
	if text == "" && (c.field.Type.Kind != delta.String || !f.quoted(c.at)) {
		c.builder.AppendNull()
		return nil
	}
	if c.field.Type.Kind == delta.Decimal && !c.field.Type.HasValues() {
		n, err := decimal128.FromString(text, int32(c.field.Type.Precision), int32(c.field.Type.Scale))
		if err != nil || n.ToString(int32(c.field.Type.Scale)) != text {
			return fmt.Errorf("no %s with all its digits", c.field.Type.Text)
		}
		c.builder.(*array.Decimal128Builder).Append(n)
		return nil
	}
	v, err := delta.ParseValue(text, c.field.Type)
	if err != nil {
		return noValue(c.field.Type, err)
	}
	return delta.AppendValue(c.builder, v)
}

// noValue says that a text is no value of a type, and not what the text is: messages go where rows do not.
func noValue(t delta.Type, err error) error {
	var number *strconv.NumError
	if errors.As(err, &number) {
		return fmt.Errorf("no %s: %w", t.Text, number.Err)
	}
	return fmt.Errorf("no %s as Delta's log spells it, such as 2026-11-30 or 2026-11-30T08:00:00Z", t.Text)
}

// quoted reports whether a field of the record that was read last starts with a quote.
func (f *csvFile) quoted(field int) bool {
	line, column := f.reader.FieldPos(field)
	for len(f.lines) < line {
		if len(f.lines) == 0 {
			f.lines = append(f.lines, 0)
			continue
		}
		from := f.lines[len(f.lines)-1]
		f.lines = append(f.lines, from+bytes.IndexByte(f.text[from:], '\n')+1)
	}
	at := f.lines[line-1] + column - 1
	return at < len(f.text) && f.text[at] == '"'
}
