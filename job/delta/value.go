package delta

import (
	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/predicate"
)

// ValueOf is row i of an arrow column of a table's type as a typed value. Decimals of more
// than 18 digits, binaries and nested types have no Value: their ok is false. NULL is ok.
// It takes what arrow-go reads from files by Spark, INT96 timestamps among them.
func ValueOf(column arrow.Array, i int, t Type) (v predicate.Value, ok bool, err error) {
	panic("not there yet")
}
