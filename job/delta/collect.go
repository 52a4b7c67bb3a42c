package delta

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Collector gathers the statistics of one data file while its rows are written, in the form
// Spark writes: the number of rows, and for each indexed column the least and the greatest
// value and the number of NULLs. Booleans, binaries, arrays and maps have NULLs counted
// only. Struct columns have no statistics at all; Spark keeps them for their leaves, and
// reads a file without them as one that may hold anything.
type Collector struct {
	rows    int64
	columns []*collected
}

// collected is one indexed column.
type collected struct {
	name   string
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
	c := &Collector{}
	for _, f := range fields {
		c.columns = append(c.columns, &collected{name: f.Physical(), bounds: newRange(f.Type, prefix)})
	}
	return c, nil
}

// Observe takes in one batch of the file. Columns are matched by name; a column of the table
// that the batch lacks counts as NULL throughout, as readers see it.
func (c *Collector) Observe(batch arrow.RecordBatch) error {
	c.rows += batch.NumRows()
	for _, column := range c.columns {
		at := batch.Schema().FieldIndices(column.name)
		if len(at) == 0 {
			column.nulls += batch.NumRows()
			continue
		}
		if err := column.observe(batch.Column(at[0])); err != nil {
			return fmt.Errorf("file statistics of column %s: %w", column.name, err)
		}
	}
	return nil
}

func (c *collected) observe(a arrow.Array) error {
	c.nulls += int64(a.NullN())
	if c.bounds == nil {
		return nil
	}
	return c.bounds.observe(a)
}

// Rows is the number of rows observed.
func (c *Collector) Rows() int64 { return c.rows }

// JSON is the text for Add.Stats. As in Spark, a column without values has no bounds, and a
// group is there when any indexed column could be in it.
func (c *Collector) JSON() (string, error) {
	var least, greatest, nulls members
	for _, column := range c.columns {
		nulls.add(column.name, fmt.Appendf(nil, "%d", column.nulls))
		if column.bounds == nil {
			continue
		}
		least.add(column.name, column.bounds.least())
		greatest.add(column.name, column.bounds.greatest())
	}
	var all members
	all.add("numRecords", fmt.Appendf(nil, "%d", c.rows))
	all.addGroup("minValues", least)
	all.addGroup("maxValues", greatest)
	all.addGroup("nullCount", nulls)
	return string(all.object()), all.err
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
