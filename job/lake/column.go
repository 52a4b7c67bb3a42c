package lake

import (
	"fmt"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"ajlo/job/delta"
	"ajlo/job/predicate"
)

// readColumn reads the given rows, in rising order, of one column of a file.
func readColumn(r *file.Reader, c sampledColumn, rows []int64) ([]predicate.Value, error) {
	leaf := findLeaf(r.MetaData().Schema, c)
	if leaf < 0 {
		return make([]predicate.Value, len(rows)), nil
	}
	values := make([]predicate.Value, 0, len(rows))
	var first int64
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		inside := take(&rows, first+group.NumRows())
		if len(inside) > 0 {
			chunk, err := group.Column(leaf)
			if err != nil {
				return nil, err
			}
			batch, err := batchOf(group, leaf)
			if err != nil {
				return nil, err
			}
			if values, err = readChunk(chunk, c.kind, inside, first, batch, values); err != nil {
				return nil, err
			}
		}
		first += group.NumRows()
	}
	return values, nil
}

// findLeaf is the index of a top-level column among the file's leaves, −1 if it has none: by the
// column's id where it has one. Names are compared whole: a column "a.b" is not field b of
// struct a.
func findLeaf(s *schema.Schema, c sampledColumn) int {
	if c.ID != 0 {
		return numberedLeaf(s, c.ID)
	}
	name := c.Physical
	if name == "" {
		name = string(c.Name)
	}
	for i := range s.NumColumns() {
		if path := s.Column(i).ColumnPath(); len(path) == 1 && path[0] == name {
			return i
		}
	}
	return -1
}

func numberedLeaf(s *schema.Schema, id int32) int {
	for i := range s.NumColumns() {
		if leaf := s.Column(i); len(leaf.ColumnPath()) == 1 && leaf.SchemaNode().FieldID() == id {
			return i
		}
	}
	return -1
}

// take cuts the rows below limit off the front of rows.
func take(rows *[]int64, limit int64) []int64 {
	n := 0
	for n < len(*rows) && (*rows)[n] < limit {
		n++
	}
	taken := (*rows)[:n]
	*rows = (*rows)[n:]
	return taken
}

// batchOf is how many rows of a column chunk are decoded at a time: fewer where they are wide.
func batchOf(group *file.RowGroupReader, leaf int) (int64, error) {
	chunk, err := group.MetaData().ColumnChunk(leaf)
	if err != nil {
		return 0, err
	}
	width := chunk.TotalUncompressedSize() / max(1, group.NumRows())
	return max(1, min(batchRows, batchBytes/max(1, width))), nil
}

// readChunk adds the wanted rows of a column chunk, whose first row is given, to values.
func readChunk(chunk file.ColumnChunkReader, t delta.Type, rows []int64, first, batch int64, values []predicate.Value) ([]predicate.Value, error) {
	d := chunk.Descriptor()
	if d.MaxRepetitionLevel() > 0 {
		return nil, fmt.Errorf("it is repeated, want single values of type %s", t.Text)
	}
	p := picker{rows: rows, row: first, batch: batch, optional: d.MaxDefinitionLevel() > 0, values: values}
	err := p.read(chunk, t, d)
	if damage := chunk.Err(); damage != nil { // where there is no next page, reading tells no more than that
		err = damage
	}
	return p.values, err
}

