package rewrite

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"ajlo/job/delta"
)

// The canonical form of a nested value, of which its hash is made: a NULL is the byte 0. Any other value is its type's tag and then: fixed-width types little-endian
// (floats with their bits as they are, so that −0.0 and each NaN stay themselves; both kinds
// of timestamps in microseconds however a file stores them; decimals unscaled in 16 bytes),
// strings and binaries after their length, arrays and maps after their number of entries,
// structs field by field. Two values of one type have the same form if and only if they are the same.
const (
	tagNull = iota
	tagByte
	tagShort
	tagInteger
	tagLong
	tagFloat
	tagDouble
	tagDecimal
	tagString
	tagBinary
	tagBoolean
	tagDate
	tagTimestamp
	tagTimestampNTZ
	tagStruct
	tagArray
	tagMap
)

// appender adds the canonical form of value i of one array to a row.
type appender func(row []byte, i int) []byte

func appenderOf(a arrow.Array, t delta.Type) (appender, error) {
	add, err := valueAppender(a, t)
	if err != nil || a.NullN() == 0 {
		return add, err
	}
	return func(row []byte, i int) []byte {
		if a.IsNull(i) {
			return append(row, tagNull)
		}
		return add(row, i)
	}, nil
}

func valueAppender(a arrow.Array, t delta.Type) (appender, error) {
	switch a := a.(type) {
	case *array.Int8:
		return func(row []byte, i int) []byte { return append(row, tagByte, byte(a.Value(i))) }, nil
	case *array.Int16:
		return func(row []byte, i int) []byte {
			return binary.LittleEndian.AppendUint16(append(row, tagShort), uint16(a.Value(i)))
		}, nil
	case *array.Int32:
		return word32(tagInteger, func(i int) uint32 { return uint32(a.Value(i)) }), nil
	case *array.Int64:
		return word64(tagLong, func(i int) uint64 { return uint64(a.Value(i)) }), nil
	case *array.Float32:
		return word32(tagFloat, func(i int) uint32 { return math.Float32bits(a.Value(i)) }), nil
	case *array.Float64:
		return word64(tagDouble, func(i int) uint64 { return math.Float64bits(a.Value(i)) }), nil
	case *array.Date32:
		return word32(tagDate, func(i int) uint32 { return uint32(a.Value(i)) }), nil
	case *array.Timestamp:
		return word64(timestampTag(t), func(i int) uint64 { return uint64(a.Value(i)) }), nil
	case *array.Decimal128:
		return decimalAppender(a), nil
	case *array.Boolean:
		return booleanAppender(a), nil
	case *array.String:
		return bytesAppender(tagString, func(i int) string { return a.Value(i) }), nil
	case *array.Binary:
		return bytesAppender(tagBinary, func(i int) []byte { return a.Value(i) }), nil
	}
	return nestedAppender(a, t)
}

func timestampTag(t delta.Type) byte {
	if t.Kind == delta.TimestampNTZ {
		return tagTimestampNTZ
	}
	return tagTimestamp
}

func word32(tag byte, value func(i int) uint32) appender {
	return func(row []byte, i int) []byte {
		return binary.LittleEndian.AppendUint32(append(row, tag), value(i))
	}
}

func word64(tag byte, value func(i int) uint64) appender {
	return func(row []byte, i int) []byte {
		return binary.LittleEndian.AppendUint64(append(row, tag), value(i))
	}
}

func decimalAppender(a *array.Decimal128) appender {
	return func(row []byte, i int) []byte {
		v := a.Value(i)
		row = binary.LittleEndian.AppendUint64(append(row, tagDecimal), v.LowBits())
		return binary.LittleEndian.AppendUint64(row, uint64(v.HighBits()))
	}
}

func booleanAppender(a *array.Boolean) appender {
	return func(row []byte, i int) []byte {
		if a.Value(i) {
			return append(row, tagBoolean, 1)
		}
		return append(row, tagBoolean, 0)
	}
}

func bytesAppender[T string | []byte](tag byte, value func(i int) T) appender {
	return func(row []byte, i int) []byte {
		v := value(i)
		row = binary.AppendUvarint(append(row, tag), uint64(len(v)))
		return append(row, v...)
	}
}

func nestedAppender(a arrow.Array, t delta.Type) (appender, error) {
	switch a := a.(type) {
	case *array.Struct:
		return structAppender(a, t)
	case *array.Map:
		return mapAppender(a, t)
	case *array.List:
		add, err := appenderOf(a.ListValues(), *t.Element)
		if err != nil {
			return nil, err
		}
		return entriesAppender(tagArray, a.ValueOffsets, add), nil
	}
	return nil, fmt.Errorf("sum rows: no form for %s", a.DataType())
}

func structAppender(a *array.Struct, t delta.Type) (appender, error) {
	fields := make([]appender, a.NumField())
	for f := range fields {
		add, err := appenderOf(a.Field(f), t.Fields[f].Type)
		if err != nil {
			return nil, err
		}
		fields[f] = add
	}
	return func(row []byte, i int) []byte {
		row = append(row, tagStruct)
		for _, add := range fields {
			row = add(row, i)
		}
		return row
	}, nil
}

// mapAppender keeps the entries in the order in which they are stored.
func mapAppender(a *array.Map, t delta.Type) (appender, error) {
	key, err := appenderOf(a.Keys(), *t.Key)
	if err != nil {
		return nil, err
	}
	value, err := appenderOf(a.Items(), *t.Element)
	if err != nil {
		return nil, err
	}
	both := func(row []byte, i int) []byte { return value(key(row, i), i) }
	return entriesAppender(tagMap, a.ValueOffsets, both), nil
}

func entriesAppender(tag byte, offsets func(i int) (start, end int64), add appender) appender {
	return func(row []byte, i int) []byte {
		start, end := offsets(i)
		row = binary.AppendUvarint(append(row, tag), uint64(end-start))
		for j := start; j < end; j++ {
			row = add(row, int(j))
		}
		return row
	}
}
