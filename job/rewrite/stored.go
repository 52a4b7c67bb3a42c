package rewrite

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
)

// StoredColumns are the top-level columns of a Parquet file that is part of no table, in the types
// that a table of Spark's would have for them. A column of another type has the kind delta.Other.
func StoredColumns(ctx context.Context, from Opener, path string) (columns delta.Schema, err error) {
	r, err := from.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	f := &dataFile{key: path, reader: r, memory: DefaultMemory}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	stored, err := f.parquet.Schema()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	for _, field := range stored.Fields() {
		columns = append(columns, delta.Field{Name: field.Name, Nullable: true, Type: storedType(field.Type)})
	}
	return columns, nil
}

// storedType is the type of a table for a type of a file. Times in nanoseconds, unsigned numbers
// and what else has no counterpart is other.
func storedType(t arrow.DataType) delta.Type {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return storedType(t.ValueType)
	case *arrow.Decimal128Type:
		return delta.Type{Kind: delta.Decimal, Precision: int(t.Precision), Scale: int(t.Scale), Text: fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)}
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth == delta.Int96Bytes { // see footer.go
			return named(delta.Timestamp)
		}
	case *arrow.TimestampType:
		switch {
		case t.Unit != arrow.Microsecond && t.Unit != arrow.Millisecond:
		case t.TimeZone == "":
			return named(delta.TimestampNTZ)
		default:
			return named(delta.Timestamp)
		}
	case *arrow.StructType:
		whole := delta.Type{Kind: delta.Struct, Text: string(delta.Struct)}
		for _, f := range t.Fields() {
			whole.Fields = append(whole.Fields, delta.Field{Name: f.Name, Nullable: true, Type: storedType(f.Type)})
		}
		return whole
	case *arrow.MapType:
		key, value := storedType(t.KeyType()), storedType(t.ItemType())
		return delta.Type{Kind: delta.Map, Text: string(delta.Map), Key: &key, Element: &value}
	case *arrow.ListType:
		element := storedType(t.Elem())
		return delta.Type{Kind: delta.Array, Text: string(delta.Array), Element: &element}
	}
	if kind, ok := storedKinds[t.ID()]; ok {
		return named(kind)
	}
	return delta.Type{Kind: delta.Other, Text: t.String()}
}

func named(k delta.Kind) delta.Type { return delta.Type{Kind: k, Text: string(k)} }

var storedKinds = map[arrow.Type]delta.Kind{
	arrow.INT8: delta.Byte, arrow.INT16: delta.Short, arrow.INT32: delta.Integer, arrow.INT64: delta.Long,
	arrow.FLOAT32: delta.Float, arrow.FLOAT64: delta.Double, arrow.STRING: delta.String, arrow.BINARY: delta.Binary,
	arrow.BOOL: delta.Boolean, arrow.DATE32: delta.Date,
}
