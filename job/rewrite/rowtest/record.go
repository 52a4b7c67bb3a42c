package rowtest

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// FileRows gives the rows of one file in the file's order, as a table with the given columns
// sees them: columns that the file lacks are NULL.
func FileRows(path string, fields []Field) (rows []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, err
	}
	for _, group := range file.RowGroups() {
		some, err := groupRows(file.Root(), group, fields)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func groupRows(root *parquet.Column, group parquet.RowGroup, fields []Field) (texts []string, err error) {
	reader := group.Rows()
	defer func() { err = errors.Join(err, reader.Close()) }()
	buffer := make([]parquet.Row, 128)
	for {
		n, err := reader.ReadRows(buffer)
		for _, row := range buffer[:n] {
			text, err := rowText(root, row, fields)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		if err == io.EOF {
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func rowText(root *parquet.Column, row parquet.Row, fields []Field) (string, error) {
	r := record{leaves: map[int][]parquet.Value{}}
	for _, v := range row {
		r.leaves[v.Column()] = append(r.leaves[v.Column()], v)
	}
	var text strings.Builder
	err := r.structText(&text, root, fields, 0, 0)
	return text.String(), err
}

// record holds what is left of one row's values, leaf by leaf.
type record struct{ leaves map[int][]parquet.Value }

// firstLeaf is the leaf whose levels stand for the whole node.
func firstLeaf(c *parquet.Column) int {
	for !c.Leaf() {
		c = c.Columns()[0]
	}
	return c.Index()
}

// skip uses up one value of every leaf below the node: it is NULL or empty.
func (r *record) skip(c *parquet.Column) {
	if c.Leaf() {
		r.leaves[c.Index()] = r.leaves[c.Index()][1:]
		return
	}
	for _, child := range c.Columns() {
		r.skip(child)
	}
}

// text writes the next value of a node whose parent is defined at level def.
func (r *record) text(out *strings.Builder, c *parquet.Column, t Type, def, rep int) error {
	if c.Optional() {
		def++
		if r.leaves[firstLeaf(c)][0].DefinitionLevel() < def {
			out.WriteString("NULL")
			r.skip(c)
			return nil
		}
	}
	switch t.Name {
	case "struct":
		return r.structText(out, c, t.Fields, def, rep)
	case "array":
		repeated := c.Columns()[0]
		return r.entries(out, repeated, def, rep, func(def, rep int) error {
			return r.text(out, repeated.Columns()[0], *t.Element, def, rep)
		})
	case "map":
		repeated := c.Columns()[0]
		return r.entries(out, repeated, def, rep, func(def, rep int) error {
			if err := r.text(out, repeated.Columns()[0], *t.Key, def, rep); err != nil {
				return err
			}
			out.WriteString("→")
			return r.text(out, repeated.Columns()[1], *t.Element, def, rep)
		})
	}
	values := r.leaves[c.Index()]
	r.leaves[c.Index()] = values[1:]
	return scalarText(out, values[0], c, t.Name)
}

// structText writes the wanted fields by name and uses up the ones that are not wanted.
func (r *record) structText(out *strings.Builder, c *parquet.Column, fields []Field, def, rep int) error {
	out.WriteString("{")
	for _, f := range fields {
		out.WriteString(f.Name + "=")
		child := childNamed(c, f.stored())
		if child == nil {
			out.WriteString("NULL;")
			continue
		}
		if err := r.text(out, child, f.Type, def, rep); err != nil {
			return err
		}
		out.WriteString(";")
	}
	out.WriteString("}")
	for _, child := range c.Columns() {
		if rep > 0 && !wanted(fields, child.Name()) {
			r.skipAll(child, rep)
		}
	}
	return nil
}

// childNamed goes by the name in any case, as Spark does.
func childNamed(c *parquet.Column, name string) *parquet.Column {
	for _, child := range c.Columns() {
		if strings.EqualFold(child.Name(), name) {
			return child
		}
	}
	return nil
}

func wanted(fields []Field, name string) bool {
	for _, f := range fields {
		if strings.EqualFold(f.stored(), name) {
			return true
		}
	}
	return false
}

// skipAll uses up one entry of a field that is not wanted, repeated values included.
func (r *record) skipAll(c *parquet.Column, rep int) {
	if !c.Leaf() {
		for _, child := range c.Columns() {
			r.skipAll(child, rep)
		}
		return
	}
	values := r.leaves[c.Index()][1:]
	for len(values) > 0 && values[0].RepetitionLevel() > rep {
		values = values[1:]
	}
	r.leaves[c.Index()] = values
}

// entries writes the elements of a repeated node.
func (r *record) entries(out *strings.Builder, repeated *parquet.Column, def, rep int, one func(def, rep int) error) error {
	leaf := firstLeaf(repeated)
	if r.leaves[leaf][0].DefinitionLevel() < def+1 {
		out.WriteString("[]")
		r.skip(repeated)
		return nil
	}
	out.WriteString("[")
	for {
		if err := one(def+1, rep+1); err != nil {
			return err
		}
		out.WriteString(",")
		if left := r.leaves[leaf]; len(left) == 0 || left[0].RepetitionLevel() != rep+1 {
			out.WriteString("]")
			return nil
		}
	}
}
