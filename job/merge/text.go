package merge

import (
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// isText reports whether all texts of a column, and of what it is made of, are in UTF-8. Parquet does not
// see to that, and some readers of a table fail at those that are not.
func isText(column arrow.Array) bool {
	switch column := column.(type) {
	case *array.String:
		for i := range column.Len() {
			if column.IsValid(i) && !utf8.ValidString(column.Value(i)) {
				return false
			}
		}
	case *array.Dictionary:
		return isText(column.Dictionary())
	case *array.Struct:
		for i := range column.NumField() {
			if !isText(column.Field(i)) {
				return false
			}
		}
	case array.ListLike: // maps are, too
		return isText(column.ListValues())
	}
	return true
}
