package sparksql

import (
	"strings"
	"testing"

	"ajlo/job/lake"
	"ajlo/job/plan"
)

func TestCheckAnswer(t *testing.T) {
	const detail = "delta\t11-22\tNULL\tNULL\tfile:/lake/t\t2026-11-29 10:00:00\n"
	catalogs := lake.Snapshot{Protocol: lake.Protocol{WriterFeatures: []string{"catalogOwned-preview"}}}
	for _, tc := range []struct {
		name, printed string
		table         lake.Snapshot
		want          string // empty where it is as planned
	}{
		{"as planned", "4.0.2 abc\n4.0.1\n" + detail, lake.Snapshot{}, ""},
		{"another place", "4.0.2 abc\n4.0.1\n" + strings.ReplaceAll(detail, "/lake/t", "/lake/u"), lake.Snapshot{}, "finds it elsewhere"},
		{"an old Spark", "3.4.1 abc\n3.3.2\n" + detail, lake.Snapshot{}, "from Spark 3.5 with 3.3 on"},
		{"an old Delta", "3.5.1 abc\n3.2.1\n" + detail, lake.Snapshot{}, "from Spark 3.5 with 3.3 on"},
		{"nothing", "", lake.Snapshot{}, "from Spark 3.5 with 3.3 on"},
		{"a catalog's table", "4.1.0 abc\n4.3.0\n" + detail, catalogs, "OPTIMIZE of Delta Lake 4.3.0 is refused"},
		{"a catalog's table, before that was refused", "4.0.2 abc\n4.0.1\n" + detail, catalogs, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := checkAnswer(plan.Step{Table: "t", Location: "/lake/t"}, tc.table, tc.printed)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}