// read goes by the physical type. Every type that Delta's types may be stored as is there.
func (p *picker) read(chunk file.ColumnChunkReader, t delta.Type, d *schema.Column) error {
	switch c := chunk.(type) {
	case *file.Int32ColumnChunkReader:
		return pick(p, c.ReadBatch, func(v int32) (predicate.Value, error) { return delta.StoredInteger(int64(v), t, delta.Plain) })
	case *file.Int64ColumnChunkReader:
		unit := timeUnit(d)
		return pick(p, c.ReadBatch, func(v int64) (predicate.Value, error) { return delta.StoredInteger(v, t, unit) })
	case *file.Int96ColumnChunkReader:
		return pick(p, c.ReadBatch, func(v parquet.Int96) (predicate.Value, error) {
			micros, err := delta.Int96Micros(v[:])
			if err != nil {
				return predicate.Value{}, err
			}
			return delta.StoredInteger(micros, t, delta.Micros)
		})
	case *file.Float32ColumnChunkReader:
		return pick(p, c.ReadBatch, func(v float32) (predicate.Value, error) { return delta.StoredFloat(float64(v), t) })
	case *file.Float64ColumnChunkReader:
		return pick(p, c.ReadBatch, func(v float64) (predicate.Value, error) { return delta.StoredFloat(v, t) })
	case *file.BooleanColumnChunkReader:
		return pick(p, c.ReadBatch, func(v bool) (predicate.Value, error) { return storedTruth(v, t) })
	case *file.ByteArrayColumnChunkReader:
		return pick(p, c.ReadBatch, func(v parquet.ByteArray) (predicate.Value, error) {
			if t.Kind == delta.String {
				v = v[:min(len(v), longestText)]
			}
			return delta.StoredBytes(v, t)
		})
	case *file.FixedLenByteArrayColumnChunkReader:
		return pick(p, c.ReadBatch, func(v parquet.FixedLenByteArray) (predicate.Value, error) { return delta.StoredBytes(v, t) })
	}
	return fmt.Errorf("stored as %s, which no type that can be sampled is", d.PhysicalType())
}

// How much is decoded at a time, in rows and in bytes of rows as wide as most.
const (
	batchRows  = 8_192
	batchBytes = 8 << 20
)

// longestText is the bytes that are sampled of a text: far more than bounds keep of it, or logs
// of a constant.
const longestText = 1 << 10

// picker walks a column chunk and keeps the values of some rows.
type picker struct {
	rows     []int64 // still wanted, rising
	row      int64   // the next row to be read
	batch    int64   // rows that are decoded at a time
	optional bool
	values   []predicate.Value
}

// pick reads batches until no row is wanted any more. Values come without gaps; the
// definition level of a row says whether it has one.
func pick[T any](p *picker, read func(int64, []T, []int16, []int16) (int64, int, error), convert func(T) (predicate.Value, error)) error {
	batch, levels := make([]T, p.batch), make([]int16, p.batch)
	for len(p.rows) > 0 {
		n, present, err := read(p.batch, batch, levels, nil)
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("it ends at row %d", p.row)
		}
		if !p.optional {
			n = int64(present)
		}
		if err := pickBatch(p, batch[:present], levels, n, convert); err != nil {
			return err
		}
	}
	return nil
}

func pickBatch[T any](p *picker, batch []T, levels []int16, n int64, convert func(T) (predicate.Value, error)) error {
	next := 0
	for i := range n {
		valid := !p.optional || levels[i] > 0
		if len(p.rows) > 0 && p.rows[0] == p.row {
			p.rows = p.rows[1:]
			var v predicate.Value
			if valid {
				var err error
				if v, err = convert(batch[next]); err != nil {
					return err
				}
			}
			p.values = append(p.values, v)
		}
		if valid {
			next++
		}
		p.row++
	}
	return nil
}

// timeUnit is the unit of a 64-bit column that holds times.
func timeUnit(d *schema.Column) delta.Unit {
	logical, ok := d.LogicalType().(schema.TimestampLogicalType)
	if !ok {
		return delta.Plain
	}
	switch logical.TimeUnit() {
	case schema.TimeUnitMillis:
		return delta.Millis
	case schema.TimeUnitNanos:
		return delta.Nanos
	}
	return delta.Micros
}

// mulDiv is a·b/c for a·b beyond 64 bits; the result must fit.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

// storedTruth is a truth value of a data file.
func storedTruth(v bool, t delta.Type) (predicate.Value, error) {
	if t.Kind != delta.Boolean {
		return predicate.Value{}, fmt.Errorf("truth values are stored for a column of kind %v", t.Kind)
	}
	return predicate.BoolValue(v), nil
}
