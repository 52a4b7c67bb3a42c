package delta

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
}

// Schema is the top-level columns in order.
type Schema []Field

// ParseSchema reads a metadata action's schemaString.
func ParseSchema(text string) (Schema, error) { panic("not there yet") }
