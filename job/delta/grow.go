package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	maxColumnIDKey = "delta.columnMapping.maxColumnId"
	// notInNames are characters that names of columns may not have where data files carry them as
	// they are.
	notInNames = " ,;{}()\n\t="
	// localTimeFeature is what a table needs for times without a zone.
	localTimeFeature = "timestampNtz"
)

// Grown is the table's metadata with columns more at its end. All of them may be NULL, and are in the
// rows that are there. Where columns are mapped they get ids, and names by newName, which gives a
// UUID. It is an error where the table cannot have such columns.
func (s Snapshot) Grown(columns Schema, newName func() string) (Metadata, error) {
	m := s.Metadata
	for i, f := range columns {
		if err := s.growable(f, columns[:i]); err != nil {
			return Metadata{}, err
		}
	}
	g := grower{mapping: m.Mapping(), newName: newName}
	m.Configuration = maps.Clone(m.Configuration)
	if g.mapping != MapNone {
		id, err := strconv.ParseInt(m.Configuration[maxColumnIDKey], 10, 32)
		if err != nil {
			return Metadata{}, fmt.Errorf("it maps columns and has no number in %s", maxColumnIDKey)
		}
		g.id = id
	}
	var whole map[string]json.RawMessage
	var fields []json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(m.SchemaString), &whole), json.Unmarshal(whole["fields"], &fields)); err != nil {
		return Metadata{}, fmt.Errorf("its schema: %w", err)
	}
	for _, f := range columns {
		text, err := plainJSON(g.field(f))
		if err != nil {
			return Metadata{}, err
		}
		fields = append(fields, text)
	}
	text, err := plainJSON(struct {
		Type   string            `json:"type"`
		Fields []json.RawMessage `json:"fields"`
	}{string(Struct), fields})
	if err != nil {
		return Metadata{}, err
	}
	if g.mapping != MapNone {
		m.Configuration[maxColumnIDKey] = strconv.FormatInt(g.id, 10)
	}
	m.SchemaString = string(text)
	return m, m.complete()
}

// growable says why a table cannot have a column.
func (s Snapshot) growable(f Field, beside Schema) error {
	for _, is := range slices.Concat(s.Metadata.Schema, beside) {
		if strings.EqualFold(is.Name, f.Name) {
			return fmt.Errorf("column %s is there already, as %s", f.Name, is.Name)
		}
	}
	if obstacles := columnObstacles([]Field{f}, ""); len(obstacles) > 0 {
		return errors.New(strings.Join(obstacles, "; "))
	}
	if s.Metadata.Mapping() == MapNone && unspeakable(f) {
		return fmt.Errorf("column %s: its name has characters that only tables with column mapping take", f.Name)
	}
	if hasKind(&f.Type, TimestampNTZ) && !slices.Contains(s.Protocol.WriterFeatures, localTimeFeature) {
		return fmt.Errorf("column %s has times without a zone, for which the table's protocol would have to be raised (%s)", f.Name, localTimeFeature)
	}
	return nil
}

func unspeakable(f Field) bool {
	return strings.ContainsAny(f.Name, notInNames) || anyPart(&f.Type, func(t *Type) bool {
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return strings.ContainsAny(f.Name, notInNames) })
	})
}

func hasKind(t *Type, k Kind) bool { return anyPart(t, func(t *Type) bool { return t.Kind == k }) }

// anyPart reports whether a type or one of its parts is so.
func anyPart(t *Type, is func(*Type) bool) bool {
	if t == nil {
		return false
	}
	return is(t) || anyPart(t.Key, is) || anyPart(t.Element, is) || slices.ContainsFunc(t.Fields, func(f Field) bool { return anyPart(&f.Type, is) })
}

// grower writes new columns as schemas spell them.
type grower struct {
	mapping Mapping
	newName func() string
	id      int64 // the greatest so far
}

type spelledField struct {
	Name     string         `json:"name"`
	Type     any            `json:"type"`
	Nullable bool           `json:"nullable"`
	Metadata map[string]any `json:"metadata"`
}

func (g *grower) field(f Field) spelledField {
	settings := map[string]any{}
	if g.mapping != MapNone {
		g.id++
		settings[columnIDKey], settings[physicalNameKey] = g.id, "col-"+g.newName()
	}
	return spelledField{f.Name, g.typ(f.Type), true, settings}
}

func (g *grower) typ(t Type) any {
	switch t.Kind {
	case Struct:
		fields := make([]spelledField, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = g.field(f)
		}
		return map[string]any{"type": Struct, "fields": fields}
	case Array:
		return map[string]any{"type": Array, "elementType": g.typ(*t.Element), "containsNull": true}
	case Map:
		return map[string]any{"type": Map, "keyType": g.typ(*t.Key), "valueType": g.typ(*t.Element), "valueContainsNull": true}
	}
	return t.Text
}

// plainJSON leaves <, > and & in names as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// checkMetadata lets a change of rows give the table columns more and nothing else, a rearrangement
// other partition columns.
func (c Change) checkMetadata(read Snapshot) error {
	if c.Metadata == nil {
		return nil
	}
	was, is := read.Metadata, *c.Metadata
	if c.Alters == nil && !slices.Equal(was.PartitionColumns, is.PartitionColumns) {
		return c.checkPartitioning(read)
	}
	if was.ID != is.ID || !slices.Equal(was.PartitionColumns, is.PartitionColumns) || len(is.Schema) <= len(was.Schema) {
		return errors.New("a change of rows may give the table more columns, and change nothing else of it")
	}
	for i, f := range was.Schema {
		if f.Name != is.Schema[i].Name || f.Physical() != is.Schema[i].Physical() || f.Type.Text != is.Schema[i].Type.Text {
			return fmt.Errorf("column %s would become another", f.Name)
		}
	}
	for _, f := range is.Schema[len(was.Schema):] {
		if !f.Nullable {
			return fmt.Errorf("new column %s is NULL in the rows that are there, and may not be NOT NULL", f.Name)
		}
	}
	return nil
}

// written is the metadata as Spark reads it: without nothing where it wants an empty list.
func (m Metadata) written() *Metadata {
	if m.Format.Options == nil {
		m.Format.Options = map[string]string{}
	}
	if m.PartitionColumns == nil {
		m.PartitionColumns = []string{}
	}
	if m.Configuration == nil {
		m.Configuration = map[string]string{}
	}
	return &m
}
