package merge

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"ajlo/job/delta"
	"ajlo/job/rewrite"
)

// builderFor makes values of a column's type, in the form in which rows are held.
func builderFor(t delta.Type) (array.Builder, error) {
	schema, err := rewrite.ArrowSchema(delta.Schema{{Name: "value", Type: t}})
	if err != nil {
		return nil, err
	}
	return array.NewBuilder(memory.DefaultAllocator, schema.Field(0).Type), nil
}

// absent is a column of so many NULLs.
func absent(t arrow.DataType, rows int) arrow.Array {
	return array.MakeArrayOfNull(memory.DefaultAllocator, t, rows)
}
