package rewrite

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"ajlo/job/delta"
)

// converter turns an array as a file holds it into the form of ArrowSchema. It never
// changes a value: what has no exact counterpart is an error.
type converter func(arrow.ArrayData) (arrow.ArrayData, error)

// converterFor knows how a file of type from is read as a column of type to. Its error
// names both types; it is the one place that says what a column may be stored as.
func converterFor(by delta.Mapping, from arrow.DataType, to delta.Type) (converter, error) {
	if coded, ok := from.(*arrow.DictionaryType); ok {
		convert, err := converterFor(by, coded.ValueType, to)
		return decoded(coded.ValueType, convert), err
	}
	want, err := arrowType(to)
	if err != nil {
		return nil, err
	}
	if arrow.TypeEqual(from, want) {
		return asIs, nil
	}
	switch to.Kind {
	case delta.Struct:
		return structConverter(by, from, to, want)
	case delta.Array:
		return listConverter(by, from, to, want)
	case delta.Map:
		return mapConverter(by, from, to, want)
	}
	if convert := scalarConverter(from, to, want); convert != nil {
		return convert, nil
	}
	return nil, mismatch(from, to)
}

// decoded puts texts in the place of their numbers in a dictionary.
func decoded(values arrow.DataType, convert converter) converter {
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		texts := bytesChunks([]arrow.Array{array.MakeFromData(d.Dictionary())})[0]
		numbers := words[int32](d)[d.Offset():][:d.Len()]
		offsets, total := make([]int32, len(numbers)+1), 0
		for i, n := range numbers {
			if validAt(d, d.Offset()+i) {
				total += len(texts.value(uint32(n)))
			}
			if total > math.MaxInt32 {
				return nil, errTooLong
			}
			offsets[i+1] = int32(total)
		}
		bytes := make([]byte, 0, total)
		for i, n := range numbers {
			if offsets[i+1] > offsets[i] {
				bytes = append(bytes, texts.value(uint32(n))...)
			}
		}
		buffers := []*memory.Buffer{shifted(d), memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(bytes)}
		return convert(array.NewData(values, d.Len(), buffers, nil, d.NullN(), 0))
	}
}

// rowsPerText is how many rows the texts of a dictionary stand for on average where keeping the
// dictionary beside the rows is less than writing out the texts: each batch has one of its own.
const rowsPerText = 2

// numbered leaves texts in their dictionary where that is small beside the rows.
func numbered(convert converter) converter {
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		if texts := d.Dictionary().Len(); rowsPerText*texts <= d.Len() {
			return d, checkNumbers(d, texts)
		}
		return convert(d)
	}
}

// checkNumbers finds rows of a damaged file whose text is not in the dictionary.
func checkNumbers(d arrow.ArrayData, texts int) error {
	for i, n := range words[int32](d)[d.Offset():][:d.Len()] {
		if uint32(n) >= uint32(texts) && validAt(d, d.Offset()+i) {
			return fmt.Errorf("damaged file: row with text %d of a dictionary of %d", n, texts)
		}
	}
	return nil
}

// shifted is an array's validity from its first value on; nil where no value is NULL.
func shifted(d arrow.ArrayData) *memory.Buffer {
	if d.NullN() == 0 || d.Offset() == 0 {
		return d.Buffers()[0]
	}
	bits := make([]byte, bitutil.BytesForBits(int64(d.Len())))
	bitutil.CopyBitmap(d.Buffers()[0].Bytes(), d.Offset(), d.Len(), bits, 0)
	return memory.NewBufferBytes(bits)
}

func mismatch(from arrow.DataType, to delta.Type) error {
	return fmt.Errorf("stored as %s, which is not read as %s", from, to.Text)
}

func asIs(data arrow.ArrayData) (arrow.ArrayData, error) { return data, nil }

// scalarConverter is nil where the stored type is not one the column may have.
func scalarConverter(from arrow.DataType, to delta.Type, want arrow.DataType) converter {
	switch to.Kind {
	case delta.Byte, delta.Short, delta.Integer, delta.Long:
		return integerConverter(from, want)
	case delta.Decimal:
		stored, ok := from.(*arrow.Decimal128Type)
		if ok && int(stored.Scale) == to.Scale && int(stored.Precision) <= to.Precision {
			return renamed(want)
		}
	case delta.String:
		if from.ID() == arrow.BINARY {
			return renamed(want)
		}
	case delta.Binary:
		if from.ID() == arrow.STRING {
			return renamed(want)
		}
	case delta.Timestamp:
		return timestampConverter(from, want)
	}
	return nil
}

