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
			Table: "t", Location: "/lake/t", Source: "/in", On: []table.Column{"a"}, Matched: merge.Keep, NotMatched: merge.Insert,
			NotMatchedBySource: merge.Keep, Write: merge.Auto,
		},
		SourceFormat: merge.FromCSV, Keys: []table.Column{},
	}
	full := bare
	full.Matched, full.Set, full.SourceVersion, full.Keys = merge.Update, []table.Column{"b"}, 3, []table.Column{"a"}
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
