package delta

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// typedStats reads the statistics that a checkpoint has in typed columns (stats_parsed), and
// spells them as a commit would. Columns are opened when the first file wants them.
type typedStats struct {
	root *typedNode // nil where the checkpoint has none
}

// typedNode is one field of those columns: a struct of others, or a column of values.
type typedNode struct {
	name   []byte // as JSON, with its colon
	fields []*typedNode
	column *parquet.Column
	spell  func(parquet.Value) []byte

	pages  parquet.Pages
	values []parquet.Value // of the rows from first on
	first  int64
}

// typedStatsOf finds the columns in a checkpoint; those of kinds that are no statistics are left
// out.
func typedStatsOf(file *parquet.File) typedStats {
	add := file.Root().Column("add")
	if add == nil {
		return typedStats{}
	}
	parsed := add.Column("stats_parsed")
	if parsed == nil || parsed.Leaf() {
		return typedStats{}
	}
	return typedStats{nodeOf(parsed)}
}

func nodeOf(c *parquet.Column) *typedNode {
	n := &typedNode{name: append(jsonText(c.Name()), ':')}
	if c.Repeated() {
		return nil
	}
	if c.Leaf() {
		n.column, n.spell = c, spelling(c)
		if n.spell == nil {
			return nil
		}
		return n
	}
	for _, field := range c.Columns() {
		if f := nodeOf(field); f != nil {
			n.fields = append(n.fields, f)
		}
	}
	return n
}

// of gives the statistics of the file in a row of the checkpoint; "" where there are none. Rows
// are asked for in order.
func (s typedStats) of(row int64) (string, error) {
	if s.root == nil {
		return "", nil
	}
	text, err := s.root.text(row)
	return string(text), err
}

// text is nil where nothing is known.
func (n *typedNode) text(row int64) ([]byte, error) {
	if n.column != nil {
		v, err := n.value(row)
		if err != nil || v.IsNull() {
			return nil, err
		}
		return n.spell(v), nil
	}
	var text []byte
	for _, f := range n.fields {
		value, err := f.text(row)
		if err != nil {
			return nil, err
		}
		if value != nil {
			text = append(append(append(text, ','), f.name...), value...)
		}
	}
	if text == nil {
		return nil, nil
	}
	text[0] = '{'
	return append(text, '}'), nil
}

// value reads on to the row. A column that repeats nothing has one value a row.
func (n *typedNode) value(row int64) (parquet.Value, error) {
	if n.pages == nil {
		n.pages = n.column.Pages()
	}
	for row >= n.first+int64(len(n.values)) {
		n.first += int64(len(n.values))
		page, err := n.pages.ReadPage()
		if err != nil {
			return parquet.Value{}, fmt.Errorf("typed statistics, column %q: %w", n.column.Path(), unended(err))
		}
		n.values = slices.Grow(n.values[:0], int(page.NumValues()))[:page.NumValues()]
		read, err := page.Values().ReadValues(n.values)
		if err != nil && !errors.Is(err, io.EOF) {
			return parquet.Value{}, fmt.Errorf("typed statistics, column %q: %w", n.column.Path(), err)
		}
		n.values = n.values[:read]
		for i, v := range n.values {
			n.values[i] = v.Clone() // the page's memory is used again
		}
		parquet.Release(page)
	}
	return n.values[row-n.first], nil
}

// unended makes of the end of a column, where a row was to come, an error that ends no loop.
func unended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close ends reading.
func (s typedStats) Close() error {
	if s.root == nil {
		return nil
	}
	return s.root.close()
}

func (n *typedNode) close() (err error) {
	for _, f := range n.fields {
		err = errors.Join(err, f.close())
	}
	if n.pages != nil {
		err = errors.Join(err, n.pages.Close())
	}
	return err
}

func jsonText(s string) []byte {
	text, _ := json.Marshal(s) // texts always can be
	return text
}

func quoted(text string) []byte { return []byte(`"` + text + `"`) }

// spelling is how values of a column are written in a commit; nil for columns that have none there.
func spelling(c *parquet.Column) func(parquet.Value) []byte {
	logical := logicalOf(c.Type())
	switch kind := c.Type().Kind(); {
	case kind == parquet.Boolean:
		return func(v parquet.Value) []byte { return strconv.AppendBool(nil, v.Boolean()) }
	case kind == parquet.Float:
		return func(v parquet.Value) []byte { return floatText(float64(v.Float()), 32) }
	case kind == parquet.Double:
		return func(v parquet.Value) []byte { return floatText(v.Double(), 64) }
	case kind == parquet.Int96:
		return spellInt96
	case kind == parquet.Int32 || kind == parquet.Int64:
		return spellInteger(logical)
	}
	switch l := logical.(type) {
	case *format.StringType:
		return func(v parquet.Value) []byte { return jsonText(string(v.ByteArray())) }
	case *format.DecimalType:
		return func(v parquet.Value) []byte { return decimalText(bigEndian(v.ByteArray()), int(l.Scale)) }
	}
	return nil
}

func logicalOf(t parquet.Type) format.LogicalTypeValue {
	if l := t.LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

// spellInteger spells whole numbers by what they stand for.
func spellInteger(logical format.LogicalTypeValue) func(parquet.Value) []byte {
	switch l := logical.(type) {
	case *format.DateType:
		return func(v parquet.Value) []byte { return quoted(dateOf(v.Int64())) }
	case *format.DecimalType:
		return func(v parquet.Value) []byte { return decimalText(big.NewInt(v.Int64()), int(l.Scale)) }
	case *format.TimestampType:
		zone := ""
		if l.IsAdjustedToUTC {
			zone = "Z"
		}
		unit := unitOf(l.Unit)
		return func(v parquet.Value) []byte {
			micros, err := unit.micros(v.Int64())
			if err != nil {
				return nil
			}
			return quoted(timeOf(micros) + zone)
		}
	}
	return func(v parquet.Value) []byte { return strconv.AppendInt(nil, v.Int64(), 10) }
}

func unitOf(u format.TimeUnit) Unit {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return Millis
	case *format.MicroSeconds:
		return Micros
	case *format.NanoSeconds:
		return Nanos
	}
	return Plain
}

// spellInt96 spells Spark's oldest form of a timestamp; nil for what is no time.
func spellInt96(v parquet.Value) []byte {
	var b [Int96Bytes]byte
	for at, word := range v.Int96() {
		b[4*at], b[4*at+1], b[4*at+2], b[4*at+3] = byte(word), byte(word>>8), byte(word>>16), byte(word>>24)
	}
	micros, err := Int96Micros(b[:])
	if err != nil {
		return nil
	}
	return quoted(timeOf(micros) + "Z")
}
