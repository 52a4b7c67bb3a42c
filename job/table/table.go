// Package table holds the names of the things a lake is made of. Names come from logs and
// are never trusted: whoever puts one into SQL, HTML or a path quotes it there (rule 9).
package table

import (
	"cmp"
	"strings"
)

// Name is a table as the workload names it, "tpch.orders": `spark_catalog.` is dropped,
// other catalogs are kept. A table known by its place only is named by its Location.
type Name string

// IsPlace reports whether a table is known by its place only.
func (n Name) IsPlace() bool {
	return strings.HasPrefix(string(n), "/") || strings.Contains(string(n), "://")
}

// Location is where a table's files are: an absolute path or a URL, without a trailing slash.
type Location string

// Column is the name of a top-level column as the table's schema spells it. Column names
// may hold dots, spaces, backticks or any other character.
type Column string

// Texts are the names of columns as they are.
func Texts(columns []Column) []string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = string(c)
	}
	return texts
}

// Ref is one column of one table.
type Ref struct {
	Table  Name
	Column Column
}

// String gives "tpch.orders.o_orderkey"; a column that holds a dot or a backtick is put in
// backticks so that the text still names one column only.
func (r Ref) String() string { return string(r.Table) + "." + quoteIfNeeded(r.Column) }

// MarshalText is how a Ref appears in JSON.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Compare orders refs by table, then by column.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(cmp.Compare(r.Table, o.Table), cmp.Compare(r.Column, o.Column))
}

func quoteIfNeeded(c Column) string {
	if !strings.ContainsAny(string(c), ".`") {
		return string(c)
	}
	return "`" + strings.ReplaceAll(string(c), "`", "``") + "`"
}