// renamed keeps all bytes and changes the type.
func renamed(want arrow.DataType) converter {
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		return array.NewData(want, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()), nil
	}
}

// integerConverter takes every signed width: writers store bytes and shorts as plain INT32.
func integerConverter(from, want arrow.DataType) converter {
	switch from.ID() {
	case arrow.INT8:
		return integersFrom[int8](want)
	case arrow.INT16:
		return integersFrom[int16](want)
	case arrow.INT32:
		return integersFrom[int32](want)
	}
	return nil
}

func integersFrom[From int8 | int16 | int32](want arrow.DataType) converter {
	switch want.ID() {
	case arrow.INT8:
		return resized[From, int8](want)
	case arrow.INT16:
		return resized[From, int16](want)
	case arrow.INT32:
		return resized[From, int32](want)
	}
	return resized[From, int64](want)
}

func resized[From int8 | int16 | int32, To int8 | int16 | int32 | int64](want arrow.DataType) converter {
	return mapped(want, func(v From) (To, error) {
		if To(v) != To(From(To(v))) || int64(To(v)) != int64(v) {
			return 0, fmt.Errorf("value %d does not fit %s", v, want)
		}
		return To(v), nil
	})
}

// mapped converts fixed-width values one by one; slots of NULLs are left zero.
func mapped[From, To arrow.FixedWidthType](want arrow.DataType, one func(From) (To, error)) converter {
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		in := words[From](d)
		out := make([]To, d.Offset()+d.Len())
		for i := d.Offset(); i < len(out); i++ {
			if !validAt(d, i) {
				continue
			}
			v, err := one(in[i])
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		buffers := []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(arrow.GetBytes(out))}
		return array.NewData(want, d.Len(), buffers, nil, d.NullN(), d.Offset()), nil
	}
}

// validAt takes an index that counts from before the offset.
func validAt(d arrow.ArrayData, i int) bool {
	validity := d.Buffers()[0]
	return validity == nil || validity.Len() == 0 || bitutil.BitIsSet(validity.Bytes(), i)
}

const microsPerMilli = 1000

// timestampConverter takes what Spark takes for an instant: INT96 (which arrives as 12
// bytes, see footer.go), and INT64 in milliseconds or microseconds, adjusted to UTC or not.
func timestampConverter(from, want arrow.DataType) converter {
	switch from := from.(type) {
	case *arrow.FixedSizeBinaryType:
		if from.ByteWidth == delta.Int96Bytes {
			return int96Converter(want)
		}
	case *arrow.TimestampType:
		switch from.Unit {
		case arrow.Microsecond:
			return renamed(want)
		case arrow.Millisecond:
			return mapped(want, func(v arrow.Timestamp) (arrow.Timestamp, error) {
				if v > math.MaxInt64/microsPerMilli || v < math.MinInt64/microsPerMilli {
					return 0, fmt.Errorf("timestamp %d ms does not fit 64 bits of microseconds", v)
				}
				return v * microsPerMilli, nil
			})
		}
	}
	return nil
}

func int96Converter(want arrow.DataType) converter {
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		out := make([]int64, d.Offset()+d.Len())
		for i := d.Offset(); i < len(out); i++ {
			if !validAt(d, i) {
				continue
			}
			micros, err := delta.Int96Micros(d.Buffers()[1].Bytes()[i*delta.Int96Bytes:])
			if err != nil {
				return nil, err
			}
			out[i] = micros
		}
		buffers := []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(arrow.GetBytes(out))}
		return array.NewData(want, d.Len(), buffers, nil, d.NullN(), d.Offset()), nil
	}
}

// errAmbiguous is when a name that differs in case only could mean several columns.
var errAmbiguous = errors.New("several columns differ in case only")

// fieldOf finds a column of the table among those of a file: by its id, by its physical name,
// or, in tables that map no columns, by its name. It is −1 where there is none.
func fieldOf(by delta.Mapping, fields []arrow.Field, column delta.Field) (int, error) {
	switch by {
	case delta.MapID:
		return fieldNumbered(fields, column)
	case delta.MapName:
		return slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Name == column.Physical() }), nil
	}
	return fieldNamed(fields, column.Name)
}

// fieldIDKey is where Arrow keeps a field's number in the Parquet schema.
const fieldIDKey = "PARQUET:field_id"

