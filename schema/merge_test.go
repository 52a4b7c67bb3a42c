package schema_test

import (
	"testing"
	"time"

	"ajlo/job/merge"
	"ajlo/job/table"
)

func TestMergesKeepTheirShape(t *testing.T) {
	bare := merge.Plan{
		Request: merge.Request{
			Table: "t", Location: "/lake/t", Source: "/in", On: []table.Column{"a"}, NotMatched: []merge.Clause{{Action: merge.Insert}}, Write: merge.Auto,
		},
		SourceFormat: merge.FromCSV, Keys: []table.Column{},
	}
	full := bare
	full.Map, full.Condition, full.SourceVersion, full.Keys = []merge.Rename{{Column: "a", Source: "b"}}, "t.a > 1", 3, []table.Column{"a"}
	full.Matched = []merge.Clause{{Action: merge.Update, Set: []merge.Assignment{{Column: "b", Value: "1"}, {Column: "a"}}, Condition: "t.a > 2"}, {Action: merge.Delete}}
	full.NotMatchedBySource, full.Evolve, full.Query, full.Added = full.Matched, true, "SELECT 1", []table.Column{"c"}
	result := merge.Result{Plan: full, Changed: true, Took: time.Second, Warnings: []string{"w"}}
	open, closed := compiled(t, "merge.json")
	for _, v := range []any{bare, full, result, merge.Result{Plan: bare}} {
		value := marshalled(t, v)
		if err := open.Validate(value); err != nil {
			t.Error(err)
		}
		if err := closed.Validate(value); err != nil {
			t.Errorf("add the field to schema/merge.json: %v", err)
		}
	}
}
