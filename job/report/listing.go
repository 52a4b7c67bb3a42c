package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/parquet-go/parquet-go"
)

// Listing is rows of named columns, as the state's views give them. A value is nil, an int64,
// a float64 or a string.
type Listing struct {
	Columns []string
	Rows    [][]any
}

// Get is the value of a column in a row; nil where there is no such column.
func (l Listing) Get(row []any, column string) any {
	if at := slices.Index(l.Columns, column); at >= 0 {
		return row[at]
	}
	return nil
}

// text is the value as people and CSV have it; nothing for nil.
func (l Listing) text(row []any, column string) string { return valueText(l.Get(row, column)) }

// integer is the value as a whole number; 0 for nil.
func (l Listing) integer(row []any, column string) int64 {
	n, _ := l.Get(row, column).(int64)
	return n
}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// Write renders the rows as a table.
func (l Listing) Write(w io.Writer) error {
	var text bytes.Buffer
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	heading := make([]any, len(l.Columns))
	for i, name := range l.Columns {
		heading[i] = name
	}
	row(t, heading...)
	for _, values := range l.Rows {
		cells := make([]any, len(values))
		for i, v := range values {
			cells[i] = oneLine(valueText(v))
		}
		row(t, cells...)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// oneLine joins the lines of a statement.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// WriteCSV renders the rows with a heading, by RFC 4180; NULL is nothing, and what would steer
// a terminal is taken out.
func (l Listing) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(l.Columns); err != nil {
		return err
	}
	for _, row := range l.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = Printable(valueText(v))
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// MarshalJSON gives the rows as a list of objects, their keys in the order of the columns.
func (l Listing) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	out.WriteByte('[')
	for r, row := range l.Rows {
		if r > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('{')
		for i, v := range row {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := enc.Encode(l.Columns[i]); err != nil {
				return nil, err
			}
			out.WriteByte(':')
			if err := enc.Encode(v); err != nil {
				return nil, err
			}
		}
		out.WriteByte('}')
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// WriteParquet writes the rows as a Parquet file: columns of whole numbers, of numbers or of
// text by what is in them, all of them optional, in the order of their names.
func (l Listing) WriteParquet(w io.Writer) error {
	group := parquet.Group{}
	for i, name := range l.Columns {
		group[name] = parquet.Optional(l.node(i))
	}
	out := parquet.NewWriter(w, parquet.NewSchema("audit", group), parquet.Compression(&parquet.Zstd))
	order := slices.Sorted(slices.Values(l.Columns))
	for _, row := range l.Rows {
		values := make(parquet.Row, len(order))
		for at, name := range order {
			values[at] = parquetValue(l.Get(row, name), group[name].Type().Kind()).Level(0, present(l.Get(row, name)), at)
		}
		if _, err := out.WriteRows([]parquet.Row{values}); err != nil {
			return err
		}
	}
	return out.Close()
}

// node is the type of a column: text where any of its values is, else a number of either kind.
func (l Listing) node(column int) parquet.Node {
	fraction, seen := false, false
	for _, row := range l.Rows {
		switch row[column].(type) {
		case string:
			return parquet.String()
		case float64:
			fraction, seen = true, true
		case int64:
			seen = true
		}
	}
	switch {
	case fraction:
		return parquet.Leaf(parquet.DoubleType)
	case seen:
		return parquet.Int(64)
	}
	return parquet.String()
}

func parquetValue(v any, kind parquet.Kind) parquet.Value {
	switch n, whole := v.(int64); {
	case v == nil:
		return parquet.NullValue()
	case kind == parquet.ByteArray:
		return parquet.ValueOf(valueText(v))
	case kind == parquet.Double && whole:
		return parquet.ValueOf(float64(n))
	}
	return parquet.ValueOf(v)
}

func present(v any) int {
	if v == nil {
		return 0
	}
	return 1
}
