package merge_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/merge"
	"ajlo/job/table"
)

func TestParseClauses(t *testing.T) {
	tests := []struct {
		text   string
		action merge.Action
		set    []table.Column
		wrong  bool
	}{
		{"", merge.Keep, nil, false},
		{"update", merge.Update, nil, false},
		{"update:a, b", merge.Update, []table.Column{"a", "b"}, false},
		{"delete", merge.Delete, nil, false},
		{"update:", merge.Keep, nil, true},
		{"delete:a", merge.Keep, nil, true},
		{"insert", merge.Keep, nil, true},
		{"UPDATE", merge.Keep, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			action, set, err := merge.ParseMatched(tt.text)
			if action != tt.action || (err != nil) != tt.wrong {
				t.Errorf("%s, %v", action, err)
			}
			if diff := cmp.Diff(tt.set, set); diff != "" {
				t.Error(diff)
			}
		})
	}
	if a, err := merge.ParseNotMatched("insert"); a != merge.Insert || err != nil {
		t.Errorf("%s, %v", a, err)
	}
	if _, err := merge.ParseNotMatched("delete"); err == nil {
		t.Error("rows of the source are deleted")
	}
	if a, err := merge.ParseNotMatchedBySource("delete"); a != merge.Delete || err != nil {
		t.Errorf("%s, %v", a, err)
	}
}

// The statement that a plan names does the same in Spark; names are quoted (rule 9).
func TestPlanNamesTheStatement(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	makeTable(t, dir, made{keys: []string{"id", "day"}}, numbered(0, 10))
	source := writeSource(t, t.TempDir(), asParquet, numbered(5, 10))
	got, err := merge.New(options()).Plan(t.Context(), merge.Request{
		Table: "t", Location: table.Location(dir), Source: source, On: []table.Column{"ID", "code"}, Matched: merge.Update, Set: []table.Column{"amount"},
		NotMatched: merge.Insert, NotMatchedBySource: merge.Delete,
	})
	must(t, err)
	want := merge.Plan{
		Request: got.Request, SourceFormat: merge.FromParquet, Files: 1, FilesRead: 1, FilesTouched: 1, BytesRead: got.BytesRead, BytesTouched: got.BytesRead,
		Statement: "MERGE INTO delta.`" + dir + "` t USING parquet.`" + source + "` s ON t.`ID` = s.`ID` AND t.`code` = s.`code`" +
			" WHEN MATCHED THEN UPDATE SET `amount` = s.`amount` WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE",
		Rows: merge.Counts{Source: 10, Matched: 5, Updated: 5, Inserted: 5, DeletedUnmatched: 5}, Keys: []table.Column{"id", "day"}, Apart: "hilbert(id, day)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	noStrays(t, dir)
}
