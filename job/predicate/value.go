package predicate

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of a Value, coarse enough that every integer width compares with every
// other.
type Kind uint8

// The kinds of values that bounds and literals have.
const (
	Null      Kind = iota
	Bool           // I is 0 or 1
	Int            // I: byte, short, int, long
	Decimal        // I × 10^−Scale; decimals of more than 18 digits have no Value
	Float          // F: float and double
	String         // S, compared bytewise as UTF-8
	Date           // I days since 1970-01-01
	Timestamp      // I microseconds since 1970-01-01T00:00:00 UTC
	LocalTime      // TIMESTAMP_NTZ: I microseconds since 1970-01-01T00:00:00 of no zone
)

// Value is one typed scalar. Values are comparable with ==; equal decimals of different
// scale are equal under Compare only.
type Value struct {
	Kind  Kind
	Scale int8
	I     int64
	F     float64
	S     string
}

// Constructors, one for each kind.

// IntValue is a whole number.
func IntValue(i int64) Value { return Value{Kind: Int, I: i} }

// StringValue is a text.
func StringValue(s string) Value { return Value{Kind: String, S: s} }

// FloatValue is a binary floating-point number.
func FloatValue(f float64) Value { return Value{Kind: Float, F: f} }

// BoolValue is true or false.
func BoolValue(b bool) Value {
	if b {
		return Value{Kind: Bool, I: 1}
	}
	return Value{Kind: Bool}
}

// DateValue is a day, counted from 1970-01-01.
func DateValue(days int64) Value { return Value{Kind: Date, I: days} }

// TimestampValue is an instant in microseconds since the epoch.
func TimestampValue(micros int64) Value { return Value{Kind: Timestamp, I: micros} }

// LocalTimeValue is a TIMESTAMP_NTZ in microseconds.
func LocalTimeValue(micros int64) Value { return Value{Kind: LocalTime, I: micros} }

// DecimalValue is unscaled × 10^−scale.
func DecimalValue(unscaled int64, scale int8) Value {
	return Value{Kind: Decimal, Scale: scale, I: unscaled}
}

// IsNull reports whether v is SQL NULL.
func (v Value) IsNull() bool { return v.Kind == Null }

// Compare orders two values; ok is false where they have no common order (different kinds
// that do not mix, or NULL). Int, Decimal and Float mix. NaN sorts above every number, as
// in Spark.
func Compare(a, b Value) (order int, ok bool) {
	if a.Kind == Null || b.Kind == Null {
		return 0, false
	}
	if a.Kind == b.Kind {
		return compareSameKind(a, b), true
	}
	if isNumber(a.Kind) && isNumber(b.Kind) {
		return compareNumbers(a, b), true
	}
	return 0, false
}

func compareSameKind(a, b Value) int {
	switch a.Kind {
	case Float:
		return compareFloats(a.F, b.F)
	case String:
		return strings.Compare(a.S, b.S)
	case Decimal:
		if a.Scale != b.Scale {
			return compareNumbers(a, b)
		}
	}
	return cmp.Compare(a.I, b.I)
}

func isNumber(k Kind) bool { return k == Int || k == Decimal || k == Float }

func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(a, b)
}

func compareNumbers(a, b Value) int {
	if a.Kind == Float || b.Kind == Float {
		return compareFloats(a.float(), b.float())
	}
	return a.rat().Cmp(b.rat())
}

func (v Value) float() float64 {
	switch v.Kind {
	case Float:
		return v.F
	case Decimal:
		return float64(v.I) / math.Pow10(int(v.Scale))
	}
	return float64(v.I)
}

func (v Value) rat() *big.Rat {
	r := new(big.Rat).SetInt64(v.I)
	if v.Kind != Decimal || v.Scale == 0 {
		return r
	}
	digits := int64(v.Scale)
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(digits, -digits)), nil))
	if digits < 0 { // 1E+10
		return r.Mul(r, scale)
	}
	return r.Quo(r, scale)
}

// Text gives the value as SQL writes it, without quotes: 12, 1.50, 1995-03-01,
// 1995-03-01T10:00:00Z.
func (v Value) Text() string {
	switch v.Kind {
	case Null:
		return "null"
	case Bool:
		return strconv.FormatBool(v.I != 0)
	case Float:
		return strconv.FormatFloat(v.F, 'g', -1, 64)
	case String:
		return v.S
	case Date:
		return time.Unix(v.I*secondsPerDay, 0).UTC().Format(time.DateOnly)
	case Timestamp:
		return time.UnixMicro(v.I).UTC().Format(time.RFC3339Nano)
	case LocalTime:
		return time.UnixMicro(v.I).UTC().Format("2006-01-02T15:04:05.999999")
	case Decimal:
		return decimalText(v.I, int(v.Scale))
	}
	return strconv.FormatInt(v.I, 10)
}

const secondsPerDay = 86_400

func decimalText(unscaled int64, scale int) string {
	digits := strconv.FormatInt(unscaled, 10)
	if scale <= 0 {
		return digits + strings.Repeat("0", -scale)
	}
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// MarshalJSON writes numbers and booleans bare and everything else as a string.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Kind {
	case Null, Bool, Int, Decimal:
		return []byte(v.Text()), nil
	case Float:
		if !math.IsNaN(v.F) && !math.IsInf(v.F, 0) {
			return []byte(v.Text()), nil
		}
	}
	return json.Marshal(v.Text())
}
