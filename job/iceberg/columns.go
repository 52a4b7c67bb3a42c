package iceberg

import (
	"fmt"

	"github.com/apache/iceberg-go"

	"ajlo/job/delta"
)

// Columns is the current schema as the reader of rows knows schemas: that of a Delta table whose
// columns are found in data files by their ids. It is an error for a table whose files that
// reader would not read as Iceberg does: types that Delta has not, and values that stand for
// those that old files lack.
func (s Snapshot) Columns() (delta.Metadata, error) {
	if s.schema == nil {
		return delta.Metadata{}, fmt.Errorf("the table has no schema")
	}
	fields, err := fieldsAsDelta(s.schema.Fields(), "")
	return delta.Metadata{
		Schema: fields, Configuration: map[string]string{"delta.columnMapping.mode": string(delta.MapID)},
	}, err
}

func fieldsAsDelta(fields []iceberg.NestedField, parent string) (list []delta.Field, err error) {
	for _, f := range fields {
		name := parent + f.Name
		if f.InitialDefault != nil {
			return nil, fmt.Errorf("column %s has a default for files that lack it", name)
		}
		t, err := typeAsDelta(f.Type, name)
		if err != nil {
			return nil, err
		}
		list = append(list, delta.Field{Name: f.Name, PhysicalName: f.Name, ID: int32(f.ID), Type: t, Nullable: !f.Required})
	}
	return list, nil
}

func typeAsDelta(t iceberg.Type, name string) (delta.Type, error) {
	switch v := t.(type) {
	case *iceberg.StructType:
		fields, err := fieldsAsDelta(v.FieldList, name+".")
		return delta.Type{Kind: delta.Struct, Text: "struct", Fields: fields}, err
	case *iceberg.ListType:
		element, err := typeAsDelta(v.Element, name+".element")
		return delta.Type{Kind: delta.Array, Text: "array", Element: &element}, err
	case *iceberg.MapType:
		key, err := typeAsDelta(v.KeyType, name+".key")
		if err != nil {
			return delta.Type{}, err
		}
		value, err := typeAsDelta(v.ValueType, name+".value")
		return delta.Type{Kind: delta.Map, Text: "map", Key: &key, Element: &value}, err
	case iceberg.BooleanType, iceberg.Int32Type, iceberg.Int64Type, iceberg.Float32Type, iceberg.Float64Type, iceberg.StringType,
		iceberg.BinaryType, iceberg.DateType, iceberg.TimestampType, iceberg.TimestampTzType, iceberg.DecimalType:
		return delta.ParseType(spelling(t))
	}
	return delta.Type{}, fmt.Errorf("column %s is of type %s, whose rows are not compared", name, t)
}
