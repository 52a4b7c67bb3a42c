package sparksql

import (
	"strings"
	"testing"

	"ajlo/job/delta"
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

// What a step changed is undone to before its own declaration of keys, but not to before what others
// wrote between its attempts.
func TestPreviousVersion(t *testing.T) {
	declares := func(v int64) delta.Entry { return delta.Entry{Version: v} }
	rewrites := func(v int64) delta.Entry { return delta.Entry{Version: v, Removed: []string{"a"}} }
	for _, tc := range []struct {
		name string
		own  []delta.Entry
		want int64
	}{
		{"a rewrite alone", []delta.Entry{rewrites(7)}, 6},
		{"keys declared right before", []delta.Entry{declares(6), rewrites(7)}, 5},
		{"others wrote between", []delta.Entry{declares(4), rewrites(7)}, 6},
		{"and the keys were declared again", []delta.Entry{declares(2), declares(6), rewrites(7)}, 5},
		{"declared on a new table", []delta.Entry{declares(1), rewrites(2)}, 0},
		{"nothing was rewritten", []delta.Entry{declares(4)}, 0},
	} {
		if got := previous(tc.own); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}
