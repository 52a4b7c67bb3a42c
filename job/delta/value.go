package delta

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"ajlo/job/predicate"
)

// ValueOf is row i of an arrow column of a table's type as a typed value. Decimals of more
// than 18 digits, binaries and nested types have no Value: their ok is false. NULL is ok.
// Timestamps of any unit become microseconds, cut towards the past. It is an error when the
// array cannot hold the type.
func ValueOf(column arrow.Array, i int, t Type) (v predicate.Value, ok bool, err error) {
	if column.IsNull(i) {
		return predicate.Value{}, true, nil
	}
	switch a := column.(type) {
	case *array.Int8:
		return integer(int64(a.Value(i)), t)
	case *array.Int16:
		return integer(int64(a.Value(i)), t)
	case *array.Int32:
		return integer(int64(a.Value(i)), t)
	case *array.Int64:
		return integer(a.Value(i), t)
	case *array.Float32:
		return expect(predicate.FloatValue(float64(a.Value(i))), t, Float)
	case *array.Float64:
		return expect(predicate.FloatValue(a.Value(i)), t, Double)
	case *array.Boolean:
		return expect(predicate.BoolValue(a.Value(i)), t, Boolean)
	case *array.String:
		return expect(predicate.StringValue(a.Value(i)), t, String)
	case *array.LargeString:
		return expect(predicate.StringValue(a.Value(i)), t, String)
	case *array.Date32:
		return expect(predicate.DateValue(int64(a.Value(i))), t, Date)
	case *array.Timestamp:
		return timeValue(microsOf(a, i), t)
	case *array.Decimal128:
		return decimalValue(a, i, t)
	}
	if t.Kind == Binary || t.nested() {
		return predicate.Value{}, false, nil
	}
	return mismatch(column.DataType().String(), t)
}

// nested reports whether values of the type have parts.
func (t Type) nested() bool { return t.Kind == Struct || t.Kind == Array || t.Kind == Map }

func integer(i int64, t Type) (predicate.Value, bool, error) {
	switch t.Kind {
	case Byte, Short, Integer, Long:
		return predicate.IntValue(i), true, nil
	}
	return mismatch("integer", t)
}

func expect(v predicate.Value, t Type, want Kind) (predicate.Value, bool, error) {
	if t.Kind != want {
		return mismatch(string(want), t)
	}
	return v, true, nil
}

func timeValue(micros int64, t Type) (predicate.Value, bool, error) {
	switch t.Kind {
	case Timestamp:
		return predicate.TimestampValue(micros), true, nil
	case TimestampNTZ:
		return predicate.LocalTimeValue(micros), true, nil
	}
	return mismatch("timestamp", t)
}

func decimalValue(a *array.Decimal128, i int, t Type) (predicate.Value, bool, error) {
	if stored := a.DataType().(*arrow.Decimal128Type); t.Kind != Decimal || int(stored.Scale) != t.Scale {
		return mismatch(stored.String(), t)
	}
	if t.Precision > wideDigits {
		return predicate.Value{}, false, nil
	}
	n := a.Value(i)
	if !n.FitsInPrecision(wideDigits) {
		return predicate.Value{}, false, fmt.Errorf("%s is too long for a column of type %s", n.ToString(int32(t.Scale)), t.Text)
	}
	return predicate.DecimalValue(int64(n.LowBits()), int8(t.Scale)), true, nil
}

func mismatch(found string, t Type) (predicate.Value, bool, error) {
	return predicate.Value{}, false, fmt.Errorf("%s values in a column of type %s", found, t.Text)
}

// microsOf is a timestamp in microseconds, cut towards the past where it has more.
func microsOf(a *array.Timestamp, i int) int64 {
	v := int64(a.Value(i))
	switch a.DataType().(*arrow.TimestampType).Unit {
	case arrow.Second:
		return v * 1_000_000
	case arrow.Millisecond:
		return v * 1_000
	case arrow.Nanosecond:
		return predicate.FloorDivide(v, 1_000)
	}
	return v
}

// AppendValue is ValueOf the other way: it adds a value to an arrow column of its type. It is an error
// where the value is none of the type.
func AppendValue(b array.Builder, v predicate.Value) error {
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
