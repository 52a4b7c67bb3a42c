package delta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Collector gathers the statistics of one data file while its rows are written, in the form
// Spark writes: the number of rows, and for each indexed column the least and the greatest
// value and the number of NULLs, those of struct columns leaf by leaf. Booleans, binaries,
// arrays and maps have NULLs counted only. Columns go by their physical names.
type Collector struct {
	rows    int64
	columns []*collected
}

// collected is one indexed column or one field of a struct.
type collected struct {
	name   string
	fields []*collected // of a struct; it counts no NULLs of its own
	nulls  int64
	bounds valueRange // nil for types without bounds
}

// NewCollector is a collector for one file of the table. It fails where the table's settings
// for statistics cannot be read.
func NewCollector(m Metadata) (*Collector, error) {
	fields, err := indexedColumns(m)
	if err != nil {
		return nil, fmt.Errorf("file statistics: %w", err)
	}
	prefix, err := stringPrefix(m.Configuration)
	if err != nil {
		return nil, fmt.Errorf("file statistics: %w", err)
	}
	return &Collector{columns: collectedOf(fields, prefix)}, nil
}

func collectedOf(fields []Field, prefix int) []*collected {
	columns := make([]*collected, len(fields))
	for i, f := range fields {
		columns[i] = &collected{name: f.Physical()}
		if f.Type.Kind == Struct {
			columns[i].fields = collectedOf(f.Type.Fields, prefix)
		} else {
			columns[i].bounds = newRange(f.Type, prefix)
		}
	}
	return columns
}

// Observe takes in one batch of the file. Columns are matched by name; a column of the table
// that the batch lacks counts as NULL throughout, as readers see it.
func (c *Collector) Observe(batch arrow.RecordBatch) error {
	c.rows += batch.NumRows()
	for _, column := range c.columns {
		at := batch.Schema().FieldIndices(column.name)
		if len(at) == 0 {
			column.missing(batch.NumRows())
			continue
		}
		if err := column.observe(batch.Column(at[0])); err != nil {
			return fmt.Errorf("file statistics of column %s: %w", column.name, err)
		}
	}
	return nil
}

// missing counts rows in which there is no such column.
func (c *collected) missing(rows int64) {
	c.nulls += rows
	for _, f := range c.fields {
		f.missing(rows)
	}
}

func (c *collected) observe(a arrow.Array) error {
	if c.fields != nil {
		return c.observeFields(a)
	}
	c.nulls += int64(a.NullN())
	if c.bounds == nil {
		return nil
	}
	return c.bounds.observe(a)
}

// observeFields takes a field of a NULL struct for NULL.
func (c *collected) observeFields(a arrow.Array) error {
	parent, ok := a.(*array.Struct)
	if !ok {
		return fmt.Errorf("%s values in a column of type struct", a.DataType())
	}
	of := parent.DataType().(*arrow.StructType)
	for _, f := range c.fields {
		at, ok := of.FieldIdx(f.name)
		if !ok {
			f.missing(int64(parent.Len()))
			continue
		}
		if err := f.observe(within(parent, parent.Field(at))); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return nil
}

// within is a field of a struct that is NULL wherever the struct is.
func within(parent *array.Struct, field arrow.Array) arrow.Array {
	if parent.NullN() == 0 {
		return field
	}
	data := field.Data()
	valid, nulls := make([]byte, bitutil.BytesForBits(int64(data.Offset()+data.Len()))), 0
	for i := range field.Len() {
		if parent.IsValid(i) && field.IsValid(i) {
			bitutil.SetBit(valid, data.Offset()+i)
		} else {
			nulls++
		}
	}
	buffers := slices.Clone(data.Buffers())
	buffers[0] = memory.NewBufferBytes(valid)
	return array.MakeFromData(array.NewData(data.DataType(), data.Len(), buffers, data.Children(), nulls, data.Offset()))
}

// Rows is the number of rows observed.
func (c *Collector) Rows() int64 { return c.rows }

// JSON is the text for Add.Stats. As in Spark, a column without values has no bounds, and a
// group is there when any indexed column could be in it.
func (c *Collector) JSON() (string, error) {
	var least, greatest, nulls members
	for _, column := range c.columns {
		column.describe(&least, &greatest, &nulls)
	}
	var all members
	all.add("numRecords", fmt.Appendf(nil, "%d", c.rows))
	all.addGroup("minValues", least)
	all.addGroup("maxValues", greatest)
	all.addGroup("nullCount", nulls)
	return string(all.object()), all.err
}

func (c *collected) describe(least, greatest, nulls *members) {
	if c.fields != nil {
		var l, g, n members
		for _, f := range c.fields {
			f.describe(&l, &g, &n)
		}
		least.addGroup(c.name, l)
		greatest.addGroup(c.name, g)
		nulls.addGroup(c.name, n)
		return
	}
	nulls.add(c.name, fmt.Appendf(nil, "%d", c.nulls))
	if c.bounds != nil {
		least.add(c.name, c.bounds.least())
		greatest.add(c.name, c.bounds.greatest())
	}
}

// members is the inside of a JSON object, in the order in which it was added.
type members struct {
	text bytes.Buffer
	seen bool // a member was offered, even if it had no value
	err  error
}

// add appends one member; a nil value is left out.
func (m *members) add(name string, value []byte) {
	m.seen = true
	if value == nil || m.err != nil {
		return
	}
	if m.text.Len() > 0 {
		m.text.WriteByte(',')
	}
	key, err := quote(name)
	m.err = err
	m.text.Write(key)
	m.text.WriteByte(':')
	m.text.Write(value)
}

func (m *members) addGroup(name string, group members) {
	if m.err == nil {
		m.err = group.err
	}
	if group.seen {
		m.add(name, group.object())
	}
}

func (m *members) object() []byte {
	return append(append([]byte{'{'}, m.text.Bytes()...), '}')
}

// quote is a JSON string without the escapes that are meant for HTML.
func quote(text string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
