package delta

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Mapping is how a table finds its columns in data files.
type Mapping string

// The ways of column mapping. The table names them in a property.
const (
	MapNone Mapping = "none" // by the column's name
	MapName Mapping = "name" // by Field.PhysicalName
	MapID   Mapping = "id"   // by Field.ID, the field id in the Parquet schema
)

// Keys of column mapping: a property of the table and two settings of a column.
const (
	mappingKey      = "delta.columnMapping.mode"
	physicalNameKey = "delta.columnMapping.physicalName"
	columnIDKey     = "delta.columnMapping.id"
)

// Mapping is MapNone where the table does not say; ways that are not listed here come back
// as the table spells them.
func (m Metadata) Mapping() Mapping {
	if mode := m.Configuration[mappingKey]; mode != "" {
		return Mapping(mode)
	}
	return MapNone
}

// mapColumns fills in physical names and ids at every depth. Elements of arrays and maps are
// no columns and have neither.
func mapColumns(fields []Field) {
	for i := range fields {
		fields[i].PhysicalName, _ = fields[i].Metadata[physicalNameKey].(string)
		fields[i].ID = columnID(fields[i].Metadata)
		mapParts(&fields[i].Type)
	}
}

func mapParts(t *Type) {
	if t == nil {
		return
	}
	mapParts(t.Key)
	mapParts(t.Element)
	mapColumns(t.Fields)
}

// columnID is 0 where a column has no id that a Parquet schema can hold.
func columnID(settings map[string]any) int32 {
	number, _ := settings[columnIDKey].(json.Number)
	id, err := number.Int64()
	if err != nil || id < 1 || id > math.MaxInt32 {
		return 0
	}
	return int32(id)
}

// mappingObstacles names ways of mapping that are not known, and columns that a mapped table
// does not say how to find.
func mappingObstacles(m Metadata) []string {
	switch mode := m.Mapping(); mode {
	case MapNone:
		return nil
	case MapName, MapID:
		return unmapped(m.Schema, "")
	default:
		return []string{"column mapping by " + string(mode)}
	}
}

func unmapped(fields []Field, parent string) (found []string) {
	for _, f := range fields {
		name := parent + f.Name
		if f.PhysicalName == "" || f.ID == 0 {
			found = append(found, fmt.Sprintf("column %s: mapped without a name or an id", name))
		}
		found = append(found, unmappedParts(&f.Type, name)...)
	}
	return found
}

func unmappedParts(t *Type, name string) []string {
	if t == nil {
		return nil
	}
	return slices.Concat(unmappedParts(t.Key, name+".key"), unmappedParts(t.Element, name+".element"), unmapped(t.Fields, name+"."))
}
