package delta

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// valueRange is the least and the greatest value of a column so far. Both texts are JSON,
// nil where there is no value or none that may be written.
type valueRange interface {
	observe(a arrow.Array) error
	least() []byte
	greatest() []byte
}

// newRange is an empty range for a type, nil for types that have no bounds in Delta.
func newRange(t Type, prefix int) valueRange {
	switch t.Kind {
	case Byte, Short, Integer, Long, Date:
		return &numbers{t: t, text: numberText(t)}
	case Timestamp, TimestampNTZ:
		return &numbers{t: t, text: numberText(t)}
	case Float, Double:
		return &floats{t: t}
	case Decimal:
		return &decimals{t: t}
	case String:
		return &texts{prefix: prefix}
	}
	return nil
}

// span is the pair itself.
type span[T any] struct {
	some     bool
	min, max T
}

func (s *span[T]) take(v T, compare func(a, b T) int) {
	if !s.some {
		s.some, s.min, s.max = true, v, v
		return
	}
	if compare(v, s.min) < 0 {
		s.min = v
	}
	if compare(v, s.max) > 0 {
		s.max = v
	}
}

// each calls take for every value of an array that is not NULL.
func each[T any](a arrow.Array, value func(i int) T, take func(T)) {
	for i := range a.Len() {
		if a.IsValid(i) {
			take(value(i))
		}
	}
}

// numbers are types that are whole numbers inside: integers, days, microseconds.
type numbers struct {
	t    Type
	text func(int64) []byte
	span[int64]
}

func (n *numbers) observe(a arrow.Array) error {
	switch a := a.(type) {
	case *array.Int8:
		takeWhole(n, a, a.Int8Values())
	case *array.Int16:
		takeWhole(n, a, a.Int16Values())
	case *array.Int32:
		takeWhole(n, a, a.Int32Values())
	case *array.Int64:
		takeWhole(n, a, a.Int64Values())
	case *array.Date32:
		takeWhole(n, a, a.Date32Values())
	case *array.Timestamp:
		each(a, func(i int) int64 { return microsOf(a, i) }, func(v int64) { n.take(v, cmp.Compare[int64]) })
	default:
		return wrongArray(a, n.t)
	}
	return nil
}

// takeWhole looks through an array first, since most batches change neither end.
func takeWhole[T int8 | int16 | int32 | int64 | arrow.Date32](n *numbers, a arrow.Array, values []T) {
	if a.NullN() == 0 && len(values) > 0 {
		n.take(int64(slices.Min(values)), cmp.Compare[int64])
		n.take(int64(slices.Max(values)), cmp.Compare[int64])
		return
	}
	for i, v := range values {
		if a.IsValid(i) {
			n.take(int64(v), cmp.Compare[int64])
		}
	}
}

func (n *numbers) least() []byte    { return textOf(n.span, n.min, n.text) }
func (n *numbers) greatest() []byte { return textOf(n.span, n.max, n.text) }

func textOf[T any](s span[T], v T, text func(T) []byte) []byte {
	if !s.some {
		return nil
	}
	return text(v)
}

func wrongArray(a arrow.Array, t Type) error {
	return fmt.Errorf("%s values in a column of type %s", a.DataType(), t.Text)
}

func numberText(t Type) func(int64) []byte {
	switch t.Kind {
	case Date:
		return func(days int64) []byte { return fmt.Appendf(nil, `"%s"`, dateOf(days)) }
	case Timestamp:
		return func(micros int64) []byte { return fmt.Appendf(nil, `"%sZ"`, timeOf(micros)) }
	case TimestampNTZ:
		return func(micros int64) []byte { return fmt.Appendf(nil, `"%s"`, timeOf(micros)) }
	}
	return func(i int64) []byte { return strconv.AppendInt(nil, i, 10) }
}

// floats are ordered as Spark orders them: NaN is the greatest, zeros of either sign equal.
type floats struct {
	t Type
	span[float64]
}

func (f *floats) observe(a arrow.Array) error {
	take := func(v float64) { f.take(v, compareFloats) }
	switch a := a.(type) {
	case *array.Float32:
		each(a, func(i int) float64 { return float64(a.Value(i)) }, take)
	case *array.Float64:
		each(a, func(i int) float64 { return a.Value(i) }, take)
	default:
		return wrongArray(a, f.t)
	}
	return nil
}

func compareFloats(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return cmp.Compare(boolInt(math.IsNaN(a)), boolInt(math.IsNaN(b)))
	}
	return cmp.Compare(a, b)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (f *floats) least() []byte    { return textOf(f.span, f.min, f.text) }
func (f *floats) greatest() []byte { return textOf(f.span, f.max, f.text) }

func (f *floats) text(v float64) []byte {
	if f.t.Kind == Float {
		return floatText(v, 32)
	}
	return floatText(v, 64)
}

type decimals struct {
	t Type
	span[decimal128.Num]
}

func (d *decimals) observe(a arrow.Array) error {
	numbers, ok := a.(*array.Decimal128)
	if !ok || int(numbers.DataType().(*arrow.Decimal128Type).Scale) != d.t.Scale {
		return wrongArray(a, d.t)
	}
	each(numbers, numbers.Value, func(v decimal128.Num) { d.take(v, decimal128.Num.Cmp) })
	return nil
}

func (d *decimals) least() []byte    { return textOf(d.span, d.min, d.text) }
func (d *decimals) greatest() []byte { return textOf(d.span, d.max, d.text) }

func (d *decimals) text(v decimal128.Num) []byte {
	return decimalText(v.BigInt(), d.t.Scale)
}

// texts are ordered by their UTF-8 bytes.
type texts struct {
	prefix int
	span[string]
}

func (s *texts) observe(a arrow.Array) error {
	values, ok := a.(interface{ Value(i int) string })
	if !ok {
		return wrongArray(a, Type{Text: string(String)})
	}
	for i := range a.Len() {
		if a.IsValid(i) {
			s.takeText(values.Value(i))
		}
	}
	return nil
}

// boundBytes are of each character of a bound that is kept of a text: more than cutMin and
// cutMax look at, four bytes for each character and as many again for tie-breakers.
const boundBytes = 8

// takeText copies only what it keeps: an array's strings live as long as its batch, and of a
// long one its bounds need no more than the start.
func (s *texts) takeText(v string) {
	v = v[:min(len(v), boundBytes*(max(s.prefix, 0)+2))]
	switch {
	case !s.some:
		v = string([]byte(v))
		s.some, s.min, s.max = true, v, v
	case v < s.min:
		s.min = string([]byte(v))
	case v > s.max:
		s.max = string([]byte(v))
	}
}

func (s *texts) least() []byte {
	return s.json(cutMin(s.min, s.prefix))
}

func (s *texts) greatest() []byte {
	return s.json(cutMax(s.max, s.prefix))
}

// json leaves out what was not there and what JSON cannot say: bytes that are no UTF-8.
func (s *texts) json(text string, ok bool) []byte {
	if !s.some || !ok || !utf8.ValidString(text) {
		return nil
	}
	quoted, err := quote(text)
	if err != nil {
		return nil
	}
	return quoted
}
