package delta

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

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