// fieldNumbered finds columns by their ids. Those that have none, as row tracking's, go by
// their names. A file without ids is not one of a table that maps by them.
func fieldNumbered(fields []arrow.Field, column delta.Field) (int, error) {
	if column.ID == 0 {
		return slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Name == column.Physical() }), nil
	}
	want, numbered := strconv.Itoa(int(column.ID)), false
	for i, f := range fields {
		id, ok := f.Metadata.GetValue(fieldIDKey)
		if id == want {
			return i, nil
		}
		numbered = numbered || ok
	}
	if !numbered {
		return 0, fmt.Errorf("column %q is found by its id, and the file has no ids", column.Name)
	}
	return -1, nil
}

// fieldNamed finds a column as Spark does: by its exact name, else by the only one that
// differs in case. It is −1 where there is none.
func fieldNamed(fields []arrow.Field, name string) (int, error) {
	found := -1
	for i, f := range fields {
		if f.Name == name {
			return i, nil
		}
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%w: %q and %q", errAmbiguous, fields[found].Name, f.Name)
		}
		found = i
	}
	return found, nil
}

// structConverter picks fields by name: a file may be older than a field, or have them in
// another order.
func structConverter(by delta.Mapping, from arrow.DataType, to delta.Type, want arrow.DataType) (converter, error) {
	stored, ok := from.(*arrow.StructType)
	if !ok {
		return nil, mismatch(from, to)
	}
	wanted := want.(*arrow.StructType)
	at, convert := make([]int, len(to.Fields)), make([]converter, len(to.Fields))
	for f, field := range to.Fields {
		var err error
		if at[f], err = fieldOf(by, stored.Fields(), field); err != nil {
			return nil, err
		}
		if at[f] < 0 {
			continue
		}
		if convert[f], err = converterFor(by, stored.Field(at[f]).Type, field.Type); err != nil {
			return nil, fmt.Errorf("field %q: %w", field.Name, err)
		}
	}
	if len(at) > 0 && slices.Max(at) < 0 {
		return nil, errors.New("the file has none of its fields: some engines read NULL there, others a struct of NULLs (Spark since 4.1); rewrite the table with the engine that is right for it")
	}
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		children := make([]arrow.ArrayData, len(convert))
		for f := range convert {
			if convert[f] == nil {
				children[f] = nothing(wanted.Field(f).Type, d.Offset()+d.Len())
				continue
			}
			child, err := convert[f](d.Children()[at[f]])
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", wanted.Field(f).Name, err)
			}
			children[f] = child
		}
		return array.NewData(want, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
	}, nil
}

// nothing is a column of NULLs.
func nothing(t arrow.DataType, rows int) arrow.ArrayData {
	return array.MakeArrayOfNull(memory.DefaultAllocator, t, rows).Data()
}

func listConverter(by delta.Mapping, from arrow.DataType, to delta.Type, want arrow.DataType) (converter, error) {
	stored, ok := from.(*arrow.ListType)
	if !ok {
		return nil, mismatch(from, to)
	}
	convert, err := converterFor(by, stored.Elem(), *to.Element)
	if err != nil {
		return nil, fmt.Errorf("element: %w", err)
	}
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		child, err := convert(d.Children()[0])
		if err != nil {
			return nil, fmt.Errorf("element: %w", err)
		}
		return array.NewData(want, d.Len(), d.Buffers(), []arrow.ArrayData{child}, d.NullN(), d.Offset()), nil
	}, nil
}

func mapConverter(by delta.Mapping, from arrow.DataType, to delta.Type, want arrow.DataType) (converter, error) {
	stored, ok := from.(*arrow.MapType)
	if !ok {
		return nil, mismatch(from, to)
	}
	key, err := converterFor(by, stored.KeyType(), *to.Key)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	value, err := converterFor(by, stored.ItemType(), *to.Element)
	if err != nil {
		return nil, fmt.Errorf("value: %w", err)
	}
	entries := want.(*arrow.MapType).Elem()
	return func(d arrow.ArrayData) (arrow.ArrayData, error) {
		pairs := d.Children()[0]
		keys, err := key(pairs.Children()[0])
		if err != nil {
			return nil, fmt.Errorf("key: %w", err)
		}
		values, err := value(pairs.Children()[1])
		if err != nil {
			return nil, fmt.Errorf("value: %w", err)
		}
		both := array.NewData(entries, pairs.Len(), pairs.Buffers(), []arrow.ArrayData{keys, values}, pairs.NullN(), pairs.Offset())
		return array.NewData(want, d.Len(), d.Buffers(), []arrow.ArrayData{both}, d.NullN(), d.Offset()), nil
	}, nil
}
