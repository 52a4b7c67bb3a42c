package iceberg

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/iceberg-go"

	"ajlo/job/predicate"
)

// bounds reads what the manifest keeps of each top-level column of the current schema.
func (r reader) bounds(d iceberg.DataFile) map[int]Bounds {
	lower, upper, nulls := d.LowerBoundValues(), d.UpperBoundValues(), d.NullValueCounts()
	bounds := map[int]Bounds{}
	for id, t := range r.fields {
		b := Bounds{Min: value(t, lower[id]), Max: value(t, upper[id]), Nulls: -1}
		if n, ok := nulls[id]; ok {
			b.Nulls = n
		}
		if b.Nulls >= 0 || !b.Min.IsNull() || !b.Max.IsNull() {
			bounds[id] = b
		}
	}
	return bounds
}

// value reads a bound in the single-value form of the specification; one that is missing,
// damaged or of a type without values gives NULL, which is not known. Columns that were
// widened keep the narrow form in old files: four bytes of a long are an int, of a double a
// float.
func value(t iceberg.Type, form []byte) predicate.Value {
	if len(form) == 4 {
		switch t.(type) {
		case iceberg.Int64Type:
			return predicate.IntValue(int64(int32(binary.LittleEndian.Uint32(form))))
		case iceberg.Float64Type:
			return predicate.FloatValue(float64(math.Float32frombits(binary.LittleEndian.Uint32(form))))
		}
	}
	literal, err := iceberg.LiteralFromBytes(t, form)
	if err != nil {
		return predicate.Value{}
	}
	return plain(t, literal)
}

func plain(t iceberg.Type, literal iceberg.Literal) predicate.Value {
	switch v := literal.(type) {
	case iceberg.BoolLiteral:
		return predicate.BoolValue(bool(v))
	case iceberg.Int32Literal:
		return predicate.IntValue(int64(v))
	case iceberg.Int64Literal:
		return predicate.IntValue(int64(v))
	case iceberg.Float32Literal:
		return predicate.FloatValue(float64(v))
	case iceberg.Float64Literal:
		return predicate.FloatValue(float64(v))
	case iceberg.StringLiteral:
		return predicate.StringValue(string(v))
	case iceberg.DateLiteral:
		return predicate.DateValue(int64(v))
	case iceberg.DecimalLiteral:
		return decimal(iceberg.Decimal(v))
	case iceberg.TimestampLiteral:
		if _, zoned := t.(iceberg.TimestampTzType); zoned {
			return predicate.TimestampValue(int64(v))
		}
		return predicate.LocalTimeValue(int64(v))
	}
	return predicate.Value{}
}

// decimal keeps what fits the 63 bits of ajlo's values.
func decimal(d iceberg.Decimal) predicate.Value {
	n := d.Val.BigInt()
	if !n.IsInt64() || d.Scale > math.MaxInt8 {
		return predicate.Value{}
	}
	return predicate.DecimalValue(n.Int64(), int8(d.Scale))
}

// spelling names a type as Delta does where both formats have it.
func spelling(t iceberg.Type) string {
	switch v := t.(type) {
	case iceberg.Int32Type:
		return "integer"
	case iceberg.TimestampTzType:
		return "timestamp"
	case iceberg.TimestampType:
		return "timestamp_ntz"
	case iceberg.DecimalType:
		return decimalSpelling(v)
	case *iceberg.StructType:
		return "struct"
	case *iceberg.ListType:
		return "array"
	case *iceberg.MapType:
		return "map"
	}
	return t.String()
}

func decimalSpelling(t iceberg.DecimalType) string {
	return fmt.Sprintf("decimal(%d,%d)", t.Precision(), t.Scale())
}
