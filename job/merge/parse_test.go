package merge_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/merge"
	"ajlo/job/table"
)

func TestParseClauses(t *testing.T) {
	set := func(a ...merge.Assignment) []merge.Assignment { return a }
	tests := []struct {
		text  string
		want  merge.Clause
		wrong bool
	}{
		{"update", merge.Clause{Action: merge.Update}, false},
		{"update:a, b", merge.Clause{Action: merge.Update, Set: set(merge.Assignment{Column: "a"}, merge.Assignment{Column: "b"})}, false},
		{"delete", merge.Clause{Action: merge.Delete}, false},
		{"delete if s.op = 'D'", merge.Clause{Action: merge.Delete, Condition: "s.op = 'D'"}, false},
		{"update:a=s.x,`b, if c`=' if , = ' IF\ts.at > t.at", merge.Clause{Action: merge.Update, Condition: "s.at > t.at", Set: set(
			merge.Assignment{Column: "a", Value: "s.x"}, merge.Assignment{Column: "b, if c", Value: "' if , = '"})}, false},
		{"update:", merge.Clause{}, true},
		{"update:a=", merge.Clause{}, true},
		{"update:a=1=2", merge.Clause{}, true},
		{"delete if ", merge.Clause{}, true},
		{"delete:a", merge.Clause{}, true},
		{"insert", merge.Clause{}, true},
		{"UPDATE", merge.Clause{}, true},
		{"", merge.Clause{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := merge.ParseMatched([]string{tt.text})
			if (err != nil) != tt.wrong {
				t.Fatal(err)
			}
			if !tt.wrong {
				if diff := cmp.Diff([]merge.Clause{tt.want}, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	if c, err := merge.ParseNotMatched([]string{"insert:id"}); len(c) != 1 || err != nil {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := merge.ParseNotMatched([]string{"delete"}); err == nil {
		t.Error("rows of the source are deleted")
	}
	if c, err := merge.ParseNotMatchedBySource([]string{"update:flag=false if t.flag", "delete"}); len(c) != 2 || err != nil {
		t.Errorf("%v, %v", c, err)
	}
}

// The statement that a plan names does the same in Spark; names are quoted (rule 9).
func TestPlanNamesTheStatement(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	makeTable(t, dir, made{keys: []string{"id", "day"}}, numbered(0, 10))
	source := writeSource(t, t.TempDir(), asParquet, numbered(5, 10))
	got, err := merge.New(options()).Plan(t.Context(), merge.Request{
		Table: "t", Location: table.Location(dir), Source: source, On: []table.Column{"ID", "code"}, Matched: always(merge.Update, "amount"),
		NotMatched: always(merge.Insert), NotMatchedBySource: always(merge.Delete),
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
