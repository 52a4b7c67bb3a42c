package delta

import (
	"errors"
	"fmt"
	"math/big"

	"ajlo/job/predicate"
)

// Unit says what a stored whole number counts.
type Unit int

// The units. Plain is a number that counts nothing, or an unscaled decimal.
const (
	Plain Unit = iota
	Millis
	Micros
	Nanos
)

// micros turns a time of the unit into microseconds, cut towards the past.
func (u Unit) micros(v int64) (int64, error) {
	switch u {
	case Millis:
		return v * microsPerMilli, nil
	case Micros:
		return v, nil
	case Nanos:
		return predicate.FloorDivide(v, 1_000), nil
	}
	return 0, errors.New("whole numbers without a unit where times were expected")
}

// ParseType reads the type of a column as Type.Text spells it. Nested types have no parts
// here.
func ParseType(text string) (Type, error) {
	switch k := Kind(text); k {
	case Struct, Array, Map:
		return Type{Kind: k, Text: text}, nil
	}
	return primitive(text)
}

// HasValues reports whether values of the type can be compared in ajlo: not binary, nested or
// unknown types, and no decimals of more than 18 digits.
func (t Type) HasValues() bool {
	switch t.Kind {
	case Binary, Struct, Array, Map, Other:
		return false
	case Decimal:
		return t.Precision <= wideDigits
	}
	return true
}

// StoredInteger is a whole number of a data file as a value of the column's type.
func StoredInteger(v int64, t Type, u Unit) (predicate.Value, error) {
	switch t.Kind {
	case Byte, Short, Integer, Long:
		return predicate.IntValue(v), nil
	case Date:
		return predicate.DateValue(v), nil
	case Decimal:
		return predicate.DecimalValue(v, int8(t.Scale)), nil
	case Timestamp:
		micros, err := u.micros(v)
		return predicate.TimestampValue(micros), err
	case TimestampNTZ:
		micros, err := u.micros(v)
		return predicate.LocalTimeValue(micros), err
	}
	return predicate.Value{}, wrongStorage("whole numbers", t)
}

// StoredFloat is a floating-point number of a data file.
func StoredFloat(v float64, t Type) (predicate.Value, error) {
	if t.Kind != Float && t.Kind != Double {
		return predicate.Value{}, wrongStorage("floating-point numbers", t)
	}
	return predicate.FloatValue(v), nil
}

// StoredBytes is a text, or a decimal in big-endian two's complement. The bytes are copied.
func StoredBytes(v []byte, t Type) (predicate.Value, error) {
	switch t.Kind {
	case String:
		return predicate.StringValue(string(v)), nil
	case Decimal:
		return storedDecimal(v, t)
	}
	return predicate.Value{}, wrongStorage("bytes", t)
}

func storedDecimal(v []byte, t Type) (predicate.Value, error) {
	n := bigEndian(v)
	if !n.IsInt64() {
		return predicate.Value{}, wrongStorage("a longer number", t)
	}
	return predicate.DecimalValue(n.Int64(), int8(t.Scale)), nil
}

// bigEndian is a whole number in big-endian two's complement.
func bigEndian(v []byte) *big.Int {
	n := new(big.Int).SetBytes(v)
	if len(v) > 0 && v[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return n
}

func wrongStorage(found string, t Type) error {
	return fmt.Errorf("data files hold %s for a column of type %s", found, t.Text)
}
