package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// Kind is the shape of a column's type.
type Kind string

// The kinds of types. Primitive names are those of the log.
const (
	Byte         Kind = "byte"
	Short        Kind = "short"
	Integer      Kind = "integer"
	Long         Kind = "long"
	Float        Kind = "float"
	Double       Kind = "double"
	Decimal      Kind = "decimal"
	String       Kind = "string"
	Binary       Kind = "binary"
	Boolean      Kind = "boolean"
	Date         Kind = "date"
	Timestamp    Kind = "timestamp"
	TimestampNTZ Kind = "timestamp_ntz"
	Struct       Kind = "struct"
	Array        Kind = "array"
	Map          Kind = "map"
	// Other is a type this package does not know, such as variant; Type.Text names it.
	Other Kind = "other"
)

// Type is the type of a column.
type Type struct {
	Kind             Kind
	Precision, Scale int     // of a decimal
	Text             string  // as the log spells it: "decimal(15,2)"; "struct", "array", "map"
	Fields           []Field // of a struct
	Element          *Type   // of an array, and the value of a map
	Key              *Type   // of a map
}

// Field is one column of a schema or a struct.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Metadata map[string]any // of the log, numbers as json.Number
	// PhysicalName and ID tell the column from others in data files of a table that maps
	// columns, empty and 0 elsewhere.
	PhysicalName string
	ID           int32
}

// Schema is the top-level columns in order.
type Schema []Field

// Physical is the column's name inside data files and statistics: its own, unless the table
// maps columns.
func (f Field) Physical() string {
	if f.PhysicalName != "" {
		return f.PhysicalName
	}
	return f.Name
}

// ParseSchema reads a metadata action's schemaString.
func ParseSchema(text string) (Schema, error) {
	var t Type
	if err := decodeWhole([]byte(text), &t); err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	if t.Kind != Struct {
		return nil, fmt.Errorf("parse schema: top level is %q, want struct", t.Text)
	}
	return t.Fields, nil
}

// decodeWhole reads exactly one JSON value and keeps numbers as they are written.
func decodeWhole(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more text after the JSON value")
	}
	return nil
}

// UnmarshalJSON reads a type as schemas spell it: a name, or an object for nested types.
func (t *Type) UnmarshalJSON(data []byte) error {
	var name string
	if err := json.Unmarshal(data, &name); err == nil {
		*t, err = primitive(name)
		return err
	}
	var nested struct {
		Type   string
		Fields []Field
		// An array's element and a map's key and value.
		ElementType, KeyType, ValueType *Type
	}
	if err := decodeWhole(data, &nested); err != nil {
		return err
	}
	*t = Type{Kind: Kind(nested.Type), Text: nested.Type, Fields: nested.Fields, Element: nested.ElementType}
	if t.Kind == Map {
		t.Key, t.Element = nested.KeyType, nested.ValueType
	}
	return t.checkNested()
}

// checkNested makes sure that whoever walks the type finds what its kind promises.
func (t *Type) checkNested() error {
	missing := false
	switch t.Kind {
	case Struct:
		missing = t.Fields == nil
	case Array:
		missing = t.Element == nil
	case Map:
		missing = t.Key == nil || t.Element == nil
	default:
		t.Kind = Other
	}
	if missing {
		return fmt.Errorf("type %q lacks its parts", t.Text)
	}
	return nil
}

var decimalType = regexp.MustCompile(`^decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)$`)

// primitive reads a type's name. Unknown names are kept as Other.
func primitive(name string) (Type, error) {
	switch k := Kind(name); k {
	case Byte, Short, Integer, Long, Float, Double, String, Binary, Boolean, Date, Timestamp, TimestampNTZ:
		return Type{Kind: k, Text: name}, nil
	case Decimal: // without precision, as in Spark's DecimalType.USER_DEFAULT
		return Type{Kind: Decimal, Precision: 10, Scale: 0, Text: name}, nil
	case Struct, Array, Map:
		return Type{}, fmt.Errorf("type %q lacks its parts", name)
	}
	m := decimalType.FindStringSubmatch(name)
	if m == nil {
		return Type{Kind: Other, Text: name}, nil
	}
	precision, _ := strconv.Atoi(m[1])
	scale, _ := strconv.Atoi(m[2])
	if precision < 1 || precision > maxPrecision || scale > precision {
		return Type{}, fmt.Errorf("type %q: precision or scale out of range", name)
	}
	return Type{Kind: Decimal, Precision: precision, Scale: scale, Text: name}, nil
}

// maxPrecision is the digits of the widest decimal that Spark and Delta have.
const maxPrecision = 38
