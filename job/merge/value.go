package merge

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"ajlo/job/delta"
	"ajlo/job/predicate"
	"ajlo/job/rewrite"
)

// builderFor makes values of a column's type, in the form in which rows are held.
func builderFor(t delta.Type) (array.Builder, error) {
	schema, err := rewrite.ArrowSchema(delta.Schema{{Name: "value", Type: t}})
	if err != nil {
		return nil, err
	}
	return array.NewBuilder(memory.DefaultAllocator, schema.Field(0).Type), nil
}

// appendValue adds a value that fits the type.
func appendValue(b array.Builder, v predicate.Value) error {
	if v.IsNull() {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.Int8Builder:
		return appendWhole(v.I, math.MinInt8, math.MaxInt8, func() { b.Append(int8(v.I)) })
	case *array.Int16Builder:
		return appendWhole(v.I, math.MinInt16, math.MaxInt16, func() { b.Append(int16(v.I)) })
	case *array.Int32Builder:
		return appendWhole(v.I, math.MinInt32, math.MaxInt32, func() { b.Append(int32(v.I)) })
	case *array.Int64Builder:
		b.Append(v.I)
	case *array.Float32Builder:
		b.Append(float32(v.F))
	case *array.Float64Builder:
		b.Append(v.F)
	case *array.StringBuilder:
		b.Append(v.S)
	case *array.BooleanBuilder:
		b.Append(v.I != 0)
	case *array.Date32Builder:
		return appendWhole(v.I, math.MinInt32, math.MaxInt32, func() { b.Append(arrow.Date32(v.I)) })
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.I))
	case *array.Decimal128Builder:
		n, precision := decimal128.FromI64(v.I), b.Type().(*arrow.Decimal128Type).Precision
		if !n.FitsInPrecision(precision) {
			return fmt.Errorf("%s has more than %d digits", v.Text(), precision)
		}
		b.Append(n)
	default:
		return fmt.Errorf("no values of type %s", b.Type())
	}
	return nil
}

func appendWhole(v, least, most int64, add func()) error {
	if v < least || v > most {
		return fmt.Errorf("%d is out of range", v)
	}
	add()
	return nil
}

// partitionColumn is the value that the log has for all rows of a file, so many times.
func partitionColumn(f delta.Add, column delta.Field, rows int) (arrow.Array, error) {
	v, err := delta.PartitionValue(f, column)
	if err != nil {
		return nil, err
	}
	b, err := builderFor(column.Type)
	if err != nil {
		return nil, err
	}
	for range rows {
		if err := appendValue(b, v); err != nil {
			return nil, fmt.Errorf("partition column %s of %s: %w", column.Name, f.Path, err)
		}
	}
	return b.NewArray(), nil
}

// absent is a column of so many NULLs.
func absent(t arrow.DataType, rows int) arrow.Array {
	return array.MakeArrayOfNull(memory.DefaultAllocator, t, rows)
}
