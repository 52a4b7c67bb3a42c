package plan

import (
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
)

// maker is how the engine that will carry out the plan makes a table's layouts.
func (in Input) maker(s lake.Snapshot) layout.Maker {
	switch {
	case s.Format == lake.Iceberg:
		return layout.IcebergBytes
	case in.Settings.Engine == EmbeddedEngine:
		return layout.ExactRanks
	}
	return layout.DeltaRanges
}

// curve is the order that several keys are put in: OPTIMIZE knows Hilbert's only on a table
// that is clustered, and Iceberg only the z-order.
func (in Input) curve(t TableInput) layout.Order {
	switch in.maker(t.Snapshot) {
	case layout.IcebergBytes:
		return layout.ZOrder
	case layout.DeltaRanges:
		if !in.Settings.Dialect.Clusters(in.Settings.target(in.describe(t)), t.Snapshot.Layout) {
			return layout.ZOrder
		}
	}
	return layout.Hilbert
}

// curves gives the layouts by one key and by two.
func curves(keys []table.Column, order layout.Order) []layout.Layout {
	var list []layout.Layout
	for _, key := range keys {
		list = append(list, layout.ClusteredBy(layout.Sort, key))
	}
	for i, a := range keys {
		for _, b := range keys[i+1:] {
			list = append(list, layout.ClusteredBy(order, a, b))
		}
	}
	return list
}
