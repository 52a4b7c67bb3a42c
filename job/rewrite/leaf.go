package rewrite

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

// leaves says which leaf of learnt cuts a row falls in.
type leaves struct {
	flat   layout.Flat
	count  int
	column []int  // of each branch, into the arrangement's keys
	cut    []edge // of each branch
}

// edge is a cut in the form of a column's keys.
type edge struct {
	word uint64
	text []byte // nil where the column's values are words
}

// findLeaves makes the cuts of a tree ready for the columns they cut, which are among keys.
func findLeaves(t *layout.Tree, keys []table.Column, columns []arrow.Array) (leaves, error) {
	l := leaves{flat: t.Flat(), count: t.Leaves()}
	for _, branch := range l.flat {
		at := slices.Index(keys, branch.Column)
		e, err := edgeOf(branch.Cut, columns[at].DataType())
		if err != nil {
			return leaves{}, fmt.Errorf("column %q: %w", branch.Column, err)
		}
		l.column, l.cut = append(l.column, at), append(l.cut, e)
	}
	return l, nil
}

// of is the leaf of row i.
func (l leaves) of(views []keyView, i int) int {
	return l.flat.Leaf(func(branch int) bool { return views[l.column[branch]].below(i, l.cut[branch]) })
}

// below reports whether value i sorts before an edge.
func (v keyView) below(i int, e edge) bool {
	switch {
	case v.null(i):
		return true
	case v.word != nil:
		return v.word(i) < e.word
	}
	return bytes.Compare(v.text(i), e.text) < 0
}

// edgeOf gives a cut the form that the values of its column have as keys.
func edgeOf(cut predicate.Value, dt arrow.DataType) (edge, error) {
	fits := false
	switch dt := dt.(type) {
	case *arrow.StringType:
		return edge{text: []byte(cut.S)}, refuseCut(cut.Kind == predicate.String, cut, dt)
	case *arrow.Float32Type, *arrow.Float64Type:
		return edge{word: floatKey(cut.F)}, refuseCut(cut.Kind == predicate.Float, cut, dt)
	case *arrow.Decimal128Type:
		fits = cut.Kind == predicate.Decimal && int32(cut.Scale) == dt.Scale && dt.Precision <= maxWordDigits
	case *arrow.BooleanType:
		return edge{word: uint64(cut.I)}, refuseCut(cut.Kind == predicate.Bool, cut, dt)
	case *arrow.Date32Type:
		fits = cut.Kind == predicate.Date
	case *arrow.TimestampType:
		fits = cut.Kind == predicate.Timestamp && dt.TimeZone != "" || cut.Kind == predicate.LocalTime && dt.TimeZone == ""
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		fits = cut.Kind == predicate.Int
	}
	return edge{word: uint64(cut.I) ^ signBit}, refuseCut(fits, cut, dt)
}

func refuseCut(fits bool, cut predicate.Value, dt arrow.DataType) error {
	if fits {
		return nil
	}
	return fmt.Errorf("values of %s cannot be cut at a %s: make a new plan", dt, cut.Kind)
}
