package sparksql

import (
	"strings"
	"testing"

	"ajlo/job/iceberg"
	"ajlo/job/plan"
)

func TestCheckDescribed(t *testing.T) {
	const table = "col_name\tdata_type\tcomment\nfrom_number\tbigint\tNULL\n\n# Detailed Table Information\nName\tlake.tele.calls\nLocation\tfile:///lake/tele/calls\nProvider\ticeberg\n"
	for _, tc := range []struct{ name, printed, want string }{
		{"as planned", "4.0.2 abc\n1.10.1\n" + table, ""},
		{"another place", "4.0.2 abc\n1.10.1\n" + strings.ReplaceAll(table, "/lake/tele/", "/lake/other/"), "finds it elsewhere"},
		{"a column that is called Location", "4.0.2 abc\n1.10.1\nLocation\tstring\t/lake/tele/calls\n", "finds it elsewhere"},
		{"an old Spark", "3.4.1 abc\n1.10.1\n" + table, "from Spark 3.5 with 1.10 on"},
		{"an old Iceberg", "4.0.2 abc\n1.9.2\n" + table, "from Spark 3.5 with 1.10 on"},
		{"nothing", "", "from Spark 3.5 with 1.10 on"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := checkDescribed(plan.Step{Table: "lake.tele.calls", Location: "/lake/tele/calls"}, tc.printed)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestSummariesAreHeldAgainstManifests(t *testing.T) {
	c := iceberg.Commit{ID: 7, Summary: map[string]string{"deleted-data-files": "3", "added-data-files": "2"}}
	if said := disagreeing(c, 3, 2); len(said) != 0 {
		t.Errorf("warns: %q", said)
	}
	if said := disagreeing(c, 3, 4); len(said) != 1 || !strings.Contains(said[0], `added-data-files: "2", its manifests have 4`) {
		t.Errorf("warnings %q", said)
	}
}
