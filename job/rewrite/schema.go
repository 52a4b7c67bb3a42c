package rewrite

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
)

// ArrowSchema is the form in which rows are held and written: one Arrow type for each type
// of the table, every field nullable but the keys of maps, with the names and ids that
// columns have in files. A type that is not known is an error.
func ArrowSchema(schema delta.Schema) (*arrow.Schema, error) {
	fields, err := arrowFields(schema)
	if err != nil {
		return nil, err
	}
	return arrow.NewSchema(fields, nil), nil
}

func arrowFields(fields []delta.Field) ([]arrow.Field, error) {
	all := make([]arrow.Field, len(fields))
	for i, f := range fields {
		t, err := arrowType(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		all[i] = arrow.Field{Name: f.Physical(), Type: t, Nullable: true}
		if f.ID != 0 {
			all[i].Metadata = arrow.MetadataFrom(map[string]string{fieldIDKey: strconv.Itoa(int(f.ID))})
		}
	}
	return all, nil
}

func arrowType(t delta.Type) (arrow.DataType, error) {
	switch t.Kind {
	case delta.Byte:
		return arrow.PrimitiveTypes.Int8, nil
	case delta.Short:
		return arrow.PrimitiveTypes.Int16, nil
	case delta.Integer:
		return arrow.PrimitiveTypes.Int32, nil
	case delta.Long:
		return arrow.PrimitiveTypes.Int64, nil
	case delta.Float:
		return arrow.PrimitiveTypes.Float32, nil
	case delta.Double:
		return arrow.PrimitiveTypes.Float64, nil
	case delta.Decimal:
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}, nil
	case delta.String:
		return arrow.BinaryTypes.String, nil
	case delta.Binary:
		return arrow.BinaryTypes.Binary, nil
	case delta.Boolean:
		return arrow.FixedWidthTypes.Boolean, nil
	case delta.Date:
		return arrow.FixedWidthTypes.Date32, nil
	case delta.Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, nil
	case delta.TimestampNTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond}, nil
	}
	return nestedType(t)
}

func nestedType(t delta.Type) (arrow.DataType, error) {
	switch t.Kind {
	case delta.Struct:
		fields, err := arrowFields(t.Fields)
		if err == nil && len(fields) == 0 {
			err = fmt.Errorf("a struct without fields cannot be written to Parquet")
		}
		if err != nil {
			return nil, err
		}
		return arrow.StructOf(fields...), nil
	case delta.Array:
		element, err := arrowType(*t.Element)
		if err != nil {
			return nil, err
		}
		return arrow.ListOfField(arrow.Field{Name: "element", Type: element, Nullable: true}), nil
	case delta.Map:
		key, err := arrowType(*t.Key)
		if err != nil {
			return nil, err
		}
		value, err := arrowType(*t.Element)
		if err != nil {
			return nil, err
		}
		return arrow.MapOf(key, value), nil
	}
	return nil, fmt.Errorf("type %q is not supported", t.Text)
}
