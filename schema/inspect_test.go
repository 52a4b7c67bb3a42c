package schema_test

import (
	"testing"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/report"
	"ajlo/job/table"
)

func TestInspectionsKeepTheirShape(t *testing.T) {
	bounds := map[table.Column]prune.Bounds{"a": {Min: predicate.IntValue(1), Max: predicate.IntValue(9), Rows: 4}}
	full := report.Inspect(lake.Snapshot{
		Table: "t", Location: "/lake/t", Format: lake.Delta, Version: 4, Owner: "us", Layout: layout.ClusteredBy(layout.Hilbert, "a"),
		Protocol: lake.Protocol{MinReader: 1, MinWriter: 2, ReaderFeatures: []string{"x"}, WriterFeatures: []string{"y"}},
		Columns:  []lake.Column{{Name: "a", Type: "long"}},
		Files:    []lake.File{{Path: "f", Bytes: 10, Rows: 4, Bounds: bounds, Cube: "c"}, {Path: "g", Bytes: 5, Rows: 1}},
	}, []string{"feature z"})
	bare := report.Inspect(lake.Snapshot{Format: lake.Iceberg, Layout: layout.Unordered(), Files: []lake.File{{Rows: -1}}}, nil)
	open, closed := compiled(t, "inspect.json")
	for _, i := range []report.Inspection{full, bare} {
		value := marshalled(t, i)
		if err := open.Validate(value); err != nil {
			t.Error(err)
		}
		if err := closed.Validate(value); err != nil {
			t.Errorf("add the field to schema/inspect.json: %v", err)
		}
	}
}
